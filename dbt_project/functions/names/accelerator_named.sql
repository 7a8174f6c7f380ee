{{ key_or_error('accelerator') }}
