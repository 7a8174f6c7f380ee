{{ key_or_error(ref('mart_tco'), 'scenario_id', 'ownership scenario') }}
