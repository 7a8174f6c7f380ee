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
        "(select product_published as accelerator_name_published, '' as platform, '' as system_name from names)",
        ref('stg_reference__accelerator_aliases'),
        ref('accelerator_name_words'),
    ) }}
)

select
    names.source,
    names.product_published,
    case when own.product_regex is not null then own.accelerator_id else general.accelerator_id end as accelerator_id,
    own.product_regex,
    general.accelerator_id as accelerator_id_by_general_alias
from names
left join own using (source, product_published)
left join general on names.product_published = general.accelerator_name_published
