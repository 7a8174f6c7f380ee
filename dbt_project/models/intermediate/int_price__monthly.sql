-- The last comparable price of an offer in each month in which it was seen. Several sources of one offer give
-- one row: the seller's own list before catalogs and collections, then the later observation.
with

runs as (
    select source, offer_id, date_trunc('month', last_seen_at)::date as price_month, max(last_seen_at) as seen_at
    from {{ ref('int_price__runs') }}
    where observed_precision <> 'year'
    group by source, offer_id, date_trunc('month', last_seen_at)::date
),

intervals as (select * from {{ ref('fct_price_interval') }} where is_comparable),

providers as (select * from {{ ref('stg_reference__cloud_providers') }}),

priced as (
    select
        runs.price_month,
        runs.seen_at,
        intervals.*,
        providers.segment,
        md5(concat_ws(
            '|', intervals.instance_type, coalesce(intervals.region, ''), coalesce(intervals.purchase_option, ''),
            intervals.operating_system, coalesce(intervals.variant, ''), coalesce(intervals.term_hours, 0),
            intervals.price_unit
        )) as what_is_sold
    from runs
    inner join intervals
        on runs.source = intervals.source and runs.offer_id = intervals.offer_id
        and runs.seen_at >= intervals.valid_from
        and (intervals.valid_to is null or runs.seen_at < intervals.valid_to)
    inner join providers using (provider)
)

select
    price_month,
    accelerator_id,
    segment,
    pricing_model,
    provider,
    what_is_sold,
    usd_per_accelerator_hour,
    source,
    offer_id,
    seen_at
from priced
qualify row_number() over (
    partition by price_month, accelerator_id, pricing_model, provider, what_is_sold
    order by source_rank, seen_at desc, offer_id
) = 1
