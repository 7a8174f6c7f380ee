{{ accelerators_for_load('tokens_a_day', 'tokens_per_s_accelerator', 'utilisation_percent') }}
