{{ config(severity = 'warn') }}
-- More than the dense peak of the stated precision: the run used a lower precision, or the peak is wrong.
select release, submitter, system_name, benchmark_id, accelerator_id, mfu_pct, mfu_precision, mfu_fp8_pct
from {{ ref('fct_training_result') }}
where mfu_pct > 100
