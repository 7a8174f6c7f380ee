with measured as (
    select m.* exclude (
        is_best_of_accelerator, is_representative, newest_release, newest_release_median, newest_release_n_results
    )
    from {{ ref('mart_token_throughput') }} as m
    left join {{ ref('dim_release') }} as r on r.suite_kind = 'inference' and m.release = r.release
    where (model is null or m.benchmark_id = {{ function('benchmark_named') }}(model))
        and (scenario is null or m.scenario = scenario)
        and (release is null or m.release = release)
        and {{ is_round_published('r', 'as_of') }}
)

select
    t.*,
    {{ is_best_of_accelerator('t', 'output_tokens_per_s_per_accelerator') }} as is_best_of_accelerator,
    is_best_of_accelerator and t.apart_reason is null as is_representative,
    {{ newest_round_columns('t', 'output_tokens_per_s_per_accelerator_median') }}
from measured as t
