{{ trained_tokens_per_s('mfu_percent', 'flops_token', 'dense_peak_tflop_s') }}
