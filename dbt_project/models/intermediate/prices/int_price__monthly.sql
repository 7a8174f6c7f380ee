-- The price of an offer in each month in which it was seen: the mean of ln(price) over the days of its intervals. An offer is what a
-- seller lists under one name, size, region and terms: the same in every source. Of several sources of an offer one gives its
-- price: the seller's own list before catalogs and collections, then the later observation.
with

prices as (
    select
        intervals.accelerator_id,
        -- Under which pricing model an offer enters the index: machines of private hosts are another trade.
        case
            when intervals.pricing_model = 'on_demand' and (sellers.segment = 'marketplace' or {{ price_tier('intervals.variant') }} = 'community')
                then 'marketplace'
            else intervals.pricing_model
        end as pricing_model,
        {{ seller_vote('intervals.provider', 'sellers.resells') }} as seller,
        md5(concat_ws(
            '|', intervals.provider, intervals.instance_type, coalesce(intervals.region, ''), coalesce(intervals.purchase_option, ''),
            intervals.operating_system, coalesce(intervals.variant, ''), coalesce(intervals.term_hours, 0),
            intervals.price_unit, case when intervals.is_size_stated then intervals.accelerator_count end
        )) as what_is_sold,
        intervals.source,
        intervals.source_rank,
        ln(intervals.usd_per_accelerator_hour) as ln_usd,
        cast(intervals.valid_from as date) as first_on,
        cast(intervals.last_seen_at as date) as last_on
    from {{ ref('fct_price_interval') }} as intervals
    inner join {{ ref('stg_reference__cloud_providers') }} as sellers using (provider)
    where intervals.is_comparable
        and intervals.observed_precision <> 'year'
        -- statistics over several sellers are no offers
        and sellers.segment <> 'aggregate'
),

months as (
    select
        prices.*,
        cast(unnest(generate_series(date_trunc('month', first_on), last_on, interval 1 month)) as date) as price_month
    from prices
),

by_source as (
    select
        price_month,
        accelerator_id,
        pricing_model,
        seller,
        what_is_sold,
        source,
        source_rank,
        max(least(last_on, last_day(price_month))) as seen_on,
        {% set days = "(date_diff('day', greatest(first_on, price_month), least(last_on, last_day(price_month))) + 1)" -%}
        sum(ln_usd * {{ days }}) / sum({{ days }}) as ln_usd
    from months
    group by price_month, accelerator_id, pricing_model, seller, what_is_sold, source, source_rank
)

select price_month, accelerator_id, pricing_model, seller, what_is_sold, ln_usd, source, seen_on
from by_source
qualify row_number() over (
    partition by price_month, accelerator_id, pricing_model, what_is_sold
    order by source_rank asc, seen_on desc, source asc
) = 1
