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

named as (
    {{ matched_texts(
        '(select distinct product_published from names)',
        'product_published',
        ref('stg_reference__accelerator_aliases'),
        'pattern',
    ) }}
),

general as (
    {{ best_match(
        'names',
        'named',
        "names.product_published = seed.product_published and seed.platform_pattern is null",
        per=['source', 'product_published'],
        preference=['seed.priority', 'seed.pattern'],
        columns=['accelerator_id'],
        is_inner=true,
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
left join general using (source, product_published)
