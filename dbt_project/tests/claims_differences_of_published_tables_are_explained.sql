{{ config(severity = 'warn') }}
-- A difference that rounding does not make has a cause written beside it.
select row_id, table_id, metric, theirs, ours, difference_pct, rounding_pct
from {{ ref('mart_published_tables') }}
where cause = 'unexplained'
