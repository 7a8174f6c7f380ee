-- Of each accelerator the median over sellers in a region, as choose has it: of the first tier with a recent price.
with regional_sellers as (
    select
        o.accelerator_id,
        o.vote,
        {{ region_tier('region', 'o.segment', 'h.are_all_inside') }} as tier,
        min(o.usd_per_accelerator_hour) as usd
    from {{ function('price_on') }}({{ function('newest_price_day') }}()) as o
    left join {{ function('sellers_in_region') }}(region) as h
        on o.provider = h.provider and o.region is null and o.country is null
    where o.pricing_model = pricing and {{ unranked_reason('o') }} is null
        and (h.provider is not null or {{ function('in_region') }}(o.region, o.country, region))
    group by o.accelerator_id, o.vote, tier
    qualify tier = min(tier) over (partition by o.accelerator_id)
)

select
    s.accelerator_id,
    median(s.usd) as usd,
    case when count(*) > 1 then min(s.usd) end as usd_low,
    case when count(*) > 1 then max(s.usd) end as usd_high,
    case count(*) when 1 then 'one seller' else 'median of ' || count(*) || ' sellers' end || ' in ' || region as price_basis
from regional_sellers as s
group by s.accelerator_id
