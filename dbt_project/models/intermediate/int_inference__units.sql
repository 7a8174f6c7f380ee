-- The true unit of each published figure. The published word is sometimes wrong; the seed says what it is.
with

results as (
    select
        results.result_id,
        results.release_number,
        results.scenario,
        results.result_value_published,
        results.result_unit_published,
        results.tokens_per_sample,
        benchmarks.benchmark_id,
        benchmarks.tokens_metric
    from {{ ref('int_inference__in_force') }} as results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks using (release, benchmark_published)
),

rules as (
    select
        benchmark_id,
        scenario,
        {{ release_number('release_from') }} as first_release,
        coalesce({{ release_number('release_to') }}, 999999) as last_release,
        result_unit
    from {{ ref('mlperf_inference_metrics') }}
),

ruled as (
    select results.*, rules.result_unit as rule_unit
    from results
    left join rules
        on results.scenario = rules.scenario
        and results.release_number between rules.first_release and rules.last_release
        and (rules.benchmark_id = results.benchmark_id or rules.benchmark_id = '*')
    qualify row_number() over (partition by results.result_id order by rules.benchmark_id = '*') = 1
),

worded as (
    select
        *,
        case lower(result_unit_published)
            when 'tokens/s' then 'tokens/s'
            when 'samples/s' then 'samples/s'
            when 'queries/s' then 'queries/s'
            when 'latency (ms)' then 'latency_ms'
            when 'latency_ms' then 'latency_ms'
            when 'latency (s)' then 'latency_s'
            when 'latency_s' then 'latency_s'
            when 'samples_per_query' then 'samples_per_query'
        end as word_unit
    from ruled
),

true_unit as (select *, coalesce(rule_unit, word_unit) as unit from worded)

select
    result_id,
    -- one unit a column: seconds become milliseconds
    case when unit = 'latency_s' then result_value_published * 1000 else result_value_published end as result,
    case when unit = 'latency_s' then 'latency_ms' else unit end as result_unit,
    {{ output_tokens_per_s('result_value_published', 'unit', 'tokens_metric', 'tokens_per_sample') }}
        as output_tokens_per_s,
    case
        when unit in ('samples/s', 'queries/s') and tokens_metric and tokens_per_sample is not null
            then 'converted'
        when unit is distinct from word_unit then 'corrected'
        else 'published'
    end as unit_basis,
    word_unit is not null as is_unit_word_known
from true_unit
