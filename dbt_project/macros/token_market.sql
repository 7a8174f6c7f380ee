{#- Market prices of tokens beside the cost of tokens. The two are shown side by side and never subtracted: a provider's price
    covers more than accelerators, and a cost at full use is nobody's cost. -#}

{#- Dollars per million tokens of input and output together, from those per million output tokens: a request of so many
    input and output tokens costs the same either way. Null where a length is not published. -#}
{% macro usd_per_total_mtok(usd_per_output_mtok, input_tokens, output_tokens) -%}
    ({{ usd_per_output_mtok }} * {{ output_tokens }} / nullif({{ input_tokens }} + {{ output_tokens }}, 0))
{%- endmacro %}

{#- A cost at full use, of machines that are busy so many per cent of the time they are paid for. -#}
{% macro at_use(usd_at_full_use, use_pct) -%}
    ({{ usd_at_full_use }} / ({{ use_pct }} / 100.0))
{%- endmacro %}
