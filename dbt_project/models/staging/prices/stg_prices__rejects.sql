-- One row per record of the last payload of a price list that is no row, and per remark.
{{ staged_rejects('price_rejects') }}
-- a price list is polled again and again: what counts is what its last payload holds
qualify fetched_at = max(fetched_at) over (partition by source, payload_key)
