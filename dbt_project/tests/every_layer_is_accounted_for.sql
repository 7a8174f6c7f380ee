{{ config(severity = 'error') }}
select step, layers, source, release, dialect, payload_key, rows_in, rows_out, rows_excluded,
    rows_in - rows_out - rows_excluded as lost
from {{ ref('ops_layer_account') }}
where is_balanced is distinct from true
order by step, source, release
