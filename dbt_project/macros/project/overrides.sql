{#- The rows of a reference seed with the user's overrides of it (folder `overrides/` of the data root, see
    warehouse/decisions/overrides.py). An override replaces the seed's rows of the same key, which is `config.meta.override_key`
    of the seed. Column is_override tells the two apart. While dbt parses, and in unit tests, there is no graph: the seed
    alone is read. -#}
{% macro with_overrides(seed) -%}
with

shipped as (select * from {{ ref(seed) }}),

stated as (select record from {{ ref('stg_accelmart__overrides') }} where seed = '{{ seed }}')
{%- set node = graph.get('nodes', {}).get('seed.' ~ project_name ~ '.' ~ seed) %}
{%- if node %},

overrides as (
    select
        {%- for column in node.columns %}
        cast(record ->> '$.{{ column }}' as {{ node.config.column_types.get(column, 'varchar') }}) as {{ column }}{{ ',' if not loop.last }}
        {%- endfor %}
    from stated
),

kept as (
    select *
    from shipped
    where not exists (
        select 1
        from overrides
        where {% for column in node.config.meta.override_key -%}
            overrides.{{ column }} is not distinct from shipped.{{ column }}{{ ' and ' if not loop.last }}
            {%- endfor %}
    )
)

select *, false as is_override from kept
union all by name
select *, true as is_override from overrides
{%- else %}

select *, false as is_override from shipped
{%- endif %}
{%- endmacro %}

{#- A slug as keys are written: lower case, words joined by hyphens. -#}
{% macro slug(words) -%}
    trim(regexp_replace(lower({{ words }}), '[^a-z0-9.]+', '-', 'g'), '-')
{%- endmacro %}

{#- One row per name that no seed maps: `words` of the rows of a relation that meet a condition, grouped by `keys`, with the first
    round, one of the rows, and the line of the seed that would map it, made of SQL expressions (null is an empty cell). -#}
{% macro unmapped_names(kind, words, relation, condition, keys, excluded_from, seed, cells, candidates='null::varchar') -%}
    select
        '{{ kind }}' as kind,
        {{ words }} as words,
        count(*) as n_rows,
        arg_min(release, {{ release_number('release') }}) as first_release,
        arg_min(result_id, ({{ release_number('release') }}, result_id)) as example_result_id,
        '{{ excluded_from }}' as excluded_from,
        '{{ seed }}.csv' as seed_file,
        concat_ws(','
            {%- for cell in cells -%}
            , case
                when regexp_matches(coalesce(cast({{ cell }} as varchar), ''), '[",\n\r]')
                    then '"' || replace(cast({{ cell }} as varchar), '"', '""') || '"'
                else coalesce(cast({{ cell }} as varchar), '')
            end
            {%- endfor -%}
        ) as seed_line,
        {{ candidates }} as candidates
    from {{ relation }}
    where {{ condition }}
    group by {{ keys }}
{%- endmacro %}
