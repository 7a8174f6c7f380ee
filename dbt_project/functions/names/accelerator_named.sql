{{ key_or_error(ref('dim_accelerator'), 'accelerator_id', 'accelerator') }}
