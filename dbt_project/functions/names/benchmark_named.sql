{{ key_or_error('benchmark') }}
