-- One row per submitter's name as published.
with

submitters as (select * from {{ ref('stg_reference__mlperf_submitters') }}),

names as (
    select submitter, submitter_id from {{ ref('fct_inference_result') }}
    union
    select submitter, submitter_id from {{ ref('fct_training_result') }}
),

-- names that no seed maps have a row too, so that joins hold
known as (
    select * from submitters
    union all by name
    select
        submitter as submitter_published,
        submitter_id,
        'no seed maps this name, see ops_unmapped' as note,
        false as is_override
    from names
    where not {{ is_mapped('submitter_id') }}
)

select
    submitter_published as submitter,
    submitter_id,
    submitter_name,
    members,
    note,
    {{ is_mapped('submitter_id') }} as is_mapped,
    is_override
from known
