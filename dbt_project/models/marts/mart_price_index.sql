-- A day counts an offer when its list was asked in the week up to it and the offer seen: a gap in the polls is a gap here.
with

runs as (
    select runs.*
    from {{ ref('int_price__runs') }} as runs
    where runs.observed_precision in ('exact', 'day')
),

intervals as (select * from {{ ref('fct_price_interval') }} where is_comparable),

providers as (select * from {{ ref('cloud_providers') }}),

seen as (
    select
        runs.source,
        runs.stream,
        runs.offer_id,
        cast(runs.first_seen_at as date) as first_day,
        cast(runs.last_seen_at as date) + {{ var('price_index_carry_days') }} - 1 as last_day
    from runs
),

asked as (
    select distinct source, stream, unnest(
        generate_series(cast(polled_at as date), cast(polled_at as date) + {{ var('price_index_carry_days') }} - 1, interval 1 day)
    )::date as day
    from {{ ref('int_price__polls') }}
),

daily as (
    select distinct on (asked.day, intervals.offer_id)
        asked.day,
        intervals.*
    from asked
    inner join seen
        on asked.source = seen.source and asked.stream = seen.stream
        and asked.day between seen.first_day and seen.last_day
    inner join intervals
        on seen.source = intervals.source and seen.offer_id = intervals.offer_id
        and asked.day >= cast(intervals.valid_from as date)
        and (intervals.valid_to is null or asked.day < cast(intervals.valid_to as date))
    order by asked.day, intervals.offer_id, intervals.valid_from desc
)

select
    daily.day as price_date,
    daily.accelerator_id,
    providers.segment,
    daily.pricing_model,
    median(daily.usd_per_accelerator_hour) as usd_per_accelerator_hour_median,
    min(daily.usd_per_accelerator_hour) as usd_per_accelerator_hour_min,
    quantile_cont(daily.usd_per_accelerator_hour, 0.25) as usd_per_accelerator_hour_p25,
    quantile_cont(daily.usd_per_accelerator_hour, 0.75) as usd_per_accelerator_hour_p75,
    max(daily.usd_per_accelerator_hour) as usd_per_accelerator_hour_max,
    count(*) as n_offers,
    count(distinct daily.provider) as n_providers
from daily
inner join providers using (provider)
group by daily.day, daily.accelerator_id, providers.segment, daily.pricing_model
