-- One row per record of MLPerf Inference that is no row, and per remark.
{{ staged_rejects('mlperf_inference_rejects') }}
