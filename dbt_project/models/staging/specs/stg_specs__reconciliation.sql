{{ staged_reconciliation('spec_reconciliation') }}
