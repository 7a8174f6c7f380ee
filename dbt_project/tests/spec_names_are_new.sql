{{ config(severity = 'warn') }}
select source, product_published, accelerator_id_by_general_alias
from {{ ref('int_specs__products') }}
where product_regex = '.*' and accelerator_id_by_general_alias is not null
