-- How much one accelerator does against another: inference of the same round, benchmark, scenario and unit (closed,
-- datacenter, plain variants, best result of each); training of the same round and benchmark (closed), best result of
-- each at sizes of one class. Systems that are available only. Every accelerator has one throughput in a comparison, so that ratios are transitive.
with

inference as (
    select
        *,
        best_result_id as result_id
    from {{ ref('mart_inference_throughput') }}
    where division = 'closed' and suite = 'datacenter' and variant = 'standard'
        and scenario in ('Offline', 'Server', 'Interactive')
        and {{ is_mapped('accelerator_id') }}
        and {{ is_throughput('result_unit') }}
        and apart_reason is null
),

inference_counts as (
    select result_id, accelerator_count from {{ ref('fct_inference_result') }}
),

inference_pairs as (
    select
        'inference' as suite_kind,
        a.release,
        a.benchmark_id,
        a.benchmark_version,
        a.scenario,
        a.result_unit,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        a.throughput_per_accelerator_max as throughput_per_accelerator,
        b.throughput_per_accelerator_max as baseline_throughput_per_accelerator,
        a.throughput_per_accelerator_median / b.throughput_per_accelerator_median as throughput_ratio_of_medians,
        a.n_results,
        b.n_results as baseline_n_results,
        a.is_round_incomplete,
        count_a.accelerator_count,
        count_b.accelerator_count as baseline_accelerator_count,
        a.result_id,
        b.result_id as baseline_result_id
    from inference as a
    inner join inference as b using (release, benchmark_id, scenario, result_unit)
    left join inference_counts as count_a on a.result_id = count_a.result_id
    left join inference_counts as count_b on b.result_id = count_b.result_id
    where a.accelerator_id <> b.accelerator_id
),

-- tokens where the sequence length is fixed, samples elsewhere
training as (
    select
        release,
        benchmark_id,
        benchmark_version,
        accelerator_id,
        accelerator_count,
        case when trained_tokens_per_s_per_accelerator is not null then 'tokens/s' else 'samples/s' end as result_unit,
        coalesce(trained_tokens_per_s_per_accelerator, samples_per_s / accelerator_count) as throughput_per_accelerator,
        result_id,
        coalesce(run_group_id, result_id) as run_group_id
    from {{ ref('fct_training_result') }}
    where division = 'closed' and {{ trained_to_target() }}
        and coalesce(trained_tokens_per_s_per_accelerator, samples_per_s) > 0
        and availability = 'available'
),

-- sizes from 0.71 to 1.41 times a power of two are one class, so that no two of a class differ by more than a factor of two
training_best_at_scale as (
    select
        *,
        round(log2(accelerator_count)) as scale_class,
        count(distinct run_group_id) over (
            partition by release, benchmark_id, result_unit, accelerator_id, round(log2(accelerator_count))
        ) as n_results
    from training
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

training_pairs as (
    select
        'training' as suite_kind,
        a.release,
        a.benchmark_id,
        a.benchmark_version,
        a.result_unit,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        a.throughput_per_accelerator,
        b.throughput_per_accelerator as baseline_throughput_per_accelerator,
        a.n_results,
        b.n_results as baseline_n_results,
        false as is_round_incomplete,
        a.accelerator_count,
        b.accelerator_count as baseline_accelerator_count,
        a.result_id,
        b.result_id as baseline_result_id
    from training_representatives as a
    inner join training_representatives as b using (release, benchmark_id, result_unit, scale_class)
    where a.accelerator_id <> b.accelerator_id
),

both_suites as (
    select * from inference_pairs
    union all by name
    select * from training_pairs
)

select *, throughput_per_accelerator / baseline_throughput_per_accelerator as throughput_ratio
from both_suites
