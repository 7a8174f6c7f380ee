{{ config(
    fail_calc = 'coalesce(cast(ceil(max(missing_pct)) as bigint), 0)', warn_if = '> 0', error_if = '> 5',
    meta = {'dagster': {'ref': {'name': 'mart_calibration'}}}
) }}
-- ranges are to hold 95 % of the values: below 90 is a warning, below 85 an error
select estimator, case_kind, inside_pct, median_high_over_low, 90 - inside_pct as missing_pct
from {{ ref('mart_calibration') }}
where is_sufficient and estimator in ('price level', 'training') and inside_pct < 90
