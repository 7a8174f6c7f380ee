-- Energy of a token, before and after PUE, with low and high. Measured: the spread of the measured results of the same
-- accelerator, benchmark, scenario and round. Modelled: all-in power ÷ the median error of its model against metered systems,
-- from its highest to its lowest error. Measured and modelled never share a row.
{% set kinds = ['output', 'trained'] %}
with

powered as (select * from {{ ref('int_energy__powered') }}),

{% set peers -%}
    partition by power_basis, suite_kind, release, division, suite, benchmark_id, scenario, accelerator_id, variant, is_derived
{%- endset %}
counted as (
    select
        *,
        case when power_basis = 'measured' then count(distinct coalesce(run_group_id, result_id)) over ({{ peers }}) end
            as n_results
    from powered
),

-- one measured result has no spread
ranged as (
    select
        * exclude (low_ratio, high_ratio, uncertainty_basis),
        {% for kind in kinds -%}
        {% for side, aggregate in {'low': 'min', 'high': 'max'}.items() -%}
        {% set figure = 'j_per_' ~ kind ~ '_token' -%}
        case
            when power_basis = 'modelled' then {{ figure }} * {{ side }}_ratio
            when n_results > 1 then {{ aggregate }}({{ figure }}) over ({{ peers }})
        end as j_{{ kind }}_{{ side }},
        {% endfor -%}
        {% endfor -%}
        case
            when power_basis = 'modelled' then uncertainty_basis
            when n_results > 1 then 'spread of results'
            else 'one result'
        end as uncertainty_basis
    from counted
)

select
    concat_ws('#', result_id, power_basis) as energy_id,
    suite_kind,
    result_id,
    release,
    division,
    suite,
    submission_id,
    submitter,
    system_name,
    benchmark_id,
    scenario,
    accelerator_id,
    accelerator_count,
    number_format,
    variant,
    is_derived,
    is_same_run_as_99_9,
    power_basis,
    power_model,
    power_scope,
    all_in_watts_per_accelerator,
    watts_per_accelerator,
    pue,
    {{ with_pue('watts_per_accelerator', 'pue') }} as watts_per_accelerator_with_pue,
    result_unit,
    throughput_per_accelerator,
    j_per_unit_before_pue,
    output_tokens_per_s_per_accelerator,
    j_per_output_token_before_pue,
    {% for basis in ['measured', 'modelled'] -%}
    {% for side, figure in {'': 'j_per_output_token', '_low': 'j_output_low', '_high': 'j_output_high'}.items() -%}
    case when power_basis = '{{ basis }}' and j_per_output_token is not null then {{ figure }} end
        as j_per_output_token_{{ basis }}{{ side }},
    {% endfor -%}
    {% endfor -%}
    {{ tokens_per_kwh('j_per_output_token') }} as output_tokens_per_kwh,
    {{ tokens_per_household_year('j_per_output_token', 'household_kwh') }} as output_tokens_per_household_year,
    {% for basis in ['measured', 'modelled'] -%}
    {% for side, figure in {'': 'j_per_output_token', '_low': 'j_output_low', '_high': 'j_output_high'}.items() -%}
    case when power_basis = '{{ basis }}' and j_per_output_token is not null then {{ kg_co2e_per_mtok(figure, 'kg_co2e_per_kwh') }} end
        as kg_co2e_per_output_mtok_{{ basis }}{{ side }},
    {% endfor -%}
    {% endfor -%}
    trained_tokens_per_s_per_accelerator,
    j_per_trained_token_before_pue,
    j_per_trained_token,
    {% for basis in ['measured', 'modelled'] -%}
    {% for side, figure in {'': 'j_per_trained_token', '_low': 'j_trained_low', '_high': 'j_trained_high'}.items() -%}
    case when power_basis = '{{ basis }}' and j_per_trained_token is not null then {{ figure }} end
        as j_per_trained_token_{{ basis }}{{ side }},
    {% endfor -%}
    {% endfor -%}
    {{ tokens_per_kwh('j_per_trained_token') }} as trained_tokens_per_kwh,
    {{ tokens_per_household_year('j_per_trained_token', 'household_kwh') }} as trained_tokens_per_household_year,
    {% for basis in ['measured', 'modelled'] -%}
    {% for side, figure in {'': 'j_per_trained_token', '_low': 'j_trained_low', '_high': 'j_trained_high'}.items() -%}
    case when power_basis = '{{ basis }}' and j_per_trained_token is not null then {{ kg_co2e_per_mtok(figure, 'kg_co2e_per_kwh') }} end
        as kg_co2e_per_trained_mtok_{{ basis }}{{ side }},
    {% endfor -%}
    {% endfor -%}
    grid_id,
    kg_co2e_per_kwh,
    n_results,
    n_model_systems,
    n_model_checks,
    model_error_pct_low,
    model_error_pct_median,
    model_error_pct_high,
    uncertainty_basis,
    case
        when coalesce(j_per_output_token, j_per_trained_token) is null
            then 'no energy of a token: the result is not in tokens'
    end as reason,
    source_url
from ranged
