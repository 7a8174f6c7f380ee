-- One row per price list: the account of its last payload.
{{ staged_reconciliation('price_reconciliation') }}
-- a price list is polled again and again: what counts is what its last payload holds
qualify fetched_at = max(fetched_at) over (partition by source, payload_key)
