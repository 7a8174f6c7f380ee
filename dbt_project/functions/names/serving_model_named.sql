{{ key_or_error(ref('mart_serving_frontier'), 'model_id', 'model of measured serving') }}
