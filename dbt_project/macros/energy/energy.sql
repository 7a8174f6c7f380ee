{#- One home for each formula of energy. Before PUE is what IT equipment draws, after PUE what the site draws. -#}

{#- Joules of anything with the overhead of the site. -#}
{% macro with_pue(j_or_w, pue) -%}
    ({{ j_or_w }} * {{ pue }})
{%- endmacro %}

{#- Joules per token (or per anything counted): watts of one accelerator's share ÷ what it does in a second. -#}
{% macro j_per_unit(watts_per_accelerator, units_per_s_per_accelerator) -%}
    ({{ watts_per_accelerator }} / nullif({{ units_per_s_per_accelerator }}, 0))
{%- endmacro %}

{#- Tokens for one kilowatt-hour = 3,600,000 J. -#}
{% macro tokens_per_kwh(j_per_token) -%}
    (3.6e6 / nullif({{ j_per_token }}, 0))
{%- endmacro %}

{#- Tokens for the electricity of one household in a year. -#}
{% macro tokens_per_household_year(j_per_token, household_kwh_per_year) -%}
    ({{ household_kwh_per_year }} * 3.6e6 / nullif({{ j_per_token }}, 0))
{%- endmacro %}

{#- Years of one household's electricity that so many tokens take. -#}
{% macro household_years(tokens, j_per_token, household_kwh_per_year) -%}
    ({{ tokens }} * {{ j_per_token }} / ({{ household_kwh_per_year }} * 3.6e6))
{%- endmacro %}

{#- kg CO2e of a million tokens. -#}
{% macro kg_co2e_per_mtok(j_per_token, kg_co2e_per_kwh) -%}
    ({{ j_per_token }} * 1e6 / 3.6e6 * {{ kg_co2e_per_kwh }})
{%- endmacro %}

{#- Error of a modelled against a measured value. -#}
{% macro error_pct(modelled, measured) -%}
    (({{ modelled }} / nullif({{ measured }}, 0) - 1) * 100)
{%- endmacro %}

{#- A modelled value as it would be if the model had this error (per cent) against a measurement. -#}
{% macro corrected_by_error(modelled, error_pct) -%}
    ({{ modelled }} / (1 + {{ error_pct }} / 100))
{%- endmacro %}

{#- An end of the range of a figure in mart_energy: of a modelled one a ratio of it, else the extreme of several measured results. -#}
{% macro end_of_range(figure, ratio, extreme) -%}
    case
        when power_basis = 'modelled' then {{ figure }} * {{ ratio }}
        when n_results > 1 and {{ figure }} is not null then {{ extreme }}({{ figure }}) over same
    end
{%- endmacro %}

{#- A constant as of its latest year. -#}
{% macro latest_constant(relation, constant_id) -%}
    (select max_by(value, coalesce(year, 0)) from {{ relation }} where constant_id = '{{ constant_id }}')
{%- endmacro %}

{#- Why a token takes more than `max_j_per_token` joules; null where it does not or no limit is given. -#}
{% macro energy_limit_reason(joules, basis) -%}
    case
        when max_j_per_token is null then null
        when {{ joules }} is null then 'the energy of a token is not known'
        when {{ joules }} > {{ argument('max_j_per_token') }} then format('a token takes {:.3g} J, {}', {{ joules }}, {{ basis }})
    end
{%- endmacro %}
