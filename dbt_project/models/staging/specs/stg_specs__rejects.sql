{{ staged_rejects('spec_rejects') }}
