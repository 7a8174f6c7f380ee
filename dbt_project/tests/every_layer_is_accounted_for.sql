{{ config(severity = 'error') }}
-- From the payload to the fact, each step's rows in = rows out + rows left out by a named reason; a row is the step that lost some.
select step, layers, source, release, dialect, payload_key, rows_in, rows_out, rows_excluded,
    rows_in - rows_out - rows_excluded as lost
from {{ ref('ops_layer_account') }}
where is_balanced is distinct from true
order by step, source, release
