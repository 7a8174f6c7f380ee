-- All-in watts of each model of power against each measured result of a known accelerator, before PUE. Results that no
-- model covers are kept, with the reason. Counted are plain closed datacenter results and trainings, each run once.
with

measured as (
    select
        *,
        concat_ws('#', accelerator_id, submitter, platform) as system_id
    from {{ ref('int_energy__results') }}
    where measured_watts_per_accelerator is not null
),

modelled as (select * from {{ ref('int_energy__accelerator_watts') }}),

compared as (
    select
        measured.*,
        modelled.power_model,
        modelled.is_preferred as is_preferred_model,
        modelled.watts_per_accelerator as all_in_watts_per_accelerator,
        {{ error_pct('modelled.watts_per_accelerator', 'measured.measured_watts_per_accelerator') }} as error_pct,
        case
            when modelled.power_model is null then 'no TDP in the specifications'
            when measured.variant <> 'standard' then 'the model does not know of ' || measured.variant
            when measured.accelerator_count < 4 then 'few accelerators carry a whole host'
        end as caveat
    from measured
    left join modelled using (accelerator_id)
)

select
    *,
    error_pct is not null and caveat is null and division = 'closed' and coalesce(suite, 'datacenter') = 'datacenter'
    and is_derived is not true and is_same_run_as_99_9 is not true as is_counted
from compared
