-- The results in use of all forms of a round. The log of the same folder stays as evidence beside the published row.
-- `results` is read once: DuckDB writes down in full what is read twice, and this is the widest table.
with

published as (
    select * exclude (result_id, payload_key, log_metric), result_id as staged_id from {{ ref('stg_mlperf_inference__results') }}
),

scenarios as (select * from {{ ref('stg_reference__mlperf_scenarios') }}),

-- a parser writes `unmapped:<name>` for a scenario that it does not know
results as (
    select
        published.* replace (coalesce(scenarios.scenario, published.scenario) as scenario),
        coalesce(scenarios.is_override, false) as is_scenario_override,
        -- the folder's name where the publication has no model key
        coalesce(published.benchmark_published, published.model_published) as benchmark_words
    from published
    left join scenarios
        on published.scenario = {{ unmapped('published.scenario_published') }}
        and regexp_replace(lower(published.scenario_published), '\s', '', 'g') = scenarios.published_name
),

logs as (
    select
        release, location, log_scenario, log_validity, log_samples_per_s, log_tokens_per_s, tokens_per_sample,
        harness, ttft_ms_p50, ttft_ms_p99, tpot_ms_p50, tpot_ms_p99, number_of_nodes, weight_data_types_published
    from {{ ref('stg_mlperf_inference__results') }}
    where dialect = 'raw_tree'
),

forms as (
    select dialect, staged_id, publication_basis
    from {{ ref('int_mlperf__forms') }}
    where suite_kind = 'inference' and exclusion_reason is null
)

select
    results.* exclude (
        staged_id, location, results.scenario_published, log_scenario, log_validity, log_samples_per_s, log_tokens_per_s, tokens_per_sample,
        harness, ttft_ms_p50, ttft_ms_p99, tpot_ms_p50, tpot_ms_p99, number_of_nodes, weight_data_types_published
    ),
    {%- for column in [
        'log_scenario', 'log_validity', 'log_samples_per_s', 'log_tokens_per_s', 'harness',
        'ttft_ms_p50', 'ttft_ms_p99', 'tpot_ms_p50', 'tpot_ms_p99', 'weight_data_types_published'
    ] %}
    coalesce(results.{{ column }}, logs.{{ column }}) as {{ column }},
    {%- endfor %}
    -- the round's own description of the system before MLCommons' collection of it
    case when results.dialect = 'collection' then coalesce(logs.number_of_nodes, results.number_of_nodes)
        else results.number_of_nodes end as number_of_nodes,
    forms.publication_basis,
    -- the summary's own word first; the same run's accuracy log where the summary does not say
    coalesce(results.tokens_per_sample, logs.tokens_per_sample) as tokens_per_sample,
    split_part(results.location, '/', -1) as folder,
    {{ inference_result_id('submitter_published') }} as result_id,
    -- the tables that hold a part of each result have a number in place of its id of a hundred bytes
    row_number() over (order by result_id) as result_number
from results
inner join forms using (dialect, staged_id)
left join logs using (release, location)
