-- Ownership cost of any accelerator against any other in the same scenario, on every basis of capital and at every price
-- level that both have. A user's own capex has no level and stands on every basis and level of the other part. Parts
-- without a common one keep a row with the reason, and no ratio. Both parts share their inputs: at equal inputs, both stand at their
-- low or both at their high ends; low and high say how far the capital of one part may err against that of another, which is how much
-- purchases of parts differ among each other from what the rates imply.
with

costs as (
    select
        *,
        coalesce(usd_per_accelerator_hour_on_basis_low, usd_per_accelerator_hour) as hour_low,
        coalesce(usd_per_accelerator_hour_on_basis_high, usd_per_accelerator_hour) as hour_high,
        -- of capital that the user set nothing errs
        case
            when price_level is null then 0
            else (capital_usd_per_accelerator_hour + maintenance_usd_per_accelerator_hour) / usd_per_accelerator_hour
        end as capital_share
    from {{ ref('mart_tco') }}
),

capital as (
    select
        accelerator_id,
        max_by(capex_usd_per_accelerator, price_level) filter (capex_basis = 'observed_purchase')
        / max_by(capex_usd_per_accelerator, price_level) filter (capex_basis = 'implied_by_rate') as paid_to_implied
    from costs
    group by accelerator_id
),

spread as (
    select case when count(paid_to_implied) >= 3 then stddev_samp(ln(paid_to_implied)) end as capital_spread
    from capital
),

pairs as (
    select
        a.scenario_id,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        case when a.price_level is null then b.capex_basis else a.capex_basis end as capex_basis,
        coalesce(a.price_level, b.price_level) as price_level,
        a.usd_per_accelerator_hour,
        b.usd_per_accelerator_hour as baseline_usd_per_accelerator_hour,
        a.hour_low / b.hour_low as ratio_of_lows,
        a.hour_high / b.hour_high as ratio_of_highs,
        {{ error_of_cost_ratio('spread.capital_spread', 'a.capital_share', 'b.capital_share') }} as ratio_error,
        a.availability_pct,
        case
            when a.price_level is null or b.price_level is null then 'capex set by the user'
            else 'capex of both: ' || replace(a.capex_basis, '_', ' ')
        end as tco_ratio_basis,
        case
            when a.price_level is null and b.price_level is null then 'the user set both capex, which belong to no price level'
            when a.usd_per_accelerator_hour is null or b.usd_per_accelerator_hour is null
                then 'the form of a purchase is not known'
        end as reason
    from costs as a
    inner join costs as b
        on a.scenario_id = b.scenario_id
        and a.accelerator_id <> b.accelerator_id
        and (
            (a.capex_basis = b.capex_basis and a.price_level = b.price_level)
            or a.price_level is null or b.price_level is null
        )
    cross join spread
),

levels as (
    select
        scenario_id,
        accelerator_id,
        string_agg(replace(capex_basis, '_', ' ') || ' ' || price_level, ', ' order by price_level, capex_basis) as price_levels
    from costs
    group by scenario_id, accelerator_id
),

without_a_level as (
    select
        a.scenario_id,
        a.accelerator_id,
        b.accelerator_id as baseline_accelerator_id,
        'no basis and price level in common: ' || a.accelerator_id || ' has ' || a.price_levels || '; ' || b.accelerator_id
            || ' has ' || b.price_levels as reason
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
),

ratios as (
    select
        *,
        usd_per_accelerator_hour / baseline_usd_per_accelerator_hour as tco_ratio,
        tco_ratio / ratio_error as tco_ratio_low,
        tco_ratio * ratio_error as tco_ratio_high,
        least(ratio_of_lows, ratio_of_highs) as tco_ratio_at_equal_inputs_low,
        greatest(ratio_of_lows, ratio_of_highs) as tco_ratio_at_equal_inputs_high
    from all_pairs
)

select
    * exclude (ratio_of_lows, ratio_of_highs, ratio_error),
    row_number() over (
        partition by scenario_id, accelerator_id, baseline_accelerator_id
        order by tco_ratio is null, {{ by_default_capex('capex_basis', 'price_level') }}
    ) = 1 as is_default
from ratios
