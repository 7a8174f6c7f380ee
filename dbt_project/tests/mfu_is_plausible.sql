{{ config(severity = 'warn') }}
-- Shares of the dense peak that are rare in published training runs, or beyond it, where there is no MFU: look at the
-- number format and its witness.
select result_id, accelerator_id, number_format, number_format_basis, mfu_pct, mfu_reason, number_format_witness
from {{ ref('fct_training_result') }}
where mfu_pct > {{ var('mfu_warning_pct') }} or mfu_reason like 'more than the dense%'
