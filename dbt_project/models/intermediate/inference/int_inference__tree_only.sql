-- Valid results of a landed tree that MLCommons' collection of the round lacks. A summary is MLCommons' final list: what
-- a round's summary lacks was withdrawn, and stays out.
with

results as (
    select
        published.release, published.dialect, published.location, published.payload_sha256, published.log_validity,
        lower(published.location) as folder,
        -- a description may name another submitter than the folder does
        lower(concat_ws('/',
            published.division,
            case when published.dialect = 'raw_tree' then split_part(published.location, '/', 2) else published.submitter_published end,
            published.platform, published.model_published, published.scenario
        )) as full_name
    from {{ ref('stg_mlperf_inference__results') }} as published
    inner join (
        select release from {{ ref('int_inference__dialects') }} where dialect = 'collection'
    ) as collected using (release)
    where published.dialect in ('collection', 'raw_tree')
),

collection as (select * from results where dialect = 'collection')

select results.release, results.location, results.payload_sha256
from results
anti join collection using (release, folder)
anti join collection as named on results.release = named.release and results.full_name = named.full_name
where results.dialect = 'raw_tree' and upper(results.log_validity) = 'VALID'
