-- One row per offer and stretch of time in which its price stayed the same.
{% set future %}case when judged.valid_from > built.built_at then {{ price_exclusion_reason("'future'") }} end{% endset %}
with

judged as (select * from {{ ref('int_price__judged') }}),

superseded as (select * from {{ ref('int_price__superseded') }}),

built as (select built_at from {{ ref('ops_generation') }})

select
    judged.offer_id,
    judged.provider,
    judged.provider_published,
    judged.instance_type,
    judged.region,
    judged.country,
    case
        when judged.country is not null then null
        when judged.region is null then 'the source names no region'
        when judged.is_region_known then 'the region lies in no single or known country'
        else 'region is not mapped'
    end as country_reason,
    judged.pricing_model,
    judged.purchase_option,
    judged.operating_system,
    judged.variant,
    judged.accelerator_id,
    judged.accelerator_published,
    judged.accelerators::double as accelerator_count,
    judged.is_size_stated,
    judged.size_basis,
    judged.machine_accelerators::double as machine_accelerators,
    judged.currency,
    judged.price_unit,
    judged.price,
    judged.price_published,
    judged.upfront,
    judged.term_hours,
    judged.usd_per_unit,
    judged.usd_rate_date,
    judged.usd_per_instance_hour,
    judged.usd_per_accelerator_hour,
    judged.n_observed,
    judged.price_min,
    judged.price_max,
    judged.is_available,
    judged.valid_from,
    least(judged.valid_to, superseded.superseded_at) as valid_to,
    case
        when superseded.superseded_at < coalesce(judged.valid_to, 'infinity'::timestamptz)
            then 'a newer observation of the same machine'
        else judged.ended_because
    end as ended_because,
    judged.last_seen_at,
    judged.observed_precision,
    judged.is_seen_again,
    judged.is_confirmed,
    date_diff('hour', judged.last_seen_at, built.built_at) / 24.0 as age_days,
    judged.is_moved_far,
    judged.is_outside_band,
    judged.is_moved_far or judged.is_outside_band as is_unusual,
    judged.is_contradicted,
    coalesce({{ future }}, judged.exclusion_reason) is null as is_comparable,
    coalesce({{ future }}, judged.exclusion_reason) as exclusion_reason,
    judged.mapping_rule,
    judged.mapping_basis,
    nullif(concat_ws(', ',
        case when judged.is_provider_override then 'cloud_providers' end,
        case when judged.is_instance_type_override
            then case judged.mapping_basis when 'words' then 'gpu_name_accelerators' else 'instance_accelerators' end end,
        case when judged.is_region_override then 'cloud_regions' end
    ), '') as overridden_by,
    judged.source,
    judged.source_rank,
    judged.stream,
    judged.source_url,
    judged.payload_key,
    judged.payload_url,
    judged.payload_sha256,
    judged.payload_member,
    judged.payload_record,
    judged.parser_version,
    judged.licence
from judged
cross join built
left join superseded
    on judged.source = superseded.source and judged.stream is not distinct from superseded.stream
    and judged.offer_id = superseded.offer_id and judged.valid_from = superseded.valid_from
