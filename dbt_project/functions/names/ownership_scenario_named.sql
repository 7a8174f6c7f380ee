{{ key_or_error('ownership scenario') }}
