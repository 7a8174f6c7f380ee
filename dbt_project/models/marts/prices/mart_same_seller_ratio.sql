-- Price of one accelerator divided by that of another at the sellers that have both: no mix of sellers moves it.
with

newest as (
    select *
    from {{ ref('int_price__seller_prices') }}
    where as_of = (select max(level_days.as_of) from {{ ref('int_price__level_days') }} as level_days)
),

ratios as (
    select
        a.as_of,
        a.pricing_model,
        a.accelerator_id,
        b.accelerator_id as other_accelerator_id,
        a.vote,
        a.usd_per_accelerator_hour / b.usd_per_accelerator_hour as ratio
    from newest as a
    inner join newest as b
        on a.provider = b.provider and a.pricing_model = b.pricing_model and a.accelerator_id <> b.accelerator_id
    qualify row_number() over (
        partition by a.pricing_model, a.accelerator_id, b.accelerator_id, a.vote order by a.is_resold, a.provider
    ) = 1
)

select
    accelerator_id,
    other_accelerator_id,
    pricing_model,
    cast(as_of as date) as as_of,
    median(ratio) as ratio_median,
    case when count(*) > 1 then min(ratio) end as ratio_low,
    case when count(*) > 1 then max(ratio) end as ratio_high,
    count(*) as n_sellers,
    string_agg(printf('%s %.2f', vote, ratio), ', ' order by ratio, vote) as sellers,
    case when count(*) > 1 then 'spread of sellers' else 'one seller' end as uncertainty_basis
from ratios
group by accelerator_id, other_accelerator_id, pricing_model, as_of
