-- depends_on: {{ ref('int_tco__capex') }}
{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'int_tco__capex'}}}) }}
select * exclude (is_source_of_capex)
from {{ ref('int_tco__published_rates') }}
where not is_source_of_capex and abs(ratio - 1) > {{ var('tco_rate_tolerance_pct') }} / 100.0
