select result_id, accelerator_id, number_format, number_format_basis, mfu_pct, number_format_witness
from {{ ref('fct_training_result') }}
where mfu_pct > 100
