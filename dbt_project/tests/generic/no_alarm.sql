{% test no_alarm(model, rule, severities) %}
-- Nothing was lost or moved, against the published generation, beyond what this rule allows at this severity.
select problem, remedy, relation, figure, subject, before, after, change_pct
from {{ model }}
where rule = '{{ rule }}' and severity in ('{{ severities | join("', '") }}')
order by abs(change_pct) desc, subject
{% endtest %}
