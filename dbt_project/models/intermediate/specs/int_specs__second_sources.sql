{{ config(materialized = 'ephemeral') }}
-- Figures of other publishers that people read, made equal: dense, one accelerator, memory in nominal GB.
select
    figures.accelerator_id,
    figures.attribute,
    figures.source,
    families.family,
    case
        when figures.attribute = 'memory_gb' then {{ spec_nominal_gb('figures.value / figures.per_count', 'figures.unit_published') }}
        else {{ spec_dense('figures.value', 'figures.is_sparse') }} / figures.per_count
    end as value,
    figures.product_published,
    figures.value_published,
    figures.unit_published,
    figures.is_sparse,
    figures.per_count,
    figures.source_url
from {{ ref('spec_second_sources') }} as figures
inner join {{ ref('spec_families') }} as families on families.kind = 'source' and figures.source = families.pattern
left join {{ ref('spec_absences') }} as absences
    on figures.accelerator_id = absences.accelerator_id
    and figures.attribute = absences.attribute
    and absences.kind = 'not applicable'
where absences.accelerator_id is null
