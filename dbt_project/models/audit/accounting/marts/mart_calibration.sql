-- How wrong estimates were in past cases, one row per estimator and kind of case.
{% for model in ['prices', 'training', 'energy', 'capital', 'best_of_round'] -%}
select
    estimator,
    case_kind,
    held_out,
    cast(computed_from as date) as computed_from,
    cast(computed_to as date) as computed_to,
    n_cases,
    n_groups,
    median_error_pct,
    p90_error_pct,
    bias_pct,
    cast(nominal_pct as double) as nominal_pct,
    inside_pct,
    median_high_over_low,
    quantile_low,
    quantile_high,
    is_sufficient,
    reason,
    sentence
from {{ ref('int_calibration__' ~ model) }}
{% if not loop.last %}union all by name
{% endif %}
{%- endfor %}
