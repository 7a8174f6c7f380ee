-- One row per round, division, benchmark, accelerator, availability, accelerator count and number format.
with

-- one row a run: of twins the one with energy, AC before DC
results as (
    select
        *,
        count(*) over (
            partition by release, division, benchmark_id, accelerator_id, availability, accelerator_count, run_group_id
        ) as n_twins
    from {{ ref('fct_training_result') }}
    where {{ trained_to_target() }}
    qualify row_number() over (
        partition by release, division, benchmark_id, accelerator_id, availability, accelerator_count, run_group_id
        order by energy_j is null, power_measurement_type, result_id
    ) = 1
)

select
    release,
    division,
    benchmark_id,
    benchmark_version,
    accelerator_id,
    availability,
    accelerator_count,
    number_format,
    number_format_basis,
    count(*) as n_results,
    sum(n_twins)::bigint as n_official_results,
    min(score_minutes) as score_minutes_min,
    min(accelerator_hours) as accelerator_hours_min,
    max(trained_tokens_per_s_per_accelerator) as trained_tokens_per_s_per_accelerator_max,
    arg_min_null(mfu_pct, (score_minutes, result_id)) as mfu_pct,
    arg_min_null(mfu_reason, (score_minutes, result_id)) as mfu_reason,
    max(bf16_equivalent_pct) as bf16_equivalent_pct,
    max(fp8_equivalent_pct) as fp8_equivalent_pct,
    max(fp4_equivalent_pct) as fp4_equivalent_pct,
    arg_min(result_id, (score_minutes, result_id)) as best_result_id,
    arg_min(submitter, (score_minutes, result_id)) as best_submitter,
    bool_or(is_round_incomplete) as is_round_incomplete
from results
group by
    release, division, benchmark_id, benchmark_version, accelerator_id, availability, accelerator_count, number_format,
    number_format_basis
