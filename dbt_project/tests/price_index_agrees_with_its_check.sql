{{ config(severity = 'warn') }}
select accelerator_id, pricing_model, month, round(index, 1) as index, round(tpd_check, 1) as tpd_check, n_sellers, moved_by
from {{ ref('mart_price_index') }}
where abs(index - tpd_check) > {{ var('price_index_check_points') }}
