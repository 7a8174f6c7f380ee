{{ staged_rejects('mlperf_inference_rejects') }}
