{{ staged_reconciliation('serving_reconciliation') }}
