with

results as (
    select * from {{ ref('fct_training_result') }}
    where score_minutes is not null and accelerator_id is not null and accelerator_count > 0
)

select
    release,
    division,
    benchmark_id,
    accelerator_id,
    accelerator_count,
    count(*) as n_results,
    min(score_minutes) as score_minutes_min,
    median(score_minutes) as score_minutes_median,
    min(accelerator_hours) as accelerator_hours_min,
    median(accelerator_hours) as accelerator_hours_median,
    max(trained_tokens_per_s_per_accelerator) as trained_tokens_per_s_per_accelerator_max,
    median(trained_tokens_per_s_per_accelerator) as trained_tokens_per_s_per_accelerator_median,
    max(mfu_pct) as mfu_pct_max,
    any_value(mfu_precision) as mfu_precision,
    median(energy_j) as energy_j_median,
    count(energy_j) as n_results_with_energy,
    arg_min(result_id, (score_minutes, result_id)) as best_result_id,
    arg_min(submitter, (score_minutes, result_id)) as best_submitter,
    arg_min(source_url, (score_minutes, result_id)) as best_source_url
from results
group by release, division, benchmark_id, accelerator_id, accelerator_count
