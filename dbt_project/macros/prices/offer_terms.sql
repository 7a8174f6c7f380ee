{#- What makes a price: a change of any of them begins a new interval. -#}
{% macro offer_terms() -%} price, upfront, term_hours, accelerator_count {%- endmacro %}
