{{ config(meta = {'dagster': {'ref': {'name': 'mart_claim_check'}}}) }}
with

ids as (
    select claim_id, unnest(list_concat(subject_ids, baseline_ids)) as id
    from {{ ref('mart_claim_check') }}
),

known as (
    select result_id as id from {{ ref('fct_inference_result') }}
    union all
    select result_id as id from {{ ref('fct_training_result') }}
    union all
    select 'offer/' || offer_id as id from {{ ref('fct_price_interval') }}
    union all
    select 'spec/' || accelerator_id as id from {{ ref('dim_accelerator') }}
)

select claim_id, id, 'the row is not there' as problem
from ids
where id not in (select known.id from known)
union all
select claim_id, null as id, 'no row is named' as problem
from {{ ref('mart_claim_check') }}
where verdict in ('holds', 'overstated', 'understated', 'refuted') and len(subject_ids) = 0
