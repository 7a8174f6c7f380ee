{{ config(severity = 'warn') }}
-- Months in which the chained index and the time-product dummy over the same prices differ by more than some points: an
-- offer that entered or left with an unusual change moves the dummy, so look at the sellers of that month.
select accelerator_id, pricing_model, month, round(index, 1) as index, round(tpd_check, 1) as tpd_check, n_sellers, moved_by
from {{ ref('mart_price_index') }}
where abs(index - tpd_check) > {{ var('price_index_check_points') }}
