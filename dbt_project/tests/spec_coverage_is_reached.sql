{{ config(severity = 'warn') }}
with wanted as (
    {% for attribute in var('spec_two_sources_floor_pct') %}
    select '{{ attribute }}' as attribute
    {%- if not loop.last %} union all{% endif %}
    {% endfor %}
)
select wanted.attribute, coverage.n_parts, coverage.n_unpublished, coverage.published_two_sources_pct, coverage.gaps
from wanted
left join {{ ref('int_specs__coverage') }} as coverage using (attribute)
where coalesce(coverage.published_two_sources_pct, 0) < {{ var('spec_two_sources_pct') }}
