{{ config(meta = {'dagster': {'ref': {'name': 'fct_training_result'}}}) }}
select
    results.result_id,
    formats.model_tflop_per_sample,
    mfu.flops_per_token * models.sequence_length / 1e12 as our_tflop_per_sample
from {{ ref('fct_training_result') }} as results
inner join {{ ref('int_training__number_formats') }} as formats using (result_id)
inner join {{ ref('int_training__mfu') }} as mfu using (result_id)
inner join {{ ref('mlperf_training_models') }} as models using (benchmark_id)
where results.benchmark_id <> 'llama31_8b'
    and abs(mfu.flops_per_token * models.sequence_length / 1e12 / formats.model_tflop_per_sample - 1) > 0.005
