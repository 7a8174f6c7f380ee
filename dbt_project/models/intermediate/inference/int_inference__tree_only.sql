-- Valid results of a landed tree that MLCommons' collection of the round lacks. A summary is MLCommons' final list: what
-- a round's summary lacks was withdrawn, and stays out.
with

results as (
    select
        release, dialect, location, payload_sha256, log_validity,
        lower(location) as folder,
        -- a description may name another submitter than the folder does
        lower(concat_ws('/',
            division, case when dialect = 'raw_tree' then split_part(location, '/', 2) else submitter_published end,
            platform, model_published, scenario
        )) as name
    from {{ ref('stg_mlperf_inference__results') }}
    inner join (
        select release from {{ ref('int_inference__dialects') }} where dialect = 'collection'
    ) as collected using (release)
    where dialect in ('collection', 'raw_tree')
),

collection as (select * from results where dialect = 'collection')

select results.release, results.location, results.payload_sha256
from results
anti join collection using (release, folder)
anti join collection as named on results.release = named.release and results.name = named.name
where results.dialect = 'raw_tree' and upper(results.log_validity) = 'VALID'
