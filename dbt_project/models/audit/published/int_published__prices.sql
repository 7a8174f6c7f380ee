-- One row per price held nearest to the day of a published text: of each rent that it prints (key: the value), and of each
-- accelerator that is bought (key: the accelerator). Low and high are the extremes ever held of the same seller, accelerator and size.
with

rents as (
    select
        *,
        cast(valid_from as date) as seen_from,
        cast(coalesce(valid_to, last_seen_at) as date) as seen_to
    from {{ ref('fct_price_interval') }}
    where is_comparable and pricing_model in ('on_demand', 'marketplace') and coalesce(country, 'US') = 'US'
),

rented as (
    select
        printed.document,
        printed.value_id as price_key,
        'rent' as basis,
        rents.usd_per_accelerator_hour * coalesce(printed.accelerator_count, 1) as usd,
        rents.seen_from,
        rents.seen_to,
        {{ days_apart('documents.published_on', 'rents.seen_from', 'rents.seen_to') }} as days_apart
    from {{ ref('published_values') }} as printed
    inner join {{ ref('published_documents') }} as documents using (document)
    inner join rents
        on printed.provider = rents.provider
        and printed.accelerator_id = rents.accelerator_id
        and (printed.accelerator_count is null or printed.accelerator_count = rents.accelerator_count)
    where printed.kind = 'rent'
    -- where the very instance is held, other instances of the same size say nothing
    qualify printed.instance = rents.provider || ' ' || rents.instance_type
        or not bool_or(printed.instance = rents.provider || ' ' || rents.instance_type) over (partition by printed.value_id)
),

bought as (
    select
        documents.document,
        purchases.accelerator_id as price_key,
        'purchase' as basis,
        purchases.usd,
        purchases.seen_on as seen_from,
        purchases.last_seen_on as seen_to,
        {{ days_apart('documents.published_on', 'purchases.seen_on', 'purchases.last_seen_on') }} as days_apart
    from {{ ref('published_documents') }} as documents
    cross join {{ ref('mart_hardware_price') }} as purchases
    where purchases.kind = 'purchase'
),

offers as (
    select * from rented
    union all by name
    select * from bought
),

nearest as (
    select document, price_key, basis, median(usd) as usd, count(*) as n, min(days_apart) as days_apart,
        min(seen_from) as seen_from, max(seen_to) as seen_to
    from (select * from offers qualify rank() over (partition by document, price_key order by days_apart) = 1) as closest
    group by document, price_key, basis
),

extremes as (
    select document, price_key, count(distinct usd) as n_prices, min(usd) as usd_low, max(usd) as usd_high
    from offers
    group by document, price_key
)

select
    nearest.document,
    nearest.price_key,
    nearest.basis,
    nearest.usd,
    case when extremes.n_prices > 1 then extremes.usd_low end as usd_low,
    case when extremes.n_prices > 1 then extremes.usd_high end as usd_high,
    case when extremes.n_prices > 1 then 'prices held of all days' else 'one price' end as uncertainty_basis,
    nearest.days_apart,
    format('{} price(s) of {} to {}, {} days from the day of the text', nearest.n, nearest.seen_from, nearest.seen_to,
        nearest.days_apart) as evidence
from nearest
inner join extremes using (document, price_key)
