-- A published accelerator name (and, where the name alone cannot decide, the platform) → accelerator_id, or
-- `unmapped:<published name>` where no alias matches.
with

names as (
    select accelerator_name_published, platform from {{ ref('stg_mlperf_inference__results') }}
    union
    select accelerator_name_published, platform from {{ ref('stg_mlperf_training__results') }}
),

absent as (select name_lower from {{ ref('accelerator_absent_names') }}),

-- each name is tried once, however many platforms carry it
named as (
    {{ matched_texts(
        '(select distinct accelerator_name_published from names)',
        'accelerator_name_published',
        ref('stg_reference__accelerator_aliases'),
        'pattern',
    ) }}
),

matched as (
    {{ best_match(
        'names',
        'named',
        "names.accelerator_name_published = seed.accelerator_name_published "
        "and (seed.platform_pattern is null or regexp_matches(names.platform, seed.platform_pattern, 'i'))",
        per=['accelerator_name_published', 'platform'],
        preference=['seed.is_override desc', 'seed.priority', 'seed.pattern'],
        columns=['accelerator_id', 'is_mixed', 'is_override', 'pattern'],
        is_inner=true,
    ) }}
)

select
    names.accelerator_name_published,
    names.platform,
    absent.name_lower is not null or names.accelerator_name_published is null as is_name_absent,
    case
        when absent.name_lower is not null or matched.is_mixed then null
        else {{ key_or_unmapped('matched.accelerator_id', 'trim(names.accelerator_name_published)') }}
    end as accelerator_id,
    coalesce(matched.is_mixed, false) as is_mixed,
    coalesce(matched.is_override, false) as is_override,
    matched.pattern as alias_pattern
from names
left join absent on lower(trim(names.accelerator_name_published)) = absent.name_lower
left join matched
    on names.platform = matched.platform
    and names.accelerator_name_published is not distinct from matched.accelerator_name_published
