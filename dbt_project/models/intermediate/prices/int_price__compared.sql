-- One row per offer and stretch of time in which its price stayed the same: ended where a newer observation of the same machine
-- replaced it, and either comparable or with the reason why not. The rows of fct_price_interval, with the form of purchases.
{% set future %}case when judged.valid_from > built.built_at then {{ price_exclusion_reason("'future'") }} end{% endset %}
with

judged as (select * from {{ ref('int_price__judged') }}),

built as (select built_at from {{ ref('stg_accelmart__build_info') }}),

specs as (select accelerator_id, form_factor from {{ ref('stg_reference__accelerator_specs') }}),

prices as (
    select
        source,
        stream,
        offer_id,
        valid_from,
        last_seen_at,
        source_rank,
        provider,
        accelerator_id,
        pricing_model,
        {{ price_tier('variant') }} as tier,
        coalesce(term_hours, 0) as term_hours,
        coalesce(region, '') as region,
        purchase_option,
        case when is_size_stated then accelerators end as size,
        case when mapping_basis = 'instance_type' then instance_type end as type_of_seller,
        comparability = 'comparable' as is_comparable
    from judged
    where comparability in ('comparable', 'unconfirmed', 'unconfirmed_move')
),

-- same seller, accelerator, tier, pricing model, term and region, whatever words a collector used. A size, an instance type or an
-- option that the older price leaves open is that of the newer one; two types of the seller's own price list are two machines.
-- On one day the seller's own list comes before catalogs and collections. A price that waits for a second observation replaces no
-- price of a source closer to the seller.
superseded as (
    select
        older.source,
        older.stream,
        older.offer_id,
        older.valid_from,
        min(greatest(newer.valid_from, older.last_seen_at + interval 1 microsecond)) as superseded_at
    from prices as older
    inner join prices as newer using (provider, accelerator_id, pricing_model, tier, term_hours, region)
    where (older.source <> newer.source or older.offer_id <> newer.offer_id)
        and (newer.is_comparable or newer.source_rank <= older.source_rank)
        and (older.size is null or older.size = newer.size)
        and (older.type_of_seller is null or older.type_of_seller = newer.type_of_seller)
        and (older.purchase_option is null or older.purchase_option = newer.purchase_option)
        and (
            cast(newer.last_seen_at as date) > cast(older.last_seen_at as date)
            or (
                cast(newer.last_seen_at as date) = cast(older.last_seen_at as date)
                and newer.source <> older.source
                and (newer.source_rank, newer.source) < (older.source_rank, older.source)
            )
        )
    group by all
)

select
    judged.* exclude (
        judged.first_poll, judged.last_poll, judged.polls_to_close, judged.accelerator_memory_gb, judged.vcpus, judged.memory_gb,
        judged.hourly_price, judged.option_comparability, judged.is_provider_override, judged.is_instance_type_override,
        judged.accelerator_id_by_words, judged.accelerators, judged.accelerator_count_of_type, judged.is_region_override,
        judged.is_region_known, judged.price_class, judged.comparability
    ) replace (
        judged.accelerators::double as accelerator_count,
        judged.machine_accelerators::double as machine_accelerators,
        least(judged.valid_to, superseded.superseded_at) as valid_to,
        case
            when superseded.superseded_at < coalesce(judged.valid_to, 'infinity'::timestamptz)
                then 'a newer observation of the same machine'
            else judged.ended_because
        end as ended_because,
        coalesce({{ future }}, judged.exclusion_reason) as exclusion_reason
    ),
    case
        when judged.country is not null then null
        when judged.region is null then 'the source names no region'
        when judged.is_region_known then 'the region lies in no single or known country'
        else 'region is not mapped'
    end as country_reason,
    date_diff('hour', judged.last_seen_at, built.built_at) / 24.0 as age_days,
    judged.is_moved_far or judged.is_outside_band as is_unusual,
    coalesce({{ future }}, judged.exclusion_reason) is null as is_comparable,
    nullif(concat_ws(', ',
        case when judged.is_provider_override then 'cloud_providers' end,
        case when judged.is_instance_type_override
            then case judged.mapping_basis when 'words' then 'gpu_name_accelerators' else 'instance_accelerators' end end,
        case when judged.is_region_override then 'cloud_regions' end
    ), '') as overridden_by,
    -- a rent that is compared, or a purchase whose words name one accelerator
    coalesce({{ future }}, judged.exclusion_reason) is null or (
        coalesce({{ future }}, judged.exclusion_reason) = {{ price_exclusion_reason("'purchase'") }}
        and judged.mapping_rule in ('fixed', 'group1', 'group1/2', 'num_gpus', 'exact')
    ) as is_hardware_price,
    -- Form in which an accelerator was sold, by the words of the offer and its page: a rack (NVL72), a server, or a
    -- bare module or card. A baseboard of eight is eight bare modules.
    case
        when judged.pricing_model <> 'purchase' then null
        when regexp_matches(lower(judged.source_url), 'baseboard|[-_]ubb\b') then 'module'
        when regexp_matches(judged.variant, '\bkit of 72\b') then 'rack'
        when regexp_matches(judged.variant, '\b[DH]GX\b|\b8x? GPU|/ 8 = ') then 'server'
        when regexp_matches(judged.variant, '\b1 GPU\b|\bkit of ') or specs.form_factor like 'PCIe%' then 'module'
        else 'unknown'
    end as purchase_form
from judged
cross join built
left join specs using (accelerator_id)
left join superseded
    on judged.source = superseded.source and judged.stream is not distinct from superseded.stream
    and judged.offer_id = superseded.offer_id and judged.valid_from = superseded.valid_from
