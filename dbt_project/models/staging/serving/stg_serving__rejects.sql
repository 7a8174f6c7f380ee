{{ staged_rejects('serving_rejects') }}
