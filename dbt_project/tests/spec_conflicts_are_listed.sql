{{ config(severity = 'warn') }}
select accelerator_id, attribute, source_low, value_min, source_high, value_max, round(spread_pct, 1) as spread_pct, curated_value, known_reason
from {{ ref('mart_spec_agreement') }}
where agreement = 'conflict' and is_datacenter
order by accelerator_id, attribute
