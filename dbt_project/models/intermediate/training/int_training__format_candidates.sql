{{ config(materialized = 'ephemeral') }}
-- Configuration files that can have made a training result, and the number formats they state. Submitter, benchmark
-- and size must agree; of those that do, the files nearest to the result's system by name stay.
with

results as (
    select
        results.result_id,
        results.release,
        results.submitter_published,
        results.platform,
        results.benchmark_id,
        results.number_of_nodes,
        results.accelerators_per_node,
        results.accelerator_count,
        -- Accelerators that names of configuration files and of systems state; the longer name first. The same list is
        -- in ingest/mlperf/training_formats.py.
        regexp_extract(upper(results.accelerator_name_published), 'GB[23]00|GH200|B[23]00|H[12]00|A100|MI[0-9]{3}X?') as part,
        lower(regexp_replace(results.platform, '[^A-Za-z0-9]', '', 'g')) as platform_word,
        -- a system's name without its count of machines, such as 2xXE9685Lx8B200-SXM-180GB
        lower(regexp_replace(regexp_replace(results.platform, '^[0-9]+x', ''), '[^A-Za-z0-9]', '', 'g')) as machine_word,
        specs.bf16_dense_tflops,
        specs.fp8_dense_tflops,
        specs.fp4_dense_tflops
    from {{ ref('int_training__results') }} as results
    left join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
),

configurations as (
    select
        configurations.*,
        coalesce(benchmarks.benchmark_id, configurations.benchmark_published) as benchmark_id,
        lower(regexp_replace(configurations.implementation, '[^A-Za-z0-9]', '', 'g')) as implementation_word,
        lower(regexp_replace(configurations.file, '[^A-Za-z0-9]', '', 'g')) as file_word
    from {{ ref('stg_mlperf_training__configurations') }} as configurations
    left join {{ ref('int_training__benchmarks') }} as benchmarks using (release, benchmark_published)
),

of_same_size as (
    select
        results.*,
        configurations.file,
        configurations.location,
        configurations.number_formats,
        configurations.evidence,
        configurations.model_tflop_per_sample,
        (
            not contains(configurations.file_word, results.machine_word),
            case
                when configurations.implementation = results.platform then 0
                when contains(configurations.implementation_word, results.platform_word)
                    or contains(results.platform_word, configurations.implementation_word) then 1
                else 2
            end,
            configurations.part_in_name is distinct from nullif(results.part, ''),
            configurations.model_in_name is null,
            configurations.number_of_nodes is distinct from results.number_of_nodes
        ) as distance
    from results
    inner join configurations
        on results.release = configurations.release
        and results.submitter_published = configurations.submitter_published
        and results.benchmark_id = configurations.benchmark_id
        and (
            results.accelerator_count = configurations.accelerator_count
            or (configurations.accelerator_count is null and results.number_of_nodes = configurations.number_of_nodes)
        )
    where (configurations.model_in_name is null or contains(results.benchmark_id, configurations.model_in_name))
        and (
            configurations.part_in_name is null
            or {{ configured_generation('configurations.part_in_name') }} = {{ configured_generation('results.part') }}
        )
),

nearest as (
    select * from of_same_size
    qualify distance = min(distance) over (partition by result_id)
),

-- a file that states no format stays, with a null: then the result's is unknown
by_format as (
    select *, unnest(coalesce(number_formats, [cast(null as varchar)])) as number_format from nearest
)

select
    result_id,
    file,
    location,
    number_format,
    evidence,
    model_tflop_per_sample
from by_format
-- a part without the format cannot have run it
where bf16_dense_tflops is null
    or case number_format when 'fp8' then fp8_dense_tflops when 'fp4' then fp4_dense_tflops else 1 end is not null
