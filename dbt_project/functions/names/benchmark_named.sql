{{ key_or_error(ref('dim_benchmark'), 'benchmark_id', 'benchmark') }}
