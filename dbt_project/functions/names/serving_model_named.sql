{{ key_or_error('serving model') }}
