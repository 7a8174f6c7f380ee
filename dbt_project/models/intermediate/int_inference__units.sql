-- The true unit of each published figure. The published unit is sometimes wrong; a seed gives the true one.
with

results as (
    select
        results.result_number,
        results.release_number,
        results.scenario,
        results.result_value_published,
        results.result_unit_published,
        results.tokens_per_sample,
        benchmarks.benchmark_id,
        benchmarks.tokens_metric,
        benchmarks.is_unit_rule_checked
    from {{ ref('int_inference__in_force') }} as results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks using (release, benchmark_words)
),

rules as (
    select
        benchmark_id,
        scenario,
        {{ release_number('release_from') }} as first_release,
        coalesce({{ release_number('release_to') }}, 999999) as last_release,
        result_unit
    from {{ ref('stg_reference__mlperf_inference_metrics') }}
),

ruled as (
    select
        results.*,
        rules.result_unit as rule_unit,
        coalesce(rules.benchmark_id = results.benchmark_id, false) as is_rule_of_benchmark
    from results
    left join rules
        on results.scenario = rules.scenario
        and results.release_number between rules.first_release and rules.last_release
        and (rules.benchmark_id = results.benchmark_id or rules.benchmark_id = '*')
    qualify row_number() over (partition by results.result_number order by rules.benchmark_id = '*') = 1
),

units as (select * from {{ ref('stg_reference__mlperf_units') }}),

worded as (
    select
        ruled.*,
        units.unit as word_unit,
        coalesce(units.is_override, false) as is_unit_override
    from ruled
    left join units on lower(ruled.result_unit_published) = units.unit_published
),

-- A rule of the benchmark itself wins over the published word. The default rule of a scenario does not win over a word
-- that no seed knows, nor over the word of a benchmark that the shipped seed lacks.
true_unit as (
    select
        *,
        case
            when is_rule_of_benchmark then rule_unit
            when result_unit_published is not null and word_unit is null then {{ unmapped('result_unit_published') }}
            when is_unit_rule_checked then coalesce(rule_unit, word_unit)
            else coalesce(word_unit, rule_unit)
        end as unit
    from worded
),

converted as (
    select
        true_unit.*,
        -- one unit a column: seconds become milliseconds
        true_unit.result_value_published * coalesce(units.factor, 1) as result,
        coalesce(units.result_unit, true_unit.unit) as result_unit
    from true_unit
    left join units on true_unit.unit = units.unit_published
)

select
    result_number,
    result,
    result_unit,
    {{ output_tokens_per_s('result_value_published', 'unit', 'tokens_metric', 'tokens_per_sample') }}
        as output_tokens_per_s,
    case
        when unit in ('samples/s', 'queries/s') and tokens_metric and tokens_per_sample is not null
            then 'converted'
        when unit is distinct from word_unit and {{ is_mapped('unit') }} then 'corrected'
        else 'published'
    end as unit_basis,
    word_unit is not null as is_unit_word_known,
    is_unit_override
from converted
