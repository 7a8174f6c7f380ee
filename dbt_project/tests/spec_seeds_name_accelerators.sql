{{ config(meta = {'dagster': {'ref': {'name': 'accelerator_specs'}}}) }}
with named as (
    select 'spec_aliases' as seed, accelerator_id from {{ ref('spec_aliases') }} where accelerator_id is not null
    union all
    select 'spec_curated_basis', accelerator_id from {{ ref('spec_curated_basis') }}
    union all
    select 'spec_witnesses', accelerator_id from {{ ref('spec_witnesses') }}
    union all
    select 'spec_absences', accelerator_id from {{ ref('spec_absences') }}
    union all
    select 'spec_generations', accelerator_id from {{ ref('spec_generations') }}
    union all
    select 'accelerator_spec_conflicts', accelerator_id from {{ ref('accelerator_spec_conflicts') }}
)
select named.seed, named.accelerator_id
from named
left join {{ ref('accelerator_specs') }} as specs using (accelerator_id)
where specs.accelerator_id is null
