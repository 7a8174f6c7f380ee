-- How much one accelerator does against another: inference of the same round, benchmark, scenario and unit (closed,
-- datacenter, plain variants, best result of each); training of the same round and benchmark (closed), best result of
-- each at sizes of one class. Systems that are available only. Every accelerator has one throughput in a comparison, so that ratios are transitive.
with

inference as (
    select
        'inference' as suite_kind,
        best.release,
        best.benchmark_id,
        best.benchmark_version,
        best.scenario,
        best.result_unit,
        best.accelerator_id,
        results.accelerator_count,
        best.throughput_per_accelerator_max as throughput_per_accelerator,
        best.throughput_per_accelerator_median,
        best.n_results,
        best.is_round_incomplete,
        best.best_result_id as result_id
    from {{ ref('mart_inference_throughput') }} as best
    left join {{ ref('fct_inference_result') }} as results on best.best_result_id = results.result_id
    where best.division = 'closed' and best.suite = 'datacenter' and best.variant = 'standard'
        and best.scenario in ('Offline', 'Server', 'Interactive')
        and {{ is_mapped('best.accelerator_id') }}
        and {{ is_throughput('best.result_unit') }}
        and best.apart_reason is null
),

training_best_at_scale as (
    select
        'training' as suite_kind,
        * exclude (number_format, is_best_of_size),
        count(distinct run_group_id) over (partition by release, benchmark_id, result_unit, accelerator_id, scale_class) as n_results
    from {{ ref('int_training__speeds') }}
    qualify row_number() over (
        partition by release, benchmark_id, result_unit, accelerator_id, scale_class
        order by throughput_per_accelerator desc, result_id asc
    ) = 1
),

training_scales as (
    select
        *,
        count(*) over (partition by release, benchmark_id, result_unit, scale_class) as n_accelerators_of_class
    from training_best_at_scale
),

-- one result of each accelerator, or ratios of three accelerators contradict each other: the class that most share
training_representatives as (
    select * from training_scales
    qualify row_number() over (
        partition by release, benchmark_id, result_unit, accelerator_id
        order by n_accelerators_of_class desc, scale_class desc
    ) = 1
),

sides as (
    select *, 0 as scale_class from inference
    union all by name
    select * exclude (run_group_id, n_accelerators_of_class) from training_representatives
)

select
    a.* exclude (scale_class, a.throughput_per_accelerator_median),
    b.accelerator_id as baseline_accelerator_id,
    b.throughput_per_accelerator as baseline_throughput_per_accelerator,
    b.n_results as baseline_n_results,
    b.accelerator_count as baseline_accelerator_count,
    b.result_id as baseline_result_id,
    a.throughput_per_accelerator_median / b.throughput_per_accelerator_median as throughput_ratio_of_medians,
    a.throughput_per_accelerator / b.throughput_per_accelerator as throughput_ratio
from sides as a
inner join sides as b using (suite_kind, release, benchmark_id, result_unit, scale_class)
where a.accelerator_id <> b.accelerator_id and a.scenario is not distinct from b.scenario
