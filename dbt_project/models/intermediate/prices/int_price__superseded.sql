{{ config(materialized = 'ephemeral') }}
-- Ephemeral: fct_price_interval keeps what it finds.
-- When a newer observation of the same machine replaced a price: same seller, accelerator, tier, pricing model, term and region,
-- whatever words a collector used. A size, an instance type or an option that the older price leaves open is that of the newer one;
-- two types of the seller's own price list are two machines. On one day the seller's own list comes before catalogs and collections,
-- also where these leave the region open. What is out of stock is a newer observation too.
-- A price that waits for a second observation replaces no price of a source closer to the seller.
with

prices as (
    select
        intervals.interval_number,
        intervals.valid_from,
        intervals.last_seen_at,
        cast(intervals.last_seen_at as date) as last_seen_on,
        intervals.source,
        intervals.source_rank,
        intervals.offer_id,
        judged.provider,
        judged.accelerator_id,
        intervals.pricing_model,
        {{ price_tier('intervals.variant') }} as tier,
        coalesce(intervals.term_hours, 0) as term_hours,
        coalesce(intervals.region, '') as region,
        case when judged.is_size_stated then judged.accelerators end as size,
        case when judged.mapping_basis = 'instance_type' then intervals.instance_type end as type_of_seller,
        intervals.purchase_option,
        judged.comparability in ('comparable', 'out_of_stock') as is_comparable,
        -- prices of one series are alike in all of the above but their days
        dense_rank() over (order by
            judged.provider, judged.accelerator_id, intervals.pricing_model, tier, term_hours, region, intervals.source,
            intervals.source_rank, intervals.offer_id, size, type_of_seller, intervals.purchase_option, is_comparable
        ) as series
    from {{ ref('int_price__checked') }} as judged
    inner join {{ ref('int_price__intervals') }} as intervals using (interval_number)
    where judged.comparability in ('comparable', 'unconfirmed', 'unconfirmed_move', 'out_of_stock')
),

all_series as (
    select distinct
        series, provider, accelerator_id, pricing_model, tier, term_hours, region, source, source_rank, offer_id, size, type_of_seller,
        purchase_option, is_comparable
    from prices
),

-- each price with the series that may replace it: not with their prices, of which there are ever more
rivals as (
    select
        older.interval_number,
        older.last_seen_at,
        older.last_seen_on,
        newer.series,
        newer.source <> older.source and (newer.source_rank, newer.source) < (older.source_rank, older.source) as goes_first_on_a_day
    from prices as older
    inner join all_series as newer using (provider, accelerator_id, pricing_model, tier, term_hours, region)
    where (older.source <> newer.source or older.offer_id <> newer.offer_id)
        and (newer.is_comparable or newer.source_rank <= older.source_rank)
        and (older.size is null or older.size = newer.size)
        and (older.type_of_seller is null or older.type_of_seller = newer.type_of_seller)
        and (older.purchase_option is null or older.purchase_option = newer.purchase_option)
),

-- a price that leaves the region open, with the series of regions in a list that is closer to the seller: on one day alone
regional_rivals as (
    select older.interval_number, older.last_seen_at, older.last_seen_on, newer.series
    from prices as older
    inner join all_series as newer using (provider, accelerator_id, pricing_model, tier, term_hours)
    where older.region = '' and newer.region <> '' and newer.is_comparable
        and newer.source_rank < older.source_rank
        and (older.size is null or older.size = newer.size)
),

-- the first start among the prices of a series that were last seen on a day, and among those and all later ones
days as (
    select
        series,
        last_seen_on,
        min(valid_from) as valid_from_on_day,
        min(min(valid_from)) over (partition by series order by last_seen_on desc) as valid_from_since
    from prices
    group by series, last_seen_on
),

replaced as (
    select rivals.interval_number, rivals.last_seen_at, later.valid_from_since as valid_from
    from rivals
    asof inner join days as later on rivals.series = later.series and rivals.last_seen_on < later.last_seen_on
    union all
    select rivals.interval_number, rivals.last_seen_at, days.valid_from_on_day as valid_from
    from rivals
    inner join days using (series, last_seen_on)
    where rivals.goes_first_on_a_day
    union all
    select rivals.interval_number, rivals.last_seen_at, days.valid_from_on_day as valid_from
    from regional_rivals as rivals
    inner join days using (series, last_seen_on)
)

select interval_number, min(greatest(valid_from, last_seen_at + interval 1 microsecond)) as superseded_at
from replaced
group by interval_number
