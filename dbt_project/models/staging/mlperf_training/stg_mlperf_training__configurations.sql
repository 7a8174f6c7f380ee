-- One row per configuration file of a training submission.
with

source as (select * from {{ source('raw', 'mlperf_training_configurations') }})

select
    release,
    submitter as submitter_published,
    benchmark as benchmark_published,
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
    source,
    payload_url,
    payload_sha256,
    fetched_at,
    parser_version
from source
