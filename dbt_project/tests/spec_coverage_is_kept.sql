{{ config(severity = 'warn') }}
{{ config(meta = {'dagster': {'ref': {'name': 'int_specs__coverage'}}}) }}
{% set floors = var('spec_two_sources_floor_pct') %}
with wanted as (
    {% for attribute in floors %}
    select '{{ attribute }}' as attribute, cast('{{ floors[attribute] }}' as integer) as floor_pct
    {%- if not loop.last %} union all{% endif %}
    {% endfor %}
)
select wanted.attribute, wanted.floor_pct, coverage.n_parts, coverage.n_unpublished, coverage.published_two_sources_pct, coverage.gaps
from wanted
left join {{ ref('int_specs__coverage') }} as coverage using (attribute)
where coalesce(coverage.published_two_sources_pct, 0) < wanted.floor_pct
    and not exists (select 1 from {{ ref('stg_accelmart__holds') }} as holds
        where holds.action = 'withdraw' and holds.change <> 'ended')
