-- A product's words → accelerator_id: the source's own line in spec_aliases first, the aliases of MLPerf names after it.
with

names as (select distinct source, product_published from {{ ref('stg_specs__values') }}),

own as (
    {{ best_match(
        'names',
        ref('spec_aliases'),
        "names.source = seed.source and regexp_full_match(names.product_published, seed.product_regex, 'i')",
        per=['source', 'product_published'],
        preference=['seed.priority', 'seed.product_regex'],
        columns=['accelerator_id', 'product_regex'],
        is_inner=true,
    ) }}
),

general as (
    {{ accelerators_of_systems(
        "(select product_published as accelerator_name_published, '' as platform, '' as system_name, [] as capacities_gb from names)",
        ref('stg_reference__accelerator_aliases'),
        ref('accelerator_name_words'),
        ref('stg_reference__accelerator_specs'),
    ) }}
),

-- described systems: where other fields decide what a name means, they do so alike in all results with the name
described as (
    select accelerator_name_published as product_published, any_value(accelerator_id) as accelerator_id
    from {{ ref('int_mlperf__accelerators') }}
    where {{ is_mapped('accelerator_id') }}
    group by accelerator_name_published
    having count(distinct accelerator_id) = 1
)

select
    names.source,
    names.product_published,
    case
        when own.product_regex is not null then own.accelerator_id
        when names.source = 'mlperf-systems' then coalesce(general.accelerator_id, described.accelerator_id)
        else general.accelerator_id
    end as accelerator_id,
    own.product_regex,
    general.accelerator_id as accelerator_id_by_general_alias
from names
left join own using (source, product_published)
left join described using (product_published)
left join general on names.product_published = general.accelerator_name_published
