{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'fct_training_result'}}}) }}
select
    results.result_id, results.accelerator_id, results.number_format, results.number_format_basis, results.mfu_pct, results.mfu_reason,
    results.number_format_evidence
from {{ ref('fct_training_result') }} as results
inner join {{ ref('int_training__mfu') }} as mfu using (result_id)
where results.mfu_pct > {{ var('mfu_warning_pct') }} or (mfu.is_beyond_peak and results.mfu_reason = mfu.mfu_reason)
