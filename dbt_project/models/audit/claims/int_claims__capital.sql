{{ config(materialized = 'ephemeral') }}
-- One row per claim on the share of accelerators in the cost of hardware, and case: that of the whole server, which is more than its
-- accelerators, and that without the other parts of the server.
with

claims as (select * from {{ ref('int_claims__stated') }} where method = 'capital_share'),

server_parts as (
    select value as other_parts_pct from {{ ref('estimate_constants') }} where constant_id = 'server_other_parts_pct'
),

costs as (
    select
        accelerator_id,
        price_level,
        any_value(value) filter (parameter = 'server_capex_usd')
            / any_value(value) filter (parameter = 'all_in_capex_usd') as server_share
    from {{ ref('tco_hardware') }}
    group by accelerator_id, price_level
    having server_share is not null
    qualify price_level = max(price_level) over (partition by accelerator_id)
),

cases as (
    select
        costs.*,
        unnest(['the whole server', 'accelerators without the other parts of the server']) as cell,
        unnest([1, 1 - server_parts.other_parts_pct / 100]) as part
    from costs
    cross join server_parts
)

select
    claims.claim_id,
    claims.choice,
    cases.cell,
    100 * cases.server_share * cases.part as measured_best,
    100 * cases.server_share * cases.part as measured_median,
    100 * cases.server_share * cases.part as measured_mean,
    ['spec/' || claims.subject_accelerator_id] as subject_ids,
    cast([] as varchar[]) as baseline_ids,
    format('server {:.0f} % of the all-in capital at price level {}, accelerators {:.0f} % of a server',
        100 * cases.server_share, cases.price_level, 100 - server_parts.other_parts_pct) as note
from claims
inner join cases on claims.subject_accelerator_id = cases.accelerator_id
cross join server_parts
