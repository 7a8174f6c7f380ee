{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'mart_published_values'}}}) }}
-- Every printed value stands in the mart with a status: with ours and a cause, or with why it cannot be checked.
select printed.value_id, checked.status, checked.cause, checked.cause_note
from {{ ref('published_values') }} as printed
left join {{ ref('mart_published_values') }} as checked using (value_id)
where checked.value_id is null
    or checked.cause = 'unexplained'
    or (checked.status in ('cannot be checked', 'not quantitative', 'not reproduced')
        and trim(coalesce(checked.cause_note, '')) = '')
    or (checked.status in ('reproduced', 'consistent', 'not reproduced') and checked.ours is null and checked.ours_text is null)
