{{ usd_per_output_mtok('usd_per_accelerator_hour', 'output_tokens_per_s_per_accelerator') }}
