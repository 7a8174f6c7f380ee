{{ config(severity = 'warn') }}
{{ config(meta = {'dagster': {'ref': {'name': 'int_specs__coverage'}}}) }}
-- BF16 peak, memory, bandwidth and power of datacenter parts, of those whose maker publishes a figure: the share that has
-- two independent sources has not fallen under what was reached (var spec_two_sources_floor_pct). An attribute with no
-- row is a row. Where the operator withdrew a source, nothing was to be kept. What is wanted is more: the check spec_coverage_is_reached.
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
