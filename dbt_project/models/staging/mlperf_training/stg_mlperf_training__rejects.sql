-- One row per record of MLPerf Training that is no row, and per remark.
{{ staged_rejects('mlperf_training_rejects') }}
