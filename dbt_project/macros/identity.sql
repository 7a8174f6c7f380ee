{#- Identity of a source's words, one rule for accelerators, benchmarks, scenarios, submitters, units, sellers, regions and
    instance types: the best row of a reference seed (with the user's overrides, macro with_overrides) gives the key, and
    words that no row maps have the key `unmapped:<words>`. -#}

{#- Each row of `names` with `columns` of the row of `seed` that fits it best: a query of its own.

    names       relation or query with the words; called `names` in the expressions below
    seed        relation or query with the mapping; called `seed`
    condition   SQL: whether a row of the seed maps a name
    per         columns of `names` that tell one name from another
    preference  SQL expressions, the most important first: the row that sorts first wins
    columns     columns and expressions of the seed to add, as `name` or `name as other_name`
    is_inner    whether names that no row maps are left out; otherwise their columns of the seed are null -#}
{% macro best_match(names, seed, condition, per, preference, columns, is_inner=false) -%}
    select
        names.*
        {%- for column in columns %},
        seed.{{ column }}
        {%- endfor %}
    from {{ names }} as names
    {{ 'inner' if is_inner else 'left' }} join {{ seed }} as seed
        on {{ condition }}
    qualify row_number() over (
        partition by {% for column in per %}names.{{ column }}{{ ', ' if not loop.last }}{% endfor %}
        order by {{ preference | join(', ') }}
    ) = 1
{%- endmacro %}

{#- The key that a seed gives, or `unmapped:<words>`: unmapped:AMD Instinct MI455X. -#}
{% macro key_or_unmapped(key, words) -%}
    coalesce({{ key }}, {{ unmapped(words) }})
{%- endmacro %}

{#- The key of words that no seed maps. -#}
{% macro unmapped(words) -%}
    ('unmapped:' || {{ words }})
{%- endmacro %}

{#- Whether a key stands for a name that a seed maps. Null keys do not. -#}
{% macro is_mapped(key) -%}
    coalesce(not starts_with({{ key }}, 'unmapped:'), false)
{%- endmacro %}
