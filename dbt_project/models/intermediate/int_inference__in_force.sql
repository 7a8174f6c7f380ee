-- One dialect speaks for a round: what MLCommons published as its summary, else its collection, else the
-- logs. The logs of the same folder stay as a witness beside the published row.
with

results as (select * from {{ ref('stg_mlperf_inference__results') }}),

dialects as (
    select release, dialect
    from (select distinct release, dialect from results)
    qualify row_number() over (
        partition by release
        order by case when dialect like 'summary%' then 1 when dialect = 'collection' then 2 else 3 end, dialect
    ) = 1
),

logs as (
    select release, location, log_scenario, log_metric, log_samples_per_s, log_tokens_per_s, tokens_per_sample
    from results
    where dialect = 'raw_tree'
)

select
    results.* exclude (log_scenario, log_metric, log_samples_per_s, log_tokens_per_s, tokens_per_sample),
    logs.log_scenario,
    logs.log_metric,
    logs.log_samples_per_s,
    logs.log_tokens_per_s,
    -- the summary's own word first; the same run's accuracy log where the summary does not say
    coalesce(results.tokens_per_sample, logs.tokens_per_sample) as tokens_per_sample,
    -- one row, one id, readable: what MLCommons asks to be cited
    concat_ws('/',
        'inference', results.release, results.division, coalesce(results.suite_published, 'unknown'),
        results.submitter_published, results.platform, results.model_published, results.scenario
    ) as result_id
from results
inner join dialects using (release, dialect)
left join logs using (release, location)
