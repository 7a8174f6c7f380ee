{{ config(severity = 'warn') }}
select release, location, agreement, power_agreement, result_from_collection, result_from_log, result_difference_pct
from {{ ref('mart_inference_source_agreement') }}
where agreement in ('differs', 'log_only') or (agreement <> 'published_only' and power_agreement in ('differs', 'log_unreadable'))
