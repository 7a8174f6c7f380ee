tokens_a_day / nullif(86400 * tokens_per_s_accelerator * utilisation_percent / 100.0, 0)
