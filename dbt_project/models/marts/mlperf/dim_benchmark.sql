-- One row per MLPerf Inference benchmark, by MLCommons' model key, and per key that is not mapped.
with

benchmarks as (select * from {{ ref('stg_reference__mlperf_benchmarks') }}),

results as (select benchmark_id, benchmark_family, release from {{ ref('fct_inference_result') }}),

versions as (
    select
        benchmark_id,
        max(benchmark_version) as benchmark_version,
        string_agg(
            benchmark_version || ': ' || data_set || ', ' || first_release || coalesce(' to ' || last_release, ' on'), '; '
            order by benchmark_version
        ) as benchmark_versions
    from {{ ref('mlperf_benchmark_versions') }}
    where suite_kind = 'inference'
    group by benchmark_id
),

-- names that no seed maps have a row too, so that joins hold
known as (
    select * from benchmarks
    union all by name
    select
        benchmark_id,
        any_value(benchmark_family) as benchmark_family,
        arg_min(release, {{ release_number('release') }}) as first_release,
        'no seed maps this name, see ops_unmapped' as description,
        false as is_override
    from results
    where benchmark_id is not null and not {{ is_mapped('benchmark_id') }}
    group by benchmark_id
)

select
    known.benchmark_id,
    coalesce(versions.benchmark_version, 1) as benchmark_version,
    versions.benchmark_versions,
    known.benchmark_family,
    'inference' as suite_kind,
    known.task,
    known.model_name,
    known.accuracy_target,
    known.first_release,
    known.last_release,
    known.description,
    lengths.mean_input_length,
    lengths.mean_output_length,
    lengths.source_url as token_lengths_source_url,
    models.model_id,
    coalesce(architectures.parameters, models.parameters)::double as model_parameters,
    known.source_url,
    {{ is_mapped('known.benchmark_id') }} as is_mapped,
    known.is_override
from known
left join versions using (benchmark_id)
left join {{ ref('benchmark_token_lengths') }} as lengths on known.benchmark_family = lengths.benchmark_family
left join {{ ref('benchmark_models') }} as models on known.benchmark_family = models.benchmark_family
left join {{ ref('model_architectures') }} as architectures on models.model_id = architectures.model_id
