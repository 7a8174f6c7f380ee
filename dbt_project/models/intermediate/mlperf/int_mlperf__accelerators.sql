-- A described system (published accelerator name, platform, name of the system) → accelerator_id, or `unmapped:<published name>` where
-- no alias matches, a word of the name is unknown or several parts have the name. Null: none, or several models.
with

described as (
    select accelerator_name_published, platform, system_name, 'inference_results_' || release as round
    from {{ ref('stg_mlperf_inference__results') }}
    union
    select accelerator_name_published, platform, system_name, 'training_results_' || release
    from {{ ref('stg_mlperf_training__results') }}
),

-- what the system files of a round state for a name
capacities as (
    select product_published, regexp_extract(payload_key, '^[a-z]+_results_v[0-9.]+') as round, list(distinct value) as capacities_gb
    from {{ ref('stg_specs__values') }}
    where source = 'mlperf-systems' and attribute = 'memory_gb'
    group by all
),

systems as (
    select described.*, coalesce(capacities.capacities_gb, []) as capacities_gb
    from described
    left join capacities on trim(described.accelerator_name_published) = capacities.product_published and described.round = capacities.round
),

absent as (select name_lower from {{ ref('accelerator_absent_names') }}),

identified as (
    {{ accelerators_of_systems(
        'systems', ref('stg_reference__accelerator_aliases'), ref('accelerator_name_words'), ref('stg_reference__accelerator_specs')
    ) }}
),

named as (
    select identified.*, absent.name_lower is not null or identified.accelerator_name_published is null as is_name_absent
    from identified
    left join absent on lower(trim(identified.accelerator_name_published)) = absent.name_lower
)

select
    named.accelerator_name_published,
    named.platform,
    named.system_name,
    named.is_name_absent,
    case
        when named.is_name_absent or named.is_mixed then null
        else {{ key_or_unmapped('named.accelerator_id', 'trim(named.accelerator_name_published)') }}
    end as accelerator_id,
    named.candidates,
    named.is_mixed and not named.is_name_absent as is_mixed,
    named.is_override,
    -- parts of phones, laptops and embedded systems
    coalesce(upper(specs.form_factor) in ('SOM', 'SOC', 'M.2', 'USB', 'DEVELOPER KIT', 'INTEGRATED', 'MOBILE'), false) as is_embedded
from named
left join {{ ref('stg_reference__accelerator_specs') }} as specs on named.accelerator_id = specs.accelerator_id
