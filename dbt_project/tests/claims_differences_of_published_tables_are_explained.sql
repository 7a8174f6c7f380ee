{{ config(severity = 'warn') }}
select row_id, table_id, metric, theirs, ours, difference_pct, rounding_pct
from {{ ref('mart_published_tables') }}
where cause = 'unexplained'
