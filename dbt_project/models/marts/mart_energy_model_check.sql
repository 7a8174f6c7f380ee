-- Each measured result of a known accelerator against each model of its power, all before PUE. Results that no
-- model covers are kept, with the reason.
with

measured as (
    select * from {{ ref('int_energy__results') }} where measured_watts_per_accelerator is not null
),

modelled as (select * from {{ ref('int_energy__accelerator_watts') }})

select
    concat_ws('#', measured.result_id, coalesce(modelled.power_model, 'none')) as check_id,
    measured.suite_kind,
    measured.result_id,
    measured.release,
    measured.division,
    measured.suite,
    measured.submitter,
    measured.system_name,
    measured.benchmark_id,
    measured.scenario,
    measured.accelerator_id,
    measured.accelerator_count,
    measured.variant,
    measured.is_derived,
    measured.is_same_run_as_99_9,
    modelled.power_model,
    modelled.is_preferred as is_preferred_model,
    measured.measured_power_scope,
    measured.measured_watts_per_accelerator as watts_per_accelerator_measured,
    modelled.watts_per_accelerator as watts_per_accelerator_modelled,
    {{ error_pct('modelled.watts_per_accelerator', 'measured.measured_watts_per_accelerator') }} as error_pct,
    case
        when modelled.power_model is null then 'no TDP in the specifications'
        when measured.variant <> 'standard' then 'the model does not know of ' || measured.variant
        when measured.accelerator_count < 4 then 'few accelerators carry a whole host'
    end as caveat,
    measured.source_url
from measured
left join modelled using (accelerator_id)
