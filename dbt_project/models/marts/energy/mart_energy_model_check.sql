-- Each measured result of a known accelerator against each model of its power, all before PUE: the all-in watts, and the
-- modelled draw that the other metered systems give without this one. Results that no model covers have the reason.
with

checks as (select * from {{ ref('int_energy__model_checks') }}),

modelled as (select * from {{ ref('int_energy__modelled_watts') }}),

compared as (
    select
        checks.*,
        modelled.watts_per_accelerator as watts_per_accelerator_without_system,
        modelled.n_model_systems as n_other_systems,
        {{ error_pct('modelled.watts_per_accelerator', 'checks.measured_watts_per_accelerator') }} as error_without_system_pct
    from checks
    left join modelled
        on checks.is_counted
        and checks.accelerator_id = modelled.accelerator_id
        and checks.power_model = modelled.power_model
        and checks.system_id = modelled.without_system_id
)

select
    * exclude (
        submission_id, run_group_id, platform, number_format, result_unit, throughput_per_accelerator, output_tokens_per_s_per_accelerator,
        trained_tokens_per_s_per_accelerator, measured_watts_per_accelerator, measured_system_w, measured_j_per_trained_token,
        all_in_watts_per_accelerator
    ),
    concat_ws('#', result_id, coalesce(power_model, 'none')) as check_id,
    measured_watts_per_accelerator as watts_per_accelerator_measured,
    all_in_watts_per_accelerator as watts_per_accelerator_modelled,
    median(error_without_system_pct) over system_results as system_error_pct,
    case when is_counted then count(*) over system_results end as n_results_of_system
from compared
window system_results as (partition by power_model, system_id, is_counted)
