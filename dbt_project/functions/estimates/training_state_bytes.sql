{{ training_state_bytes('parameter_count', ref('estimate_constants')) }}
