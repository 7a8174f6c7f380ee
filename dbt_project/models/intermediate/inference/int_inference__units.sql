{#- A unit of throughput with a scale: k or K, M, G before it, time in s, min or h (kTokens/s, Samples/min). A small m may be
    milli or mega: such a word is no unit. -#}
{%- set unit_with_scale = "'^([kKMG]?)(\\p{L}+/)(s|min|h)$'" -%}
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
        benchmarks.tokens_metric
    from {{ ref('int_inference__in_force') }} as results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks using (release, benchmark_words)
),

rules as (
    {{ with_overrides('mlperf_inference_metrics') }}
),

-- what is in tokens/s, whatever word is published
in_tokens as (
    select results.result_number
    from results
    inner join rules
        on results.benchmark_id = rules.benchmark_id
        and results.scenario = rules.scenario
        and results.release_number >= {{ release_number('rules.release_from') }}
        and results.release_number <= coalesce({{ release_number('rules.release_to') }}, 999999)
    where rules.result_unit = 'tokens/s'
),

units as (
    {{ with_overrides('mlperf_units') }}
),

-- a word is in the seed as it stands, or without its scale: kTokens/s, Samples/min
worded as (
    select
        results.*,
        in_tokens.result_number is not null as is_in_tokens,
        coalesce(units.unit, scaled.unit) as word_unit,
        case when units.unit is null and scaled.unit is not null
            -- Factor that turns a figure in a unit with a scale into one without.
            then (case upper(regexp_extract(results.result_unit_published, {{ unit_with_scale }}, 1)) when 'K' then 1e3 when 'M' then 1e6 when 'G' then 1e9 else 1 end
                / case regexp_extract(results.result_unit_published, {{ unit_with_scale }}, 3) when 'min' then 60 when 'h' then 3600 else 1 end) else 1 end as scale,
        coalesce(units.is_override, scaled.is_override, false) as is_unit_override
    from results
    left join in_tokens on results.result_number = in_tokens.result_number
    left join units on lower(results.result_unit_published) = units.unit_published
    -- The unit itself, as seed mlperf_units has it: tokens/s.
    left join units as scaled on (lower(regexp_extract(results.result_unit_published, {{ unit_with_scale }}, 2)) || 's') = scaled.unit_published
),

-- A published word that no seed knows, or none, gives no unit, whatever the rule of the benchmark. The rule corrects the two
-- words that rounds have put on figures in tokens/s (v4.0 to v6.1); any other known word is right.
true_unit as (
    select
        *,
        case
            when result_unit_published is not null and word_unit is null then {{ unmapped('result_unit_published') }}
            when is_in_tokens and word_unit in ('samples/s', 'queries/s') and scale = 1 then 'tokens/s'
            -- a query of these scenarios is one sample; MLCommons' publications have queries/s
            when scenario in ('Server', 'Interactive') and word_unit = 'samples/s' then 'queries/s'
            else word_unit
        end as unit
    from worded
),

converted as (
    select
        true_unit.*,
        true_unit.result_value_published * true_unit.scale as value,
        -- one unit a column: seconds become milliseconds
        true_unit.result_value_published * true_unit.scale * coalesce(units.factor, 1) as result,
        coalesce(units.result_unit, true_unit.unit) as result_unit
    from true_unit
    left join units on true_unit.unit = units.unit_published
)

select
    result_number,
    result,
    result_unit,
    {{ output_tokens_per_s('value', 'unit', 'tokens_metric', 'tokens_per_sample') }} as output_tokens_per_s,
    case
        when scale <> 1 then 'scaled'
        when unit in ('samples/s', 'queries/s') and tokens_metric and tokens_per_sample is not null
            then 'converted'
        when unit is distinct from word_unit and {{ is_mapped('unit') }} then 'corrected'
        else 'published'
    end as unit_basis,
    word_unit is not null as is_unit_word_known,
    is_unit_override
from converted
