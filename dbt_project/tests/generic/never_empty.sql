{% test never_empty(model, columns) %}
-- These columns are filled in every row: one query for all of them, each gap with the name of its column.
{% for column in columns %}
select '{{ column }}' as empty_column, count(*) as rows_without from {{ model }} where {{ column }} is null having count(*) > 0
{% if not loop.last %}union all{% endif %}
{% endfor %}
{% endtest %}
