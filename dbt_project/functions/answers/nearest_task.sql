-- The result of an accelerator on a task; else on the nearest older task, else on the nearest newer one, with a note that names it
with began as (
    select f.benchmark_id, min(r.published_on) as began_on
    from {{ ref('fct_inference_result') }} as f
    inner join {{ ref('dim_release') }} as r on r.suite_kind = 'inference' and f.release = r.release
    where f.benchmark_id in (select t.benchmark_id from {{ ref('mart_token_throughput') }} as t)
    group by f.benchmark_id
)

select
    s.*,
    -- accelerators_busy carry one token a day
    1 / s.accelerators_busy as tokens_per_day_each,
    case
        when s.benchmark_id <> benchmark then format(
            'no result of {} on {}: tokens are those of {}, the nearest task that it has a result of', s.accelerator_id,
            cast(benchmark as varchar), s.benchmark_id
        )
    end as task_note
from {{ function('serving_loads') }}(
    (select list(b.benchmark_id) from began as b), [1], [null], scenario, utilisation, as_of
) as s
inner join began as n on s.benchmark_id = n.benchmark_id
left join began as w on w.benchmark_id = benchmark
where s.accelerator_id = accelerator
order by s.benchmark_id <> benchmark, n.began_on > w.began_on, abs(date_diff('day', n.began_on, w.began_on)), s.benchmark_id
limit 1
