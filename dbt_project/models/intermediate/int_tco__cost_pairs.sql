-- Ownership cost of any accelerator against any other, in the same scenario and at the same level of prices: stated
-- capex on both sides before implied, then the newest level. Where no level is common, the defaults, and it says so.
with

costs as (select * from {{ ref('int_tco__costs_at_level') }}),

same_level as (
    select
        a.scenario_id,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        a.price_level as tco_price_level,
        a.usd_per_accelerator_hour,
        b.usd_per_accelerator_hour as baseline_usd_per_accelerator_hour,
        case
            when a.capex_basis = 'implied by published rate' and b.capex_basis = 'implied by published rate'
                then 'capex of both implied by rates of the same date'
            when a.capex_basis = 'implied by published rate' or b.capex_basis = 'implied by published rate'
                then 'capex stated of one, implied of the other, same date'
            else 'capex of both stated, same date'
        end as tco_ratio_basis,
        (a.capex_basis = 'implied by published rate')::integer
            + (b.capex_basis = 'implied by published rate')::integer as n_implied
    from costs as a
    inner join costs as b
        on a.scenario_id = b.scenario_id
        and a.price_level = b.price_level
        and a.accelerator_id <> b.accelerator_id
),

defaults as (
    select
        a.scenario_id,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        null::varchar as tco_price_level,
        a.usd_per_accelerator_hour,
        b.usd_per_accelerator_hour as baseline_usd_per_accelerator_hour,
        case
            when a.price_level is null or b.price_level is null then 'capex set by the user'
            else 'capex of different dates'
        end as tco_ratio_basis,
        3 as n_implied
    from costs as a
    inner join costs as b
        on a.scenario_id = b.scenario_id and a.accelerator_id <> b.accelerator_id
    where a.is_default and b.is_default
),

candidates as (
    select * from same_level
    union all
    select * from defaults
)

select
    scenario_id,
    accelerator_id,
    baseline_accelerator_id,
    tco_price_level,
    tco_ratio_basis,
    usd_per_accelerator_hour,
    baseline_usd_per_accelerator_hour,
    usd_per_accelerator_hour / baseline_usd_per_accelerator_hour as tco_ratio
from candidates
qualify row_number() over (
    partition by scenario_id, accelerator_id, baseline_accelerator_id
    order by n_implied, tco_price_level desc
) = 1
