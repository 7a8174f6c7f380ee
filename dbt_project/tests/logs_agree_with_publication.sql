{{ config(severity = 'warn') }}
-- Folders whose log does not give the published figure, or that stand in one of the two only.
select release, location, agreement, power_agreement, result_from_collection, result_from_log, result_difference_pct
from {{ ref('mart_inference_source_agreement') }}
where agreement in ('differs', 'log_only', 'published_only') or power_agreement in ('differs', 'log_unreadable')
