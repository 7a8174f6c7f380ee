{{ config(materialized = 'ephemeral') }}
-- Figures of other publishers that people read, made equal: dense, one accelerator, memory in nominal GB.
select
    witnesses.accelerator_id,
    witnesses.attribute,
    witnesses.source,
    families.family,
    case
        when witnesses.attribute = 'memory_gb' then {{ spec_nominal_gb('witnesses.value / witnesses.per_count', 'witnesses.unit_published') }}
        else {{ spec_dense('witnesses.value', 'witnesses.is_sparse') }} / witnesses.per_count
    end as value,
    witnesses.product_published,
    witnesses.value_published,
    witnesses.unit_published,
    witnesses.is_sparse,
    witnesses.per_count,
    witnesses.source_url
from {{ ref('spec_witnesses') }} as witnesses
inner join {{ ref('spec_families') }} as families on families.kind = 'source' and witnesses.source = families.pattern
left join {{ ref('spec_absences') }} as absences
    on witnesses.accelerator_id = absences.accelerator_id
    and witnesses.attribute = absences.attribute
    and absences.kind = 'not applicable'
where absences.accelerator_id is null
