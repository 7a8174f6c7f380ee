{{ config(severity='warn') }}
select rate_id, published_usd_per_accelerator_hour, same_date_usd_per_accelerator_hour, explanation
from {{ ref('int_tco__published_rates') }}
where tier <> 'maker' and agreement in ('differs', 'calibrated', 'reproduced')
    and abs(same_date_ratio - 1) > {{ var('tco_rate_tolerance_pct') }} / 100.0
