{{ config(severity = 'warn') }}
-- Names that no line of spec_aliases covers but that look like one of our accelerators: map each to its accelerator or to none.
select source, product_published, accelerator_id_by_general_alias
from {{ ref('int_specs__products') }}
where product_regex = '.*' and accelerator_id_by_general_alias is not null
