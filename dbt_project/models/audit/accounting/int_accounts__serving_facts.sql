{{ config(materialized = 'ephemeral') }}

-- One row per payload of measured serving: its rows in staging and in the facts.
with

staged as (select source, payload_key, count(*) as n from {{ ref('stg_serving__points') }} group by all),

facts as (select source, payload_key, count(*) as n from {{ ref('fct_serving_point') }} group by all)

select
    {{ account_step(
        4, "'staging → fct_serving_point'", 'staged.n', 'coalesce(facts.n, 0)',
        source='staged.source', dialect="'serving'", payload_key='staged.payload_key'
    ) }}
from staged
left join facts using (source, payload_key)
