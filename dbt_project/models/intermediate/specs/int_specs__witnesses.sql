-- Every figure there is of an accelerator's attribute, one per source, the curated one among them.
select
    accelerator_id, attribute, source, family, value, product_published, value_published, unit_published, is_sparse,
    per_count, source_url
from {{ ref('int_specs__published') }}

union all by name

select
    accelerator_id, attribute, source, family, value, product_published, value_published, unit_published, is_sparse,
    per_count, source_url
from {{ ref('int_specs__witnessed') }}

union all by name

select
    accelerator_id, attribute, 'curated' as source, family, value, accelerator_id as product_published,
    value::varchar as value_published, unit as unit_published, false as is_sparse, 1 as per_count, source_url
from {{ ref('int_specs__curated') }}
where value is not null
