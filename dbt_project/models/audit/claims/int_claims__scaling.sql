{{ config(materialized = 'ephemeral') }}
-- One row per claim on how training scales and size that was measured: the efficiency of throughput, which such claims are about;
-- that of reaching the target is the note.
with

claims as (select * from {{ ref('int_claims__stated') }} where method = 'scaling' and suite_kind = 'training'),

scaling as (
    select * from {{ ref('mart_training_scaling') }} where division = 'closed' and throughput_scaling_efficiency is not null
)

select
    claims.claim_id,
    claims.choice,
    scaling.release,
    scaling.benchmark_id,
    format('{} {} on {}', scaling.release, scaling.benchmark_id, cast(scaling.accelerator_count as bigint)) as cell,
    scaling.throughput_scaling_efficiency as measured_best,
    scaling.throughput_scaling_efficiency as measured_median,
    scaling.throughput_scaling_efficiency as measured_mean,
    [scaling.result_id] as subject_ids,
    [scaling.base_result_id] as baseline_ids,
    case when claims.baseline_count <> scaling.base_accelerator_count then 'measured against another base size' end as problem,
    format('throughput against {} accelerators; to the target it is {:.3f}',
        cast(scaling.base_accelerator_count as bigint), scaling.scaling_efficiency) as note
from claims
inner join scaling
    on claims.subject_accelerator_id = scaling.accelerator_id
    and list_contains(claims.benchmark_ids, scaling.benchmark_id)
    and (claims.releases is null or list_contains(claims.releases, scaling.release))
    and coalesce(claims.subject_count = scaling.accelerator_count, true)
