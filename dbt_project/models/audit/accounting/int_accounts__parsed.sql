{{ config(materialized = 'ephemeral') }}

-- One row per parsed payload: its records, and the rows that the parser made of them.
select
    {{ account_step(
        1, "'payload → raw'", 'records_in', 'rows_out', 'duplicates + merged + rejects + left_out',
        "concat_ws(', ',
        case when duplicates > 0 then duplicates || ' duplicates' end,
        case when merged > 0 then merged || ' merged' end,
        case when rejects > 0 then rejects || ' rejected' end,
        case when left_out > 0 then left_out || ' left out' end
    )", release='release', payload_key='payload_key'
    ) }}
from {{ ref('ops_reconciliation') }}
