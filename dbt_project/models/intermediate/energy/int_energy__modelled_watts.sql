-- Modelled draw of one accelerator before PUE: all-in watts ÷ the median error of the model over metered systems, each
-- system with one vote. The systems of the accelerator itself count where there are enough of them, else those of all
-- accelerators. One row per accelerator and model of power, and one more for each metered system left out.
{% set min_systems = 3 %}
with

watts as (select * from {{ ref('int_energy__accelerator_watts') }}),

systems as (
    select
        power_model,
        accelerator_id,
        system_id,
        median(error_pct) as error_pct,
        min(error_pct) as error_pct_low,
        max(error_pct) as error_pct_high
    from {{ ref('int_energy__model_checks') }}
    where is_counted
    group by power_model, accelerator_id, system_id
),

cases as (
    select power_model, accelerator_id, null as without_system_id from watts
    union all
    select power_model, accelerator_id, system_id from systems
),

evidence as (
    select
        c.power_model,
        c.accelerator_id,
        c.without_system_id,
        s.* exclude (s.power_model, s.accelerator_id),
        s.accelerator_id = c.accelerator_id as is_own,
        count(s.system_id) filter (s.accelerator_id = c.accelerator_id) over (
            partition by c.power_model, c.accelerator_id, c.without_system_id
        ) >= {{ min_systems }} as has_own
    from cases as c
    left join systems as s
        on c.power_model = s.power_model and (c.without_system_id is null or s.system_id <> c.without_system_id)
),

errors as (
    select
        power_model,
        accelerator_id,
        without_system_id,
        count(system_id) as n_model_systems,
        median(error_pct) as model_error_pct_median,
        case when count(system_id) > 1 then min(error_pct_low) end as model_error_pct_low,
        case when count(system_id) > 1 then max(error_pct_high) end as model_error_pct_high,
        case
            when count(system_id) = 0 then 'no metered system checks this model of power'
            when count(system_id) = 1 then 'one metered system'
            when bool_and(has_own) then 'model error over metered systems of the accelerator'
            else 'model error over all metered systems'
        end as uncertainty_basis
    from evidence
    where is_own or has_own is not true
    group by power_model, accelerator_id, without_system_id
)

select
    watts.accelerator_id,
    watts.power_model,
    watts.is_preferred,
    watts.power_source_url,
    errors.without_system_id,
    watts.watts_per_accelerator as all_in_watts_per_accelerator,
    {{ corrected_by_error('watts.watts_per_accelerator', 'coalesce(errors.model_error_pct_median, 0)') }}
        as watts_per_accelerator,
    {{ corrected_by_error('watts.watts_per_accelerator', 'errors.model_error_pct_high') }} as watts_per_accelerator_low,
    {{ corrected_by_error('watts.watts_per_accelerator', 'errors.model_error_pct_low') }} as watts_per_accelerator_high,
    errors.* exclude (power_model, accelerator_id, errors.without_system_id)
from watts
inner join errors using (power_model, accelerator_id)
