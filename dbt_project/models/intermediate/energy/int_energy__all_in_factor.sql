-- All-in watts ÷ TDP, over the accelerators for which somebody published both: what parts without a published figure
-- are modelled with. Derived from ratings only, never from measurements: the check against them stays a check.
with

published as (
    select accelerator_id, watts_per_accelerator
    from {{ ref('accelerator_power') }}
    where power_scope = 'critical_it'
    qualify row_number() over (partition by accelerator_id order by as_of desc) = 1
),

specs as (select accelerator_id, tdp_w from {{ ref('stg_reference__accelerator_specs') }} where tdp_w > 0)

select
    median(published.watts_per_accelerator / specs.tdp_w) as all_in_factor,
    min(published.watts_per_accelerator / specs.tdp_w) as all_in_factor_min,
    max(published.watts_per_accelerator / specs.tdp_w) as all_in_factor_max,
    count(*) as n_accelerators
from published
inner join specs using (accelerator_id)
