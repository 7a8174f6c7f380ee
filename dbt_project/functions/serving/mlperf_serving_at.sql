select m.*
from {{ function('mlperf_serving') }}(speed_per_user) as m
where (model is null or m.benchmark_id = {{ function('benchmark_named') }}(model))
    and (accelerator is null or m.accelerator_id = {{ function('accelerator_named') }}(accelerator))
    and (weights is null or m.number_format = weights)
order by m.is_guaranteed desc, m.benchmark_id asc, m.rent_usd_per_output_mtok asc, m.accelerator_id asc, m.tpot_limit_ms asc
