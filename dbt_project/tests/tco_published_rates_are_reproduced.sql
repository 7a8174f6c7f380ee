-- Published ownership costs that the formula misses by more than 15 % at capex of the same date: look at the assumptions. A maker's own use is apart.
{{ config(severity='warn') }}
select rate_id, published_usd_per_accelerator_hour, same_date_usd_per_accelerator_hour, explanation
from {{ ref('int_tco__published_rates') }}
where tier <> 'maker' and agreement in ('differs', 'calibrated', 'reproduced')
    and abs(same_date_ratio - 1) > {{ var('tco_rate_tolerance_pct') }} / 100.0
