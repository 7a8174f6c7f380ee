{#- A unit of throughput with a scale: k or K, M, G before it, time in s, min or h (kTokens/s, Samples/min). A small m may be
    milli or mega: such a word is no unit. -#}
{%- set unit_with_scale = "'^([kKMG]?)(\\p{L}+/)(s|min|h)$'" -%}
-- The true unit of each published figure, and what it is a figure of: benchmark, accelerator and their number. The published unit is
-- sometimes wrong; a seed gives the true one, and the last round in which the published one was seen to be wrong. In a later round the
-- size of the figure decides.
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
        benchmarks.benchmark_family,
        benchmarks.tokens_metric,
        accelerators.accelerator_id,
        specs.architecture,
        counts.accelerator_count
    from {{ ref('int_inference__active') }} as results
    left join {{ ref('int_inference__benchmarks') }} as benchmarks using (release, benchmark_words)
    left join {{ ref('int_inference__accelerator_counts') }} as counts using (result_number)
    left join {{ ref('int_mlperf__accelerators') }} as accelerators on {{ is_of_system('accelerators', 'results') }}
    left join {{ ref('stg_reference__accelerator_specs') }} as specs on accelerators.accelerator_id = specs.accelerator_id
),

rules as (
    {{ with_overrides('mlperf_inference_metrics') }}
),

-- what is in tokens/s by its benchmark, and whether the published word is known to be wrong
in_tokens as (
    select
        results.result_number,
        bool_or(coalesce(results.release_number <= {{ release_number('rules.corrected_to') }}, false)) as is_word_wrong
    from results
    inner join rules
        on results.benchmark_id = rules.benchmark_id
        and results.scenario = rules.scenario
        and results.release_number >= {{ release_number('rules.release_from') }}
        and results.release_number <= coalesce({{ release_number('rules.release_to') }}, 999999)
    where rules.result_unit = 'tokens/s'
    group by results.result_number
),

units as (
    {{ with_overrides('mlperf_units') }}
),

-- a word is in the seed as it stands, or without its scale: kTokens/s, Samples/min
worded as (
    select
        results.*,
        in_tokens.is_word_wrong,
        coalesce(units.unit, scaled.unit) as word_unit,
        case when units.unit is null and scaled.unit is not null
            -- Factor that turns a figure in a unit with a scale into one without.
            then (case upper(regexp_extract(results.result_unit_published, {{ unit_with_scale }}, 1))
                when 'K' then 1e3 when 'M' then 1e6 when 'G' then 1e9 else 1 end
                / case regexp_extract(results.result_unit_published, {{ unit_with_scale }}, 3)
                when 'min' then 60 when 'h' then 3600 else 1 end) else 1 end as scale,
        coalesce(units.is_override, scaled.is_override, false) as is_unit_override,
        results.result_value_published * scale as value,
        -- the benchmark is measured in tokens/s and the word is another throughput, or the reverse
        coalesce(
            case when word_unit = 'tokens/s' then not results.tokens_metric and {{ is_mapped('results.benchmark_id') }}
                else in_tokens.result_number is not null and {{ is_throughput('word_unit') }} end,
            false
        ) as is_contradicting,
        is_contradicting and coalesce(in_tokens.is_word_wrong and scale = 1, false) as is_corrected
    from results
    left join in_tokens on results.result_number = in_tokens.result_number
    left join units on lower(results.result_unit_published) = units.unit_published
    -- The unit itself, as seed mlperf_units has it: tokens/s.
    left join units as scaled on (lower(regexp_extract(results.result_unit_published, {{ unit_with_scale }}, 2)) || 's') = scaled.unit_published
),

-- what one accelerator does on the benchmark: the part itself, else its generation
usual as (
    select
        benchmark_id, scenario, architecture, accelerator_id,
        median(value / accelerator_count) as tokens_per_s,
        grouping(accelerator_id) as is_of_generation
    from worded
    where (is_corrected or (word_unit = 'tokens/s' and not is_contradicting)) and accelerator_count > 0
    group by grouping sets ((benchmark_id, scenario, architecture, accelerator_id), (benchmark_id, scenario, architecture))
),

-- tokens/s are far more than samples/s: a figure near the usual one is in tokens/s
sized as (
    select
        worded.*,
        worded.is_contradicting and worded.word_unit <> 'tokens/s' and coalesce({{ is_near_peers(
            'worded.value / worded.accelerator_count', 'coalesce(of_part.tokens_per_s, of_generation.tokens_per_s)',
            var('peers_all_rounds_factor')
        ) }}, false) as is_of_size
    from worded
    left join usual as of_part
        on of_part.is_of_generation = 0 and worded.benchmark_id = of_part.benchmark_id and worded.scenario = of_part.scenario
        and worded.accelerator_id = of_part.accelerator_id
    left join usual as of_generation
        on of_generation.is_of_generation = 1 and worded.benchmark_id = of_generation.benchmark_id
        and worded.scenario = of_generation.scenario and worded.architecture = of_generation.architecture
),

-- A published word that no seed knows, or none, gives no unit, whatever the rule of the benchmark.
true_unit as (
    select
        *,
        case
            when result_unit_published is not null and word_unit is null then {{ unmapped('result_unit_published') }}
            when is_corrected or is_of_size then 'tokens/s'
            -- a query of these scenarios is one sample; MLCommons' publications have queries/s
            when scenario in ('Server', 'Interactive') and word_unit = 'samples/s' then 'queries/s'
            else word_unit
        end as unit,
        is_contradicting and not (is_corrected or is_of_size) as is_undecided
    from sized
),

converted as (
    select
        true_unit.*,
        -- one unit a column: seconds become milliseconds
        true_unit.value * coalesce(units.factor, 1) as result,
        coalesce(units.result_unit, true_unit.unit) as result_unit
    from true_unit
    left join units on true_unit.unit = units.unit_published
)

select
    result_number,
    benchmark_id,
    benchmark_family,
    accelerator_id,
    accelerator_count,
    result,
    result_unit,
    case when not is_undecided
        then {{ output_tokens_per_s('value', 'unit', 'tokens_metric', 'tokens_per_sample') }} end as output_tokens_per_s,
    case
        when is_undecided then 'contradictory'
        when is_of_size and not is_corrected then 'corrected_by_size'
        when scale <> 1 then 'scaled'
        when unit in ('samples/s', 'queries/s') and tokens_metric and tokens_per_sample is not null
            then 'converted'
        when (unit is distinct from word_unit) and {{ is_mapped('unit') }} then 'corrected'
        else 'published'
    end as unit_basis,
    is_unit_override
from converted
