-- Training results that may be compared, per accelerator: closed, of available systems, trained to the target.
select
    release,
    benchmark_id,
    benchmark_version,
    accelerator_id,
    accelerator_count,
    -- sizes from 0.71 to 1.41 times a power of two are one class, so that no two of a class differ by more than a factor of two
    round(log2(accelerator_count)) as scale_class,
    -- tokens where the sequence length is fixed, samples elsewhere
    case when trained_tokens_per_s_per_accelerator is not null then 'tokens/s' else 'samples/s' end as result_unit,
    coalesce(trained_tokens_per_s_per_accelerator, samples_per_s / accelerator_count) as throughput_per_accelerator,
    row_number() over (
        partition by benchmark_id, benchmark_version, result_unit, accelerator_id, scale_class
        order by throughput_per_accelerator desc, result_id asc
    ) = 1 as is_best_of_size,
    number_format,
    is_round_incomplete,
    result_id,
    coalesce(run_group_id, result_id) as run_group_id
from {{ ref('fct_training_result') }}
where division = 'closed' and {{ trained_to_target() }}
    and coalesce(trained_tokens_per_s_per_accelerator, samples_per_s) > 0
    and availability = 'available'
