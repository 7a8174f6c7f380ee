{#- The columns of one step of the account: rows in = rows out + rows excluded for a named reason. Each argument is an expression. -#}
{% macro account_step(
    step, layers, rows_in, rows_out, rows_excluded='0', exclusion_reasons="''", source='source', release="''", dialect='dialect', payload_key="''"
) -%}
    {{ step }} as step,
    {{ layers }} as layers,
    {{ source }} as source,
    {{ release }} as release,
    {{ dialect }} as dialect,
    {{ payload_key }} as payload_key,
    cast({{ rows_in }} as bigint) as rows_in,
    cast({{ rows_out }} as bigint) as rows_out,
    cast({{ rows_excluded }} as bigint) as rows_excluded,
    {{ exclusion_reasons }} as exclusion_reasons
{%- endmacro %}
