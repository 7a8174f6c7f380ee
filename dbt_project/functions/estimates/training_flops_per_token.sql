{{ model_flops_per_token('parameter_count', 'layer_count', 'hidden', 'sequence_len') }}
