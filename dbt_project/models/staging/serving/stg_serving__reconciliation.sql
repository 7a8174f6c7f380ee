-- One row per list of measured serving: the account of its last payload.
{{ staged_reconciliation('serving_reconciliation') }}
