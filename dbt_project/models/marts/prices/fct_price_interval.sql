-- One row per offer and stretch of time in which its price stayed the same: ended where a newer observation of the same machine
-- replaced it, and either comparable or with the reason why not.
with

built as (select built_at from {{ ref('stg_accelmart__build_info') }}),

-- a price of a day after the build is none yet, whatever else is said of it
judged as (
    select
        judged.* replace (
            case
                when intervals.valid_from > built.built_at then {{ price_exclusion_reason("'future'") }}
                else judged.exclusion_reason
            end as exclusion_reason
        ),
        date_diff('hour', intervals.last_seen_at, built.built_at) / 24.0 as age_days
    from {{ ref('int_price__checked') }} as judged
    inner join {{ ref('int_price__intervals') }} as intervals using (interval_number)
    cross join built
)

select
    intervals.* exclude (
        interval_number, intervals.first_poll, intervals.last_poll, intervals.polls_to_close, intervals.accelerator_memory_gb,
        intervals.vcpus, intervals.memory_gb, intervals.hourly_price, accelerator_count, valid_to, ended_because
    ),
    judged.* exclude (
        interval_number, judged.accelerators, machine_accelerators, judged.accelerator_id_by_words, judged.accelerator_count_of_type,
        judged.comparability, judged.is_provider_override, judged.is_instance_type_override, judged.is_region_override,
        judged.is_region_known
    ),
    judged.accelerators::double as accelerator_count,
    judged.machine_accelerators::double as machine_accelerators,
    least(intervals.valid_to, superseded.superseded_at) as valid_to,
    case
        when superseded.superseded_at < coalesce(intervals.valid_to, 'infinity'::timestamptz)
            then 'a newer observation of the same machine'
        else intervals.ended_because
    end as ended_because,
    case
        when judged.country is not null then null
        when intervals.region is null then 'the source names no region'
        when judged.is_region_known then 'the region lies in no single or known country'
        else 'region is not mapped'
    end as country_reason,
    judged.is_moved_far or judged.is_outside_band as is_unusual,
    judged.exclusion_reason is null as is_comparable,
    nullif(concat_ws(', ',
        case when judged.is_provider_override then 'cloud_providers' end,
        case when judged.is_instance_type_override
            then case judged.mapping_basis when 'words' then 'gpu_name_accelerators' else 'instance_accelerators' end end,
        case when judged.is_region_override then 'cloud_regions' end
    ), '') as overridden_by
from {{ ref('int_price__intervals') }} as intervals
inner join judged using (interval_number)
left join {{ ref('int_price__superseded') }} as superseded using (interval_number)
