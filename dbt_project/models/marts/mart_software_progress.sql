-- The same accelerator, benchmark and scale from round to round: what software alone gained. The best closed
-- result of each round stands for it.
with

training as (
    select
        'training' as suite_kind, release, benchmark_id, 'training' as scenario, accelerator_id, accelerator_count,
        'minutes' as unit, min(score_minutes) as figure, count(*) as n_results,
        arg_min(result_id, (score_minutes, result_id)) as best_result_id
    from {{ ref('fct_training_result') }}
    where division = 'closed' and score_minutes is not null and accelerator_id is not null and accelerator_count > 0
    group by all
),

inference as (
    select
        'inference' as suite_kind, release, benchmark_id, scenario, accelerator_id, accelerator_count,
        result_unit as unit, max(throughput_per_accelerator) as figure, count(*) as n_results,
        arg_max(result_id, (throughput_per_accelerator, result_id)) as best_result_id
    from {{ ref('fct_inference_result') }}
    where division = 'closed' and suite = 'datacenter' and variant = 'standard'
        and is_per_accelerator_valid and not coalesce(is_derived, true)
    group by all
),

both_suites as (select * from training union all by name select * from inference),

ordered as (
    select
        *,
        lag(release) over rounds as previous_release,
        lag(figure) over rounds as previous_figure
    from both_suites
    window rounds as (
        partition by suite_kind, benchmark_id, scenario, accelerator_id, accelerator_count, unit
        order by {{ release_number('release') }}
    )
)

select
    suite_kind,
    release,
    previous_release,
    benchmark_id,
    scenario,
    accelerator_id,
    accelerator_count,
    unit,
    figure,
    previous_figure,
    -- minutes shrink, throughputs grow: above 1 is always better
    case when unit = 'minutes' then previous_figure / figure else figure / previous_figure end as gain_ratio,
    n_results,
    best_result_id
from ordered
where previous_release is not null
