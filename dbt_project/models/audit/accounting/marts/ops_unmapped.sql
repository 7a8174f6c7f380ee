{#- Names that no seed maps, with a line for the seed that would map them. Rows that carry such a name are published
    under the key `unmapped:<name>` and stay out of the figures that left_out_of lists. -#}
with

inference as (select * from {{ ref('fct_inference_result') }}),

training as (select * from {{ ref('fct_training_result') }}),

prices as (
    select *, 'offer/' || offer_id as example_id from {{ ref('int_price__judged') }}
),

results as (
    select result_id, release, source_url, accelerator_name_published, accelerator_id, submitter, submitter_id
    from inference
    union all
    select result_id, release, source_url, accelerator_name_published, accelerator_id, submitter, submitter_id
    from training
),

accelerators as (
    select
        'accelerator' as kind,
        accelerator_name_published as words,
        {{ unmapped_evidence() }},
        'figures per accelerator, efficiency, cost, energy' as left_out_of,
        'accelerator_aliases.csv' as seed_file,
        {{ csv_line([
            "'^' || regexp_escape(trim(accelerator_name_published)) || '$'", 'null', slug('accelerator_name_published'),
            '1', "'false'", "'name as published'"
        ]) }} as seed_line
    from results
    where not {{ is_mapped('accelerator_id') }} and accelerator_id is not null
    group by accelerator_name_published
),

benchmarks as (
    select
        'benchmark' as kind,
        substr(benchmark_id, length('unmapped:') + 1) as words,
        {{ unmapped_evidence() }},
        'figures per accelerator, comparisons by benchmark, cost, energy' as left_out_of,
        'mlperf_benchmarks.csv' as seed_file,
        {{ csv_line([
            'words', 'words', "'not classified'", 'words', 'null', 'first_release', 'null',
            "bool_or(result_unit = 'tokens/s')", 'null', 'any_value(source_url)'
        ]) }} as seed_line
    from inference
    where benchmark_id is not null and not {{ is_mapped('benchmark_id') }}
    group by benchmark_id
),

training_benchmarks as (
    select
        'benchmark' as kind,
        'training/' || substr(benchmark_id, length('unmapped:') + 1) as words,
        {{ unmapped_evidence() }},
        'comparisons by benchmark, throughput, efficiency, cost' as left_out_of,
        'mlperf_training_models.csv' as seed_file,
        {{ csv_line([
            "substr(benchmark_id, length('unmapped:') + 1)", 'null', 'null', 'null', 'null', "'false'", 'null', 'null', 'null',
            "'name as published'", 'any_value(source_url)'
        ]) }} as seed_line
    from training
    where not {{ is_mapped('benchmark_id') }}
    group by benchmark_id
),

scenarios as (
    select
        'scenario' as kind,
        min(substr(scenario, length('unmapped:') + 1)) as words,
        {{ unmapped_evidence() }},
        'figures per accelerator, comparisons by scenario, cost, energy' as left_out_of,
        'mlperf_scenarios.csv' as seed_file,
        {{ csv_line(["regexp_replace(lower(words), '\\s', '', 'g')", 'words', 'null']) }} as seed_line
    from inference
    where not {{ is_mapped('scenario') }}
    -- names that share a key of the seed are one name
    group by regexp_replace(lower(scenario), '\s', '', 'g')
),

units as (
    select
        'unit' as kind,
        min(substr(result_unit, length('unmapped:') + 1)) as words,
        {{ unmapped_evidence() }},
        'figures per accelerator, cost, energy' as left_out_of,
        'mlperf_units.csv' as seed_file,
        {{ csv_line(['lower(words)', 'words', 'words', '1', 'null']) }} as seed_line
    from inference
    where result_unit is not null and not {{ is_mapped('result_unit') }}
    group by lower(result_unit)
),

submitters as (
    select
        'submitter' as kind,
        submitter as words,
        {{ unmapped_evidence() }},
        'nothing; only spellings of one company are not joined' as left_out_of,
        'mlperf_submitters.csv' as seed_file,
        {{ csv_line(['submitter', slug('submitter'), 'submitter', 'null', 'null']) }} as seed_line
    from results
    where not {{ is_mapped('submitter_id') }}
    group by submitter
),

providers as (
    select
        'provider' as kind,
        provider_published as words,
        {{ unmapped_price_evidence() }},
        'price comparisons, cost per token' as left_out_of,
        'cloud_providers.csv' as seed_file,
        {{ csv_line([
            slug('provider_published'), 'provider_published', "'neocloud'", 'null', 'any_value(source_url)', 'null',
            "'segment is a default: check it'", 'any_value(source_url)'
        ]) }} as seed_line
    from prices
    where not {{ is_mapped('provider') }}
    group by provider_published
),

regions as (
    select
        'region' as kind,
        provider || '/' || region as words,
        {{ unmapped_price_evidence() }},
        'selection of prices by country' as left_out_of,
        'cloud_regions.csv' as seed_file,
        {{ csv_line([
            'provider', 'regexp_escape(region)', 'null', "'unknown'", 'region', 'any_value(source_url)',
            "'state the country, and fixed as country_rule, where they are known'"
        ]) }} as seed_line
    from prices
    where {{ is_mapped('provider') }} and not is_region_known
    group by provider, region
),

instance_types as (
    select
        'instance_type' as kind,
        provider || '/' || instance_type as words,
        {{ unmapped_price_evidence() }},
        'price comparisons, cost per token' as left_out_of,
        'instance_accelerators.csv' as seed_file,
        {{ csv_line([
            'provider', 'regexp_escape(instance_type)', slug('coalesce(any_value(accelerator_published), instance_type)'),
            'max(accelerator_count)', "case when max(accelerator_count) is null then 'num_gpus' else 'fixed' end",
            'any_value(source_url)', "'names as published: check the accelerator'"
        ]) }} as seed_line
    from prices
    where {{ is_mapped('provider') }} and mapping_rule = 'unmapped'
    group by provider, instance_type
),

-- the seeds map them as they map names of MLPerf; the sources have no rounds
serving_points as (
    select *, 'serving/' || point_id as example_id from {{ ref('fct_serving_point') }}
),

serving_accelerators as (
    select
        'accelerator' as kind,
        'serving/' || accelerator_published as words,
        {{ unmapped_price_evidence() }},
        'frontiers of measured serving' as left_out_of,
        'accelerator_aliases.csv' as seed_file,
        {{ csv_line([
            "'^' || regexp_escape(trim(accelerator_published)) || '$'", 'null', slug('accelerator_published'),
            '1', "'false'", "'name as published'"
        ]) }} as seed_line
    from serving_points
    where not {{ is_mapped('accelerator_id') }}
    group by accelerator_published
),

serving_models as (
    select
        'serving_model' as kind,
        model_published as words,
        {{ unmapped_price_evidence() }},
        'frontiers of measured serving' as left_out_of,
        'serving_models.csv' as seed_file,
        {{ csv_line(['model_published', slug('model_published'), 'null', 'any_value(source_url)', "'name as published'"]) }}
            as seed_line
    from serving_points
    where not {{ is_mapped('model_id') }}
    group by model_published
),

unmapped as (
    select * from accelerators
    {%- for kind in ['serving_accelerators', 'serving_models', 'benchmarks', 'training_benchmarks', 'scenarios', 'units', 'submitters', 'providers', 'regions', 'instance_types'] %}
    union all
    select * from {{ kind }}
    {%- endfor %}
)

select
    kind,
    words,
    n_rows,
    first_release,
    example_result_id,
    left_out_of,
    seed_file,
    seed_line
from unmapped
