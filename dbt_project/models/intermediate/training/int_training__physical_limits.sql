-- What is wrong with a training result, or looks so: it needs more arithmetic than its accelerators have (impossible), or it was far
-- faster or slower than everything that was measured on the benchmark (implausible: a flag, the score stays).
with

results as (
    select
        published.*,
        published.accelerator_hours > 0 and isfinite(published.accelerator_hours) as has_effort,
        greatest(
            specs.bf16_dense_tflops, specs.fp16_dense_tflops, specs.int8_dense_tops, specs.fp8_dense_tflops,
            specs.fp4_dense_tflops
        ) as peak_tflops,
        {{ mfu_pct('published.trained_tokens_per_s_per_accelerator', 'mfu.flops_per_token', 'peak_tflops') }} / 100
            as share_of_peak
    from {{ ref('int_training__results') }} as published
    inner join {{ ref('int_training__mfu') }} as mfu using (result_id)
    left join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
),

-- one vote a part and round
votes as (
    select
        benchmark_id, release, accelerator_id,
        median(accelerator_hours) filter (has_effort) as effort,
        median(accelerator_hours * peak_tflops) filter (has_effort) as effort_by_peak,
        median(samples_per_s / accelerator_count) filter (samples_per_s > 0 and isfinite(samples_per_s)) as speed
    from results
    where division = 'closed' and {{ is_mapped('accelerator_id') }} and accelerator_count > 0
        and coalesce(share_of_peak, 0) <= 1
    group by benchmark_id, release, accelerator_id
),

usual as (
    select
        benchmark_id,
        case when count(effort) >= {{ var('peers_min') }} then median(effort) end as usual_effort,
        case when count(effort_by_peak) >= {{ var('peers_min') }} then median(effort_by_peak) end as usual_effort_by_peak,
        case when count(speed) >= {{ var('peers_min') }} then median(speed) end as usual_speed
    from votes
    group by benchmark_id
),

compared as (
    select
        results.*,
        coalesce(results.accelerator_hours * results.peak_tflops / usual.usual_effort_by_peak,
            results.accelerator_hours / usual.usual_effort) as effort_ratio,
        results.samples_per_s / nullif(results.accelerator_count, 0) / usual.usual_speed as speed_ratio
    from results
    left join usual using (benchmark_id)
)

select
    result_id,
    share_of_peak,
    effort_ratio,
    speed_ratio,
    case
        {%- for column in ['score_minutes', 'accelerator_hours', 'samples_per_s', 'trained_tokens_per_s_per_accelerator'] %}
        when not {{ is_positive(column) }} then 'impossible: {{ column }} is not a positive number'
        {%- endfor %}
        when share_of_peak > 1 then 'impossible: beyond the dense peak of the accelerator'
        when effort_ratio < 1 / {{ var('usual_max') }} or speed_ratio > {{ var('usual_max') }}
            then 'implausible: far faster than all that was measured on this benchmark'
        when share_of_peak < {{ var('share_of_peak_min') }} or effort_ratio > {{ var('usual_min') }}
            or speed_ratio < 1 / {{ var('usual_min') }}
            then 'implausible: far slower than all that was measured on this benchmark'
    end as limit_reason
from compared
