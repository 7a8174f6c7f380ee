with

source as (select * from {{ source('raw', 'mlperf_training_configurations') }}),

benchmarks as (select * from {{ ref('stg_mlperf_training__benchmarks') }})

select
    source.release,
    submitter as submitter_published,
    coalesce(benchmarks.benchmark_id, source.benchmark) as benchmark_id,
    benchmark_folder,
    implementation,
    file,
    nodes as number_of_nodes,
    accelerators_per_node,
    try_cast(nodes::hugeint * accelerators_per_node as bigint) as accelerator_count,
    part_in_name,
    model_in_name,
    string_split(number_formats, ',') as number_formats,
    witness,
    model_tflop_per_sample,
    concat_ws('/', submitter, 'benchmarks', benchmark_folder, 'implementations', implementation, file) as location,
    source.source,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from source
left join benchmarks on source.release = benchmarks.release and source.benchmark = benchmarks.benchmark_published
