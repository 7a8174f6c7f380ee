-- One row per name that no seed maps, or that several accelerators have, with a line for the seed that would map it. Rows that carry
-- such a name are published under the key `unmapped:<name>` and stay out of the figures that excluded_from lists.
{% set name_of_benchmark = "substr(benchmark_id, length('unmapped:') + 1)" %}
{% set alias = ["'^' || regexp_escape(trim(accelerator_name)) || '$'", 'null', slug('accelerator_name'), '1', "'false'",
    "coalesce('one of ' || max(candidates), 'name as published')"] %}
with

inference as (select * from {{ ref('fct_inference_result') }}),

training as (select * from {{ ref('fct_training_result') }}),

results as (
    select published.*, accelerators.accelerator_name_published as accelerator_name, accelerators.candidates
    from (
        select result_id, release, source_url, accelerator_name_published, platform, system_name, accelerator_id, submitter, submitter_id
        from inference
        union all
        select result_id, release, source_url, accelerator_name_published, platform, system_name, accelerator_id, submitter, submitter_id
        from training
    ) as published
    left join {{ ref('int_mlperf__accelerators') }} as accelerators on {{ is_of_system('accelerators', 'published') }}
),

-- prices and measured serving have no rounds
prices as (
    select
        judged.*, intervals.* exclude (intervals.interval_number), 'offer/' || intervals.offer_id as result_id, null::varchar as release
    from {{ ref('int_price__checked') }} as judged
    inner join {{ ref('int_price__intervals') }} as intervals using (interval_number)
),

points as (
    select
        facts.*, 'serving/' || facts.point_id as result_id, null::varchar as release, facts.accelerator_published as accelerator_name,
        named.candidates
    from {{ ref('fct_serving_point') }} as facts
    inner join (select distinct source, accelerator_published, candidates from {{ ref('int_serving__points') }}) as named
        using (source, accelerator_published)
)

{{ unmapped_names(
    'accelerator', 'accelerator_name', 'results', 'accelerator_id is not null and not ' ~ is_mapped('accelerator_id'), 'accelerator_name',
    'figures per accelerator, efficiency, cost, energy', 'accelerator_aliases', alias, "max(candidates)") }}
union all
{{ unmapped_names(
    'accelerator', "'serving/' || accelerator_name", 'points', 'not ' ~ is_mapped('accelerator_id'), 'accelerator_name',
    'frontiers of measured serving', 'accelerator_aliases', alias, "max(candidates)") }}
union all
{{ unmapped_names(
    'serving_model', 'model_published', 'points', 'not ' ~ is_mapped('model_id'), 'model_published',
    'frontiers of measured serving', 'serving_models',
    ['model_published', slug('model_published'), 'null', 'min(source_url)', "'name as published'"]) }}
union all
{{ unmapped_names(
    'benchmark', name_of_benchmark, 'inference', 'benchmark_id is not null and not ' ~ is_mapped('benchmark_id'), 'benchmark_id',
    'figures per accelerator, comparisons by benchmark, cost, energy', 'mlperf_benchmarks',
    ['words', 'words', "'not classified'", 'words', 'null', 'first_release', 'null', "bool_or(result_unit = 'tokens/s')", 'null',
        'min(source_url)']) }}
union all
{{ unmapped_names(
    'benchmark', "'training/' || " ~ name_of_benchmark, 'training', 'not ' ~ is_mapped('benchmark_id'), 'benchmark_id',
    'comparisons by benchmark, throughput, efficiency, cost', 'mlperf_training_models',
    [name_of_benchmark, 'null', 'null', 'null', 'null', 'null', 'null', "'false'", 'null', 'null', 'null', "'name as published'",
        'min(source_url)']) }}
union all
-- scenarios and units that share a key of the seed are one name
{{ unmapped_names(
    'scenario', "min(substr(scenario, length('unmapped:') + 1))", 'inference', 'not ' ~ is_mapped('scenario'),
    "regexp_replace(lower(scenario), '\\s', '', 'g')",
    'figures per accelerator, comparisons by scenario, cost, energy', 'mlperf_scenarios',
    ["regexp_replace(lower(words), '\\s', '', 'g')", 'words', 'null']) }}
union all
{{ unmapped_names(
    'unit', "min(substr(result_unit, length('unmapped:') + 1))", 'inference',
    'result_unit is not null and not ' ~ is_mapped('result_unit'), 'lower(result_unit)',
    'figures per accelerator, cost, energy', 'mlperf_units', ['lower(words)', 'words', 'words', '1', 'null']) }}
union all
{{ unmapped_names(
    'submitter', 'submitter', 'results', 'not ' ~ is_mapped('submitter_id'), 'submitter',
    'nothing; only spellings of one company are not joined', 'mlperf_submitters',
    ['submitter', slug('submitter'), 'submitter', 'null', 'null']) }}
union all
{{ unmapped_names(
    'provider', 'provider_published', 'prices', 'not ' ~ is_mapped('provider'), 'provider_published',
    'price comparisons, cost per token', 'cloud_providers',
    [slug('provider_published'), 'provider_published', "'neocloud'", 'null', 'min(source_url)', 'null',
        "'segment is a default: check it'", 'min(source_url)']) }}
union all
{{ unmapped_names(
    'region', "provider || '/' || region", 'prices', is_mapped('provider') ~ ' and not is_region_known', 'provider, region',
    'selection of prices by country', 'cloud_regions',
    ['provider', 'regexp_escape(region)', 'null', "'unknown'", 'region', 'min(source_url)',
        "'state the country, and fixed as country_rule, where they are known'"]) }}
union all
{{ unmapped_names(
    'instance_type', "provider || '/' || instance_type", 'prices', is_mapped('provider') ~ " and mapping_rule = 'unmapped'",
    'provider, instance_type', 'price comparisons, cost per token', 'instance_accelerators',
    ['provider', 'regexp_escape(instance_type)', slug('coalesce(min(accelerator_published), instance_type)'),
        'max(accelerator_count)', "case when max(accelerator_count) is null then 'num_gpus' else 'fixed' end",
        'min(source_url)', "'names as published: check the accelerator'"]) }}
