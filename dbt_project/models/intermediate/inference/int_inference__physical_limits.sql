-- Why a result cannot be what its accelerators did: it needs more arithmetic than they have, its own log contradicts
-- it, or it lies far outside of everything that was measured on the benchmark. `note` lists what is rare but possible.
with

models as (
    select seed.benchmark_family, architectures.active_parameters
    from {{ ref('benchmark_models') }} as seed
    inner join {{ ref('model_architectures') }} as architectures using (model_id)
),

results as (
    select
        published.result_number,
        published.release,
        published.division,
        units.benchmark_id,
        published.scenario,
        units.accelerator_id,
        units.result,
        units.result_unit,
        units.output_tokens_per_s,
        {{ throughput_per_accelerator('units.result', 'units.result_unit', 'units.accelerator_count') }} as throughput,
        -- of the lowest format that the part has, whatever ran
        greatest(
            specs.bf16_dense_tflops, specs.fp16_dense_tflops, specs.int8_dense_tops, specs.fp8_dense_tflops,
            specs.fp4_dense_tflops
        ) as peak_tflops,
        units.output_tokens_per_s / units.accelerator_count * 2 * models.active_parameters / (peak_tflops * 1e12)
            as share_of_peak,
        published.log_samples_per_s,
        published.tokens_per_sample,
        -- one data set a benchmark: where a result does not say, the others do
        coalesce(published.tokens_per_sample, median(published.tokens_per_sample) over (
            partition by units.benchmark_family
        )) as usual_tokens_per_sample,
        -- tokens of a result that was published in samples are no second source
        case when units.result_unit = 'tokens/s'
            then units.output_tokens_per_s / nullif(published.log_samples_per_s * usual_tokens_per_sample, 0)
        end as ratio_to_log
    from {{ ref('int_inference__active') }} as published
    inner join {{ ref('int_inference__units') }} as units using (result_number)
    left join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
    left join models using (benchmark_family)
),

-- one vote a part and round, so that many rows of one payload do not decide what is usual
votes as (
    select
        benchmark_id, scenario, result_unit, release, accelerator_id,
        median(throughput) as throughput,
        median(throughput / peak_tflops) as throughput_per_tflops
    from results
    where division = 'closed' and {{ is_mapped('accelerator_id') }} and isfinite(throughput) and throughput > 0
        and coalesce(share_of_peak, 0) <= 1
    group by benchmark_id, scenario, result_unit, release, accelerator_id
),

usual as (
    select
        benchmark_id,
        scenario,
        result_unit,
        case when count(throughput) >= {{ var('peers_min') }} then median(throughput) end as usual_throughput,
        case when count(throughput_per_tflops) >= {{ var('peers_min') }} then median(throughput_per_tflops) end
            as usual_throughput_per_tflops
    from votes
    group by benchmark_id, scenario, result_unit
),

compared as (
    select
        results.*,
        coalesce(results.throughput / results.peak_tflops / usual.usual_throughput_per_tflops,
            results.throughput / usual.usual_throughput) as ratio_to_usual
    from results
    left join usual using (benchmark_id, scenario, result_unit)
)

select
    result_number,
    share_of_peak,
    ratio_to_log,
    ratio_to_usual,
    case
        when not (isfinite(result) and result > 0)
            or not (isfinite(output_tokens_per_s) and output_tokens_per_s > 0)
            then 'impossible: not a positive number'
        when division = 'closed' and share_of_peak > 1
            then 'impossible: beyond the dense peak of the accelerator'
        when ratio_to_log not between 1 / {{ var('log_ratio_max') }} and {{ var('log_ratio_max') }}
            then 'impossible: tokens/s are not samples/s of the log × tokens per sample'
        when share_of_peak < {{ var('share_of_peak_min') }} or ratio_to_usual < 1 / {{ var('usual_min') }}
            then 'implausible: far below all that was measured on this benchmark'
        when ratio_to_usual > {{ var('usual_max') }}
            then 'implausible: far above all that was measured on this benchmark'
    end as limit_reason,
    case
        when share_of_peak > {{ var('share_of_peak_warning') }} and (division = 'closed' or share_of_peak > 1)
            then printf('%.3g of the dense peak of the accelerator', share_of_peak)
        when tokens_per_sample is not null and ratio_to_log not between 1 / 1.1 and 1.1
            then printf('%.3g times the samples/s of the log × tokens per sample', ratio_to_log)
    end as note
from compared
