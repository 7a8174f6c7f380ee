-- One row per specification: the account of its last payload.
{{ staged_reconciliation('spec_reconciliation') }}
