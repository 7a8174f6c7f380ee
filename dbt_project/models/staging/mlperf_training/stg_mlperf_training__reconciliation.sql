{{ staged_reconciliation('mlperf_training_reconciliation') }}
