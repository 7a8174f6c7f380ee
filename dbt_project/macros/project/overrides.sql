{#- The rows of a reference seed with the user's overrides of it (folder `overrides/` of the data root, see
    warehouse/overrides.py). An override replaces the seed's rows of the same key, which is `config.meta.override_key`
    of the seed. Column is_override tells the two apart. While dbt parses, and in unit tests, there is no graph: the seed
    alone is read. -#}
{% macro with_overrides(seed) -%}
with

shipped as (select * from {{ ref(seed) }}),

stated as (select record from {{ source('raw', 'overrides') }} where seed = '{{ seed }}')
{%- set node = graph.get('nodes', {}).get('seed.' ~ project_name ~ '.' ~ seed) %}
{%- if node %},

overrides as (
    select
        {%- for column, type in node.config.column_types.items() %}
        cast(record ->> '$.{{ column }}' as {{ type }}) as {{ column }}{{ ',' if not loop.last }}
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

select
    {%- for column in node.config.column_types %}
    {{ column }},
    {%- endfor %}
    false as is_override
from kept
union all
select
    {%- for column in node.config.column_types %}
    {{ column }},
    {%- endfor %}
    true as is_override
from overrides
{%- else %}

select *, false as is_override from shipped
{%- endif %}
{%- endmacro %}

{#- A line of a CSV file from SQL expressions; null is an empty cell. -#}
{% macro csv_line(cells) -%}
    concat_ws(','
        {%- for cell in cells -%}
        , case
            when regexp_matches(coalesce(cast({{ cell }} as varchar), ''), '[",\n\r]')
                then '"' || replace(cast({{ cell }} as varchar), '"', '""') || '"'
            else coalesce(cast({{ cell }} as varchar), '')
        end
        {%- endfor -%}
    )
{%- endmacro %}

{#- A slug as keys are written: lower case, words joined by hyphens. -#}
{% macro slug(words) -%}
    trim(regexp_replace(lower({{ words }}), '[^a-z0-9.]+', '-', 'g'), '-')
{%- endmacro %}

{#- Evidence for an unmapped name of MLPerf results: rows that carry it, the first round, one of the rows. -#}
{% macro unmapped_evidence() -%}
    count(*) as n_rows,
        arg_min(release, {{ release_number('release') }}) as first_release,
        arg_min(result_id, ({{ release_number('release') }}, result_id)) as example_result_id
{%- endmacro %}

{#- The same for prices, which have no round; the example is an offer. -#}
{% macro unmapped_price_evidence() -%}
    count(*) as n_rows,
        null::varchar as first_release,
        min(example_id) as example_result_id
{%- endmacro %}
