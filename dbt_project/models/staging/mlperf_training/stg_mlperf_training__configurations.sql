-- One row per configuration file of a training submission.
select
    * exclude (number_formats, payload_key, payload_bytes, licence)
        rename (submitter as submitter_published, benchmark as benchmark_published, nodes as number_of_nodes),
    string_split(number_formats, ',') as number_formats,
    try_cast(nodes::hugeint * accelerators_per_node as bigint) as accelerator_count,
    concat_ws('/', submitter, 'benchmarks', benchmark_folder, 'implementations', implementation, file) as location
from {{ source('raw', 'mlperf_training_configurations') }}
