{{ usd_per_output_mtok('usd_per_hour', 'tokens_per_s_accelerator') }}
