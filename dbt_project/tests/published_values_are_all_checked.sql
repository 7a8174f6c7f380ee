{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'mart_published_values'}}}) }}
select printed.value_id, judged.status, judged.cause, judged.cause_note
from {{ ref('published_values') }} as printed
left join {{ ref('mart_published_values') }} as judged using (value_id)
where judged.value_id is null
    or judged.cause = 'unexplained'
    or (judged.status in ('cannot be checked', 'not quantitative', 'not reproduced')
        and trim(coalesce(judged.cause_note, '')) = '')
    or (judged.status in ('reproduced', 'consistent', 'not reproduced') and judged.ours is null and judged.ours_text is null)
