{{ j_per_unit(with_pue('watts', 'facility_pue'), 'tokens_per_s_accelerator') }}
