{{ staged_reconciliation('mlperf_inference_reconciliation') }}
