-- Printed specifications and ratios of specifications against ours: dense rates, of one accelerator times a factor.
with

printed as (
    select * from {{ ref('int_published_values__stated') }} where method in ('spec', 'spec_text', 'spec_ratio')
),

power as (
    select accelerator_id, it_power_w from {{ ref('mart_tco') }} where scenario_id = 'hyperscaler' and is_default
),

specs as (
    select specs.*, power.it_power_w
    from {{ ref('stg_reference__accelerator_specs') }} as specs
    left join power using (accelerator_id)
),

compared as (
    select
        printed.value_id,
        printed.method,
        printed.factor,
        printed.attribute_used,
        printed.baseline_attribute,
        printed.accelerator_id,
        printed.baseline_accelerator_id,
        {{ spec_value('subject', 'printed.attribute_used') }} as subject_value,
        {{ spec_value('baseline', 'printed.baseline_attribute') }} as baseline_value,
        subject.memory_type
    from printed
    left join specs as subject on printed.accelerator_id = subject.accelerator_id
    left join specs as baseline on printed.baseline_accelerator_id = baseline.accelerator_id
)

select
    value_id,
    case method
        when 'spec' then subject_value * factor
        when 'spec_ratio' then subject_value / nullif(baseline_value, 0) * factor
    end as ours,
    case when method = 'spec_text' then memory_type end as ours_text,
    'specification' as basis,
    concat_ws(' to ',
        concat(attribute_used, ' of ', accelerator_id,
            case when factor not in (1, 0.001, 1e-6) then format(' x {:g}', factor) else '' end),
        baseline_attribute || ' of ' || baseline_accelerator_id) as evidence
from compared
