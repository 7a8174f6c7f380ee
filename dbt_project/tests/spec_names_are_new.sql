{{ config(severity = 'warn') }}
-- A name that no line of spec_aliases speaks of, but that looks like one of our accelerators: map it, or say that it is none.
select source, product_published, accelerator_id_by_general_alias
from {{ ref('int_specs__products') }}
where product_regex = '.*' and accelerator_id_by_general_alias is not null
