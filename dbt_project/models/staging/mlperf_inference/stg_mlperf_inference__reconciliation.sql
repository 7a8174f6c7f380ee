-- One row per active payload of MLPerf Inference.
{{ staged_reconciliation('mlperf_inference_reconciliation') }}
