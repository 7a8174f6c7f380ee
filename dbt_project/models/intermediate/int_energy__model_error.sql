-- Error of each model of power against measured systems: closed datacenter results, and training results, on plain
-- systems without a caveat, each run once. One row per model of power.
select
    power_model,
    count(*) as n_model_checks,
    min(error_pct) as model_error_pct_low,
    median(error_pct) as model_error_pct_median,
    max(error_pct) as model_error_pct_high
from {{ ref('mart_energy_model_check') }}
where is_preferred_model and error_pct is not null and caveat is null
    and division = 'closed' and coalesce(suite, 'datacenter') = 'datacenter'
    and is_derived is not true and is_same_run_as_99_9 is not true
group by power_model
