-- Share of the purchase price that a machine sells for after each whole month, on the straight line between the months of
-- the seed residual_values; the value is the middle of low and high.
with

published as (select * from {{ ref('residual_values') }}),

horizons as (select unnest(range(1, {{ var('horizon_months_max') }} + 1)) as months),

between_two as (
    select
        horizons.months,
        arg_max(published.low_pct, published.months) filter (published.months <= horizons.months) as low_before,
        arg_max(published.high_pct, published.months) filter (published.months <= horizons.months) as high_before,
        max(published.months) filter (published.months <= horizons.months) as months_before,
        arg_min(published.low_pct, published.months) filter (published.months >= horizons.months) as low_after,
        arg_min(published.high_pct, published.months) filter (published.months >= horizons.months) as high_after,
        min(published.months) filter (published.months >= horizons.months) as months_after
    from horizons
    cross join published
    group by horizons.months
),

placed as (
    select
        *,
        coalesce((months - months_before) / nullif(months_after - months_before, 0)::double, 0) as way
    from between_two
),

lines as (
    select
        months,
        low_before + way * (low_after - low_before) as low,
        high_before + way * (high_after - high_before) as high
    from placed
)

select
    months::bigint as months,
    low as residual_pct_low,
    (low + high) / 2 as residual_pct,
    high as residual_pct_high
from lines
