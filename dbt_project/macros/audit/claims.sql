{#- One home for what claims and published tables need beyond formulas.sql, energy.sql and estimate.sql. -#}

{#- Dollars per million trained tokens at full use: the arithmetic of output tokens, with trained ones. -#}
{% macro usd_per_trained_mtok(usd_per_accelerator_hour, trained_tokens_per_s_per_accelerator) -%}
    {{ usd_per_output_mtok(usd_per_accelerator_hour, trained_tokens_per_s_per_accelerator) }}
{%- endmacro %}

{#- Dollars for a run of so many tokens. -#}
{% macro run_cost_usd(usd_per_trained_mtok, trained_tokens) -%}
    ({{ usd_per_trained_mtok }} * {{ trained_tokens }} / 1e6)
{%- endmacro %}

{#- A change of b against a, in per cent. -#}
{% macro change_pct(a, b) -%}
    {{ error_pct(b, a) }}
{%- endmacro %}

{#- A number in words: whole with separators from ten thousand on, else four digits. -#}
{% macro readable(number) -%}
    case when abs({{ number }}) >= 10000 then format('{:,}', cast(round({{ number }}) as bigint))
        else format('{:.4g}', {{ number }}) end
{%- endmacro %}

{#- A semicolon list of a seed's cell; null for an empty cell, which means: whatever there is. -#}
{% macro listed(cell) -%}
    list_transform(string_split({{ cell }}, ';'), lambda word: trim(word))
{%- endmacro %}

{#- How far two sizes lie apart, as a factor of at least 1. -#}
{% macro size_factor(a, b) -%}
    greatest({{ a }} / {{ b }}, {{ b }} / {{ a }})
{%- endmacro %}

{#- The dense peak of a named precision. FP16 runs at BF16's rate on every part whose peak is known for both. -#}
{% macro dense_peak(specs, precision) -%}
    case {{ precision }}
        when 'fp64' then {{ specs }}.fp64_tflops
        when 'fp32' then {{ specs }}.fp32_tflops
        when 'tf32' then {{ specs }}.tf32_dense_tflops
        when 'bf16' then {{ specs }}.bf16_dense_tflops
        when 'fp16' then coalesce({{ specs }}.fp16_dense_tflops, {{ specs }}.bf16_dense_tflops)
        when 'fp8' then {{ specs }}.fp8_dense_tflops
        when 'fp4' then {{ specs }}.fp4_dense_tflops
        when 'int8' then {{ specs }}.int8_dense_tops
    end
{%- endmacro %}

{#- What two training runs are compared by: accelerator-hours, or the minutes of whole runs where a claim names a size
    for each side and they differ. -#}
{% macro training_pace(claims, results) -%}
    case when {{ claims }}.subject_count <> {{ claims }}.baseline_count then {{ results }}.score_minutes
        else {{ results }}.accelerator_hours end
{%- endmacro %}

{#- True where a ratio claimed to be above 1 was measured below it in every case and on every basis, or the other way
    round; a ratio within the tolerance of 1 is a tie. "At most 2" does not say that the ratio is above 1. -#}
{% macro is_direction_wrong(claimed_low, claimed_high, bound, tolerance_pct, measured_lowest, measured_highest) -%}
    (coalesce(
        {{ bound }} <> 'at_most' and {{ claimed_low }} > 1 + {{ tolerance_pct }} / 100
            and {{ measured_highest }} < 1 - {{ tolerance_pct }} / 100
        or {{ bound }} <> 'at_least' and {{ claimed_high }} < 1 - {{ tolerance_pct }} / 100
            and {{ measured_lowest }} > 1 + {{ tolerance_pct }} / 100,
        false))
{%- endmacro %}

{#- What a measured value says about a claim. Tolerance is stated by metric. A bound is kept by whatever lies on
    its far side; "up to" is judged by the best case, both ways. Overstated: what was measured is less than what
    was claimed, in the direction in which the claim grows (for minutes and dollars: downwards). -#}
{% macro claim_verdict(measured, claimed_low, claimed_high, tolerance_pct, bound, claim_grows) -%}
    case
        when {{ measured }} is null then null
        when {{ measured }} between {{ claimed_low }} * (1 - {{ tolerance_pct }} / 100)
            and {{ claimed_high }} * (1 + {{ tolerance_pct }} / 100) then 'holds'
        when {{ bound }} = 'at_least' and {{ measured }} > {{ claimed_high }} then 'holds'
        when {{ bound }} = 'at_most' and {{ measured }} < {{ claimed_low }} then 'holds'
        when ({{ measured }} < {{ claimed_low }}) = ({{ claim_grows }} = 'higher') then 'overstated'
        else 'understated'
    end
{%- endmacro %}

{#- An "up to" over sizes nobody named picks the extreme: where one submitter alone is the baseline, that extreme
    says as much about its tuning as about the part. -#}
{% macro is_extreme_of_one(claims, n_submitters) -%}
    ({{ claims }}.bound = 'up_to' and {{ claims }}.method in ('inference_ratio', 'training_ratio')
        and {{ claims }}.subject_count is null and {{ claims }}.baseline_count is null
        and {{ n_submitters }} < {{ var('claim_best_case_submitters') }})
{%- endmacro %}

{#- Which of several cases a claim is judged by: the strictest reading of its words. -#}
{% macro case_in_point(bound, claim_grows, measured) -%}
    case any_value({{ bound }})
        when 'up_to' then
            case when any_value({{ claim_grows }}) = 'lower' then min({{ measured }}) else max({{ measured }}) end
        when 'at_least' then min({{ measured }})
        when 'at_most' then max({{ measured }})
        else median({{ measured }})
    end
{%- endmacro %}

{#- Rows of a relation for all submitters together, and once more the rival's own ones. -#}
{% macro by_submitters(relation) -%}
    select *, 'all submitters' as submitters from {{ relation }}
    union all
    select *, rival as submitters from {{ relation }} where lower(submitter) = lower(rival)
{%- endmacro %}

{#- Verdict on a comparison: an unmet condition makes it not comparable, and so does a round held in part that does not
    bear the claim out, as a missing result may make the difference. -#}
{% macro verdict_of_comparison() -%}
    case
        when obstacles <> '' then 'not comparable'
        when has_incomplete_round and (is_direction_wrong or bare_verdict <> 'holds') then 'not comparable'
        when is_direction_wrong then 'refuted'
        else bare_verdict
    end
{%- endmacro %}
