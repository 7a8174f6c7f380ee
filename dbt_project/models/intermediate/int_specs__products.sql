-- A product's words → accelerator_id: the source's own line in spec_aliases first, the aliases of MLPerf names after it.
with

names as (select distinct source, product_published from {{ ref('stg_specs__values') }}),

own as (
    select names.*, aliases.accelerator_id, aliases.product_regex
    from names
    inner join {{ ref('spec_aliases') }} as aliases
        on names.source = aliases.source
        and regexp_full_match(names.product_published, aliases.product_regex, 'i')
    qualify row_number() over (
        partition by names.source, names.product_published order by aliases.priority, aliases.product_regex
    ) = 1
),

general as (
    select names.*, aliases.accelerator_id
    from names
    inner join {{ ref('stg_reference__accelerator_aliases') }} as aliases
        on regexp_matches(names.product_published, aliases.pattern, 'i') and aliases.platform_pattern is null
    qualify row_number() over (
        partition by names.source, names.product_published order by aliases.priority, aliases.pattern
    ) = 1
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
