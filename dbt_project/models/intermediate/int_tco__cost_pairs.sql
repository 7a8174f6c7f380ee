-- Ownership cost of any accelerator against any other in the same scenario, at every price level that both have. A
-- user's own capex has no level and stands at every level of the other part. Parts without a common level keep a row
-- with the reason, and no ratio.
with

costs as (select * from {{ ref('mart_tco') }}),

pairs as (
    select
        a.scenario_id,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        coalesce(a.price_level, b.price_level) as price_level,
        a.usd_per_accelerator_hour,
        b.usd_per_accelerator_hour as baseline_usd_per_accelerator_hour,
        case
            when a.price_level is null or b.price_level is null then 'capex set by the user'
            when a.capex_basis = 'implied by published rate' and b.capex_basis = 'implied by published rate'
                then 'capex of both implied by rates of the same date'
            when a.capex_basis = 'implied by published rate' or b.capex_basis = 'implied by published rate'
                then 'capex stated of one, implied of the other, same date'
            else 'capex of both stated, same date'
        end as tco_ratio_basis,
        case
            when a.price_level is null and b.price_level is null then 'the user set both capex, which belong to no price level'
        end as reason
    from costs as a
    inner join costs as b
        on a.scenario_id = b.scenario_id
        and a.accelerator_id <> b.accelerator_id
        and (a.price_level = b.price_level or a.price_level is null or b.price_level is null)
),

levels as (
    select scenario_id, accelerator_id, string_agg(price_level, ', ' order by price_level) as price_levels
    from costs
    group by scenario_id, accelerator_id
),

without_a_level as (
    select
        a.scenario_id,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        'no price level in common: ' || a.accelerator_id || ' has ' || a.price_levels || '; ' || b.accelerator_id || ' has '
            || b.price_levels as reason
    from levels as a
    inner join levels as b on a.scenario_id = b.scenario_id and a.accelerator_id <> b.accelerator_id
    anti join pairs
        on a.scenario_id = pairs.scenario_id and a.accelerator_id = pairs.accelerator_id
        and b.accelerator_id = pairs.baseline_accelerator_id
),

all_pairs as (
    select * from pairs
    union all by name
    select * from without_a_level
)

select
    scenario_id,
    accelerator_id,
    baseline_accelerator_id,
    price_level,
    row_number() over (
        partition by scenario_id, accelerator_id, baseline_accelerator_id order by price_level desc
    ) = 1 as is_newest_level,
    reason,
    price_level as tco_price_level,
    tco_ratio_basis,
    usd_per_accelerator_hour,
    baseline_usd_per_accelerator_hour,
    usd_per_accelerator_hour / baseline_usd_per_accelerator_hour as tco_ratio
from all_pairs
