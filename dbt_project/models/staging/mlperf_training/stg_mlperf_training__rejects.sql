{{ staged_rejects('mlperf_training_rejects') }}
