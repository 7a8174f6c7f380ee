-- A described system (published accelerator name, platform, name of the system) → accelerator_id, or
-- `unmapped:<published name>` where no alias matches or a word of the name is unknown. Null: none, or several models.
with

systems as (
    select accelerator_name_published, platform, system_name from {{ ref('stg_mlperf_inference__results') }}
    union
    select accelerator_name_published, platform, system_name from {{ ref('stg_mlperf_training__results') }}
),

absent as (select name_lower from {{ ref('accelerator_absent_names') }}),

identified as (
    {{ accelerators_of_systems('systems', ref('stg_reference__accelerator_aliases'), ref('accelerator_name_words')) }}
),

-- the whole cards of the names that state a capacity, without slices such as 1g.10gb
stated as (
    select
        identified.*,
        absent.name_lower is not null or identified.accelerator_name_published is null as is_name_absent,
        specs.memory_gb,
        nullif(upper(specs.form_factor), 'UNKNOWN') as form_factor,
        regexp_extract_all(
            regexp_replace(identified.accelerator_name_published, '[0-9]g\.[0-9]+gb', '', 'gi'), '(?i)\b([0-9]{1,4}) ?G(?:i?B)?\b', 1
        ) as capacities_gb
    from identified
    left join absent on lower(trim(identified.accelerator_name_published)) = absent.name_lower
    left join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
),

-- A part with another memory or form factor is another part. A number that the alias has is not the memory's (480 GB of a
-- GH200 are its processor's).
judged as (
    select
        *,
        is_override or (
            len(list_filter(
                capacities_gb,
                lambda gb: abs(gb::double / memory_gb - 1) > {{ var('capacity_tolerance_pct') }} / 100.0
                    and not contains(alias_pattern, gb)
            )) = 0
            and len(list_filter(
                ['SXM', 'PCI', 'OAM'],
                lambda form: regexp_matches(accelerator_name_published, '\b' || form, 'i') and not contains(form_factor, form)
            )) = 0
        ) as is_as_specified
    from stated
)

select
    accelerator_name_published,
    platform,
    system_name,
    is_name_absent,
    case
        when is_name_absent or is_mixed then null
        else {{ key_or_unmapped('case when is_as_specified then accelerator_id end', 'trim(accelerator_name_published)') }}
    end as accelerator_id,
    is_mixed and not is_name_absent as is_mixed,
    is_override,
    -- parts of phones, laptops and embedded systems
    coalesce(form_factor in ('SOM', 'SOC', 'M.2', 'USB', 'DEVELOPER KIT', 'INTEGRATED', 'MOBILE'), false) as is_embedded,
    alias_pattern
from judged
