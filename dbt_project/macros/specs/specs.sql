{#- Specifications made equal, and what they make. One home for each formula. -#}

{#- 2:4 structured sparsity doubles the printed rate; where a part's does not (FP4 of Blackwell Ultra: 4/3), its sources
    print the dense rate too, and that one is read. -#}
{% macro spec_dense(value, is_sparse) -%}
    (case when {{ is_sparse }} then {{ value }} / 2 else {{ value }} end)
{%- endmacro %}

{#- Memory parts are made of 2^30 bytes and sold as GB: 192 GB and 192 GiB name the same stacks. So a figure with a
    binary prefix counts by its own digits (81,559 MiB are 79.6 of these GB), not by 10^9 bytes. Rates are not memory:
    there GiB/s is 2^30 bytes a second. -#}
{% macro spec_nominal_gb(value, unit_published) -%}
    (case when regexp_matches({{ unit_published }}, '^[KMGT]i') then {{ value }} * 1e9 / 1073741824 else {{ value }} end)
{%- endmacro %}

{#- An hour's price for each unit of what it rents. -#}
{% macro usd_per_hour_for(usd_per_accelerator_hour, quantity) -%}
    ({{ usd_per_accelerator_hour }} / nullif({{ quantity }}, 0))
{%- endmacro %}
