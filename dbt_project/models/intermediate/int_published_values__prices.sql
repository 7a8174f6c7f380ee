-- Printed rents, purchase prices and savings against prices held: those nearest to the day of the text; low and high are
-- the extremes ever held of the same seller, accelerator and size.
with

printed as (select * from {{ ref('int_published_values__stated') }}),

rents as (
    select
        *,
        cast(valid_from as date) as seen_from,
        cast(coalesce(valid_to, last_seen_at) as date) as seen_to
    from {{ ref('fct_price_interval') }}
    where is_comparable and pricing_model in ('on_demand', 'marketplace') and coalesce(country, 'US') = 'US'
),

purchases as (
    select * from {{ ref('mart_hardware_price') }} where kind = 'purchase'
),

rented as (
    select
        printed.value_id,
        rents.usd_per_accelerator_hour * printed.factor as usd,
        rents.seen_from,
        rents.seen_to,
        {{ days_apart('printed.published_on', 'rents.seen_from', 'rents.seen_to') }} as days_apart,
        'rent' as basis
    from printed
    inner join rents
        on printed.provider = rents.provider
        and printed.accelerator_id = rents.accelerator_id
        and (printed.accelerator_count is null or printed.accelerator_count = rents.accelerator_count)
    where printed.method = 'rent'
    -- where the very instance is held, other instances of the same size say nothing
    qualify rents.instance_type = split_part(printed.instance, ' ', 2)
        or not bool_or(rents.instance_type = split_part(printed.instance, ' ', 2)) over (partition by printed.value_id)
),

-- one side of a price ratio is a purchase like any other
sides as (
    select value_id, method, accelerator_id, factor, published_on, 'subject' as side
    from printed
    where method in ('purchase', 'usd_per_tflop', 'price_ratio')
    union all
    select value_id, method, baseline_accelerator_id as accelerator_id, factor, published_on, 'baseline' as side
    from printed
    where method = 'price_ratio'
),

bought as (
    select
        sides.value_id,
        sides.side,
        sides.method,
        case sides.method when 'usd_per_tflop' then purchases.usd_per_dense_tflop else purchases.usd end
            * coalesce(sides.factor, 1) as usd,
        purchases.seen_on as seen_from,
        purchases.last_seen_on as seen_to,
        {{ days_apart('sides.published_on', 'purchases.seen_on', 'purchases.last_seen_on') }} as days_apart
    from sides
    inner join purchases using (accelerator_id)
),

offers as (
    select *, 'subject' as side from rented
    union all by name
    select value_id, side, usd, seen_from, seen_to, days_apart, 'purchase' as basis from bought
),

nearest as (
    select value_id, side, basis, median(usd) as usd, count(*) as n, min(days_apart) as days_apart,
        min(seen_from) as seen_from, max(seen_to) as seen_to
    from (select * from offers qualify rank() over (partition by value_id, side order by days_apart) = 1)
    group by value_id, side, basis
),

extremes as (
    select value_id, side, min(usd) as usd_low, max(usd) as usd_high from offers group by value_id, side
),

-- on demand and spot of one seller, instance type and region, as held last
pairs as (
    select
        provider, instance_type, region, source, accelerator_count,
        min(usd_per_accelerator_hour) filter (where pricing_model = 'on_demand') as on_demand_usd,
        min(usd_per_accelerator_hour) filter (where pricing_model = 'spot') as spot_usd
    from {{ ref('fct_price_interval') }}
    where is_comparable and pricing_model in ('on_demand', 'spot') and valid_to is null
    group by all
),

savings as (
    select
        count(*) as n,
        quantile_cont({{ saving_pct('spot_usd', 'on_demand_usd') }}, 0.1) as saving_low,
        median({{ saving_pct('spot_usd', 'on_demand_usd') }}) as saving_median,
        quantile_cont({{ saving_pct('spot_usd', 'on_demand_usd') }}, 0.9) as saving_high
    from pairs
    where on_demand_usd is not null and spot_usd is not null
)

select
    nearest.value_id,
    nearest.usd as ours,
    extremes.usd_low as ours_low,
    extremes.usd_high as ours_high,
    nearest.days_apart,
    nearest.basis,
    format('{} price(s) of {} to {}, {} days from the day of the text', nearest.n, nearest.seen_from, nearest.seen_to,
        nearest.days_apart) as evidence
from nearest
inner join extremes using (value_id, side)
inner join printed using (value_id)
where printed.method <> 'price_ratio'
union all by name
select
    subject.value_id,
    subject.usd / baseline.usd as ours,
    extremes.usd_low / baseline_extremes.usd_high as ours_low,
    extremes.usd_high / baseline_extremes.usd_low as ours_high,
    greatest(subject.days_apart, baseline.days_apart) as days_apart,
    'purchase' as basis,
    format('purchases of {} and {}', subject.seen_from, baseline.seen_from) as evidence
from nearest as subject
inner join nearest as baseline on subject.value_id = baseline.value_id and baseline.side = 'baseline'
inner join extremes on subject.value_id = extremes.value_id and extremes.side = 'subject'
inner join extremes as baseline_extremes
    on subject.value_id = baseline_extremes.value_id and baseline_extremes.side = 'baseline'
inner join printed on subject.value_id = printed.value_id
where subject.side = 'subject' and printed.method = 'price_ratio'
union all by name
select
    printed.value_id,
    case printed.method
        when 'spot_saving_low' then savings.saving_low
        when 'spot_saving_high' then savings.saving_high
        else savings.saving_median
    end as ours,
    savings.saving_low as ours_low,
    savings.saving_high as ours_high,
    'rent' as basis,
    format('{} pairs of on-demand and spot prices', savings.n) as evidence
from printed
cross join savings
where starts_with(printed.method, 'spot_saving') and savings.n > 0
