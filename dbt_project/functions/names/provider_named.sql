{{ key_or_error('seller') }}
