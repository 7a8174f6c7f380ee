{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'stg_specs__values'}}}) }}
select aliases.source, aliases.product_regex, aliases.accelerator_id
from {{ ref('spec_aliases') }} as aliases
where aliases.accelerator_id is not null
    and aliases.source in (select spec_values.source from {{ ref('stg_specs__values') }} as spec_values)
    and not exists (
        select 1
        from {{ ref('int_specs__products') }} as products
        where products.source = aliases.source and regexp_full_match(products.product_published, aliases.product_regex, 'i')
    )
