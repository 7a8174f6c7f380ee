-- One row per benchmark of a system of a training round, with the key of the benchmark.
select results.*, benchmarks.benchmark_id
from {{ ref('stg_mlperf_training__results') }} as results
inner join {{ ref('int_training__benchmarks') }} as benchmarks using (release, benchmark_published)
