{{ usd_per_total_mtok('usd_per_output_mtok', 'input_length', 'output_length') }}
