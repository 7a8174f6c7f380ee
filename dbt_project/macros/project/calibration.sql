{#- How wrong estimates were: what the models int_calibration__… share. -#}

{#- Share of the cases that a range is to hold. -#}
{% macro calibration_nominal() -%} 0.95 {%- endmacro %}

{#- Fewer cases, or groups of related ones, give no range. -#}
{% macro is_calibration_sufficient(c) -%} ({{ c }}.n_cases >= 20 and {{ c }}.n_groups >= 10) {%- endmacro %}

{% macro few_cases_words(c) -%}
    format('{} cases in {} groups: a range takes 20 in 10', {{ c }}.n_cases, {{ c }}.n_groups)
{%- endmacro %}

{#- Value at a quantile of rows in groups: `position` is the middle of each row's share of the weight; linear between rows. -#}
{% macro quantile_at(value, position, share) -%}
    coalesce(
        max({{ value }}) filter ({{ position }} <= {{ share }})
        + (min({{ value }}) filter ({{ position }} > {{ share }}) - max({{ value }}) filter ({{ position }} <= {{ share }}))
        * ({{ share }} - max({{ position }}) filter ({{ position }} <= {{ share }}))
        / (min({{ position }}) filter ({{ position }} > {{ share }}) - max({{ position }}) filter ({{ position }} <= {{ share }})),
        max({{ value }}) filter ({{ position }} <= {{ share }}),
        min({{ value }}) filter ({{ position }} > {{ share }})
    )
{%- endmacro %}

{#- One row per kind of case in `cases`: estimator, case_kind, held_out; case_on, its day; vote, its group; error, logarithm of the actual
    value divided by the estimate; is_inside and ln_width of a range made without its group. -#}
{% macro calibration_of(cases) -%}
    select
        judged.estimator,
        judged.case_kind,
        judged.held_out,
        judged.computed_from,
        judged.computed_to,
        judged.n_cases,
        judged.n_groups,
        judged.median_error_pct,
        judged.p90_error_pct,
        judged.bias_pct,
        judged.nominal_pct,
        judged.inside_pct,
        judged.median_high_over_low,
        judged.quantile_low,
        judged.quantile_high,
        {{ is_calibration_sufficient('judged') }} as is_sufficient,
        case when not {{ is_calibration_sufficient('judged') }} then {{ few_cases_words('judged') }} end as reason,
        format('In {} past cases half were within {:.0f} %', judged.n_cases, judged.median_error_pct)
        || coalesce(format('; the range held {:.0f} % of them', judged.inside_pct), '') || '. Those cases are related.' as sentence
    from (
        select
            estimator,
            case_kind,
            held_out,
            min(case_on) as computed_from,
            max(case_on) as computed_to,
            count(*) as n_cases,
            count(distinct vote) as n_groups,
            100 * median(abs(exp(error) - 1)) as median_error_pct,
            100 * quantile_cont(abs(exp(error) - 1), 0.9) as p90_error_pct,
            100 * (exp(median(error)) - 1) as bias_pct,
            100.0 * {{ calibration_nominal() }} as nominal_pct,
            100 * {{ mean('cast(is_inside as integer)') }} as inside_pct,
            exp(median(ln_width)) as median_high_over_low,
            exp(quantile_cont(error, (1 - {{ calibration_nominal() }}) / 2)) as quantile_low,
            exp(quantile_cont(error, (1 + {{ calibration_nominal() }}) / 2)) as quantile_high
        from {{ cases }}
        group by estimator, case_kind, held_out
    ) as judged
{%- endmacro %}
