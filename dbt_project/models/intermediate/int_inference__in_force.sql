-- One dialect is in force for a round: MLCommons' summary (as JSON, as a table, as our copy of chosen columns), else
-- its collection, else the logs. The log of the same folder stays as a witness beside the published row.
-- `results` is read once: DuckDB writes down in full what is read twice, and this is the widest table.
with

published as (select * from {{ ref('stg_mlperf_inference__results') }}),

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

dialects as (
    select release, dialect
    from (select distinct release, dialect from {{ ref('stg_mlperf_inference__results') }})
    qualify row_number() over (
        partition by release
        order by case
            when dialect in ('summary_list', 'summary_dict') then 1
            when dialect = 'summary_csv' then 2
            when dialect = 'summary_core' then 3
            when dialect = 'collection' then 4
            else 5
        end, dialect
    ) = 1
),

logs as (
    select
        release, location, log_scenario, log_validity, log_metric, log_samples_per_s, log_tokens_per_s, tokens_per_sample,
        harness, ttft_ms_p50, ttft_ms_p99, tpot_ms_p50, tpot_ms_p99
    from {{ ref('stg_mlperf_inference__results') }}
    where dialect = 'raw_tree'
)

select
    results.* exclude (
        location, log_scenario, log_validity, log_metric, log_samples_per_s, log_tokens_per_s, tokens_per_sample,
        harness, ttft_ms_p50, ttft_ms_p99, tpot_ms_p50, tpot_ms_p99
    ),
    logs.log_scenario,
    logs.log_validity,
    logs.log_metric,
    logs.log_samples_per_s,
    logs.log_tokens_per_s,
    logs.harness,
    logs.ttft_ms_p50,
    logs.ttft_ms_p99,
    logs.tpot_ms_p50,
    logs.tpot_ms_p99,
    -- the summary's own word first; the same run's accuracy log where the summary does not say
    coalesce(results.tokens_per_sample, logs.tokens_per_sample) as tokens_per_sample,
    split_part(results.location, '/', -1) as folder,
    -- one row, one id, readable: what MLCommons asks to be cited
    concat_ws('/',
        'inference', results.release, results.division, coalesce(results.suite_published, 'unknown'),
        results.submitter_published, results.platform, results.model_published, results.scenario
    ) as result_id,
    -- The tables that hold a part of each result have its number in place of its id of a hundred bytes. It says nothing
    -- outside one build: whenever these rows are built again, so are all tables that have the number.
    (row_number() over ())::integer as result_number
from results
inner join dialects using (release, dialect)
left join logs using (release, location)
