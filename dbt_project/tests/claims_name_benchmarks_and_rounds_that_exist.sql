{{ config(meta = {'dagster': {'ref': {'name': 'int_claims__stated'}}}) }}
with

claims as (select * from {{ ref('int_claims__stated') }}),

benchmarks as (
    select 'inference' as suite_kind, benchmark_id from {{ ref('stg_reference__mlperf_benchmarks') }}
    union all
    select 'training' as suite_kind, benchmark_id from {{ ref('stg_reference__mlperf_training_models') }}
),

words as (
    select claim_id, suite_kind, 'benchmark' as kind, unnest(benchmark_ids) as word from claims
    union all
    select claim_id, suite_kind, 'round' as kind, unnest(releases) as word from claims
    union all
    select claim_id, suite_kind, 'round' as kind, unnest(baseline_releases) as word from claims
    union all
    select claim_id, suite_kind, 'scenario' as kind, unnest(scenarios) as word from claims
    union all
    select claim_id, suite_kind, 'variant' as kind, subject_variant as word from claims
)

select words.*
from words
left join benchmarks
    on words.suite_kind = benchmarks.suite_kind and words.word = benchmarks.benchmark_id and words.kind = 'benchmark'
left join {{ ref('mlperf_releases') }} as releases
    on words.suite_kind = releases.suite_kind and words.word = releases.release and words.kind = 'round'
where case words.kind
    when 'benchmark' then benchmarks.benchmark_id is null and not (words.word = '*' and words.suite_kind = 'training')
    when 'round' then releases.release is null
    when 'scenario' then words.word not in ('Offline', 'Server', 'Interactive')
    when 'variant' then words.word <> 'standard'
        and words.word not in (select variants.variant from {{ ref('accelerator_variants') }} as variants)
end
