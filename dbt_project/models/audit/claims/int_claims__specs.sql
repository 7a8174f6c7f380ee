{{ config(materialized = 'ephemeral') }}
-- One row per claim that follows from vendors' dense rates, and precision: peaks of a part, a system or a precision, per watt or per dollar.
with

claims as (
    select * from {{ ref('int_claims__stated') }}
    where method in ('peak_ratio', 'system_peak_ratio', 'cost_per_flop_ratio', 'power_per_flop_ratio', 'scale_up_ratio')
),

specs as (select * from {{ ref('stg_reference__accelerator_specs') }}),

-- a claim that names no precision is compared at each floating-point precision that both parts have
precisions as (
    select claim_id, precision, baseline_precision from claims where precision is not null
    union all
    select claims.claim_id, unnest(['bf16', 'fp8', 'fp4']) as precision, unnest(['bf16', 'fp8', 'fp4'])
        as baseline_precision
    from claims
    where claims.precision is null and claims.method <> 'scale_up_ratio'
    union all
    select claim_id, null as precision, null as baseline_precision from claims where method = 'scale_up_ratio'
),

peaks as (
    select
        claims.claim_id,
        claims.choice,
        claims.method,
        precisions.precision,
        precisions.baseline_precision,
        claims.subject_accelerator_id,
        claims.baseline_accelerator_id,
        {{ dense_peak('subject', 'precisions.precision') }} as subject_tflops,
        {{ dense_peak('baseline', 'precisions.baseline_precision') }} as baseline_tflops,
        coalesce(claims.subject_count, subject.scale_up_domain_size) as subject_count,
        coalesce(claims.baseline_count, baseline.scale_up_domain_size) as baseline_count,
        subject.tdp_w as subject_w,
        baseline.tdp_w as baseline_w,
        subject.msrp_or_street_usd as subject_usd,
        baseline.msrp_or_street_usd as baseline_usd,
        subject.bf16_dense_tflops as subject_bf16_tflops,
        baseline.bf16_dense_tflops as baseline_bf16_tflops
    from claims
    inner join precisions using (claim_id)
    inner join specs as subject on claims.subject_accelerator_id = subject.accelerator_id
    inner join specs as baseline on claims.baseline_accelerator_id = baseline.accelerator_id
),

quantities as (
    select
        *,
        case method
            when 'peak_ratio' then subject_tflops / baseline_tflops
            when 'scale_up_ratio' then subject_count / baseline_count
            when 'system_peak_ratio' then (subject_tflops * subject_count) / (baseline_tflops * baseline_count)
            when 'cost_per_flop_ratio'
                then (subject_usd / subject_tflops) / (baseline_usd / baseline_tflops)
            when 'power_per_flop_ratio'
                then (subject_w / subject_tflops) / (baseline_w / baseline_tflops)
        end as measured,
        -- a ratio per FLOP depends on the format it is counted in
        case when precision = 'bf16' and baseline_precision = 'bf16' then null
            when method = 'cost_per_flop_ratio'
                then (subject_usd / subject_bf16_tflops) / (baseline_usd / baseline_bf16_tflops)
            when method = 'power_per_flop_ratio'
                then (subject_w / subject_bf16_tflops) / (baseline_w / baseline_bf16_tflops)
        end as measured_in_bf16
    from peaks
)

select
    claim_id,
    choice,
    case when method = 'scale_up_ratio' then 'accelerators of a scale-up domain'
        when precision = baseline_precision then 'dense ' || precision
        else concat('dense ', precision, ' against ', baseline_precision) end as cell,
    measured as measured_best,
    measured as measured_median,
    measured as measured_mean,
    ['spec/' || subject_accelerator_id] as subject_ids,
    ['spec/' || baseline_accelerator_id] as baseline_ids,
    case method
        when 'peak_ratio' then format('{} against {} TFLOP/s', subject_tflops, baseline_tflops)
        when 'scale_up_ratio' then format('{} against {} accelerators', cast(subject_count as bigint),
            cast(baseline_count as bigint))
        when 'system_peak_ratio' then format('{} x {} against {} x {} TFLOP/s',
            cast(subject_count as bigint), subject_tflops, cast(baseline_count as bigint), baseline_tflops)
        when 'cost_per_flop_ratio' then format('{:.0f} against {:.0f} USD a part', subject_usd, baseline_usd)
        when 'power_per_flop_ratio' then format('{:.0f} against {:.0f} W a part', subject_w, baseline_w)
    end || coalesce(format('; in dense BF16 it is {:.2f}', measured_in_bf16), '') as note
from quantities
where measured is not null
