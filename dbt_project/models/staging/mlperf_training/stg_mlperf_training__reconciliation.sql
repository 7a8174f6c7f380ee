-- One row per active payload of MLPerf Training.
{{ staged_reconciliation('mlperf_training_reconciliation') }}
