{{ accelerator_hours_for('tokens', 'tokens_per_s_accelerator') }}
