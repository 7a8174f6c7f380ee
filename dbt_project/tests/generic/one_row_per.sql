{% test one_row_per(model, columns) %}
-- The grain of a model: these columns together occur once.
select {{ columns | join(', ') }}, count(*) as occurrences
from {{ model }}
group by {{ columns | join(', ') }}
having count(*) > 1
{% endtest %}
