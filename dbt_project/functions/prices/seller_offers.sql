with offers as (
    select
        o.*,
        'one price for all sites: ' || h.site_countries as sites,
        coalesce(h.are_all_inside, true) as is_inside,
        {{ region_tier('region', 'o.segment', 'is_inside') }} as tier,
        {{ unranked_reason('o') }} as uncounted_reason
    from {{ function('price_on') }}(coalesce(cast(as_of as date), {{ function('newest_price_day') }}())) as o
    -- a seller that names no region has one price for all its sites
    left join {{ function('sellers_in_region') }}(region) as h
        on o.provider = h.provider and o.region is null and o.country is null
    where (accelerator is null or o.accelerator_id = {{ function('accelerator_named') }}(accelerator))
        and (pricing is null or o.pricing_model = pricing)
        and (provider is null or o.provider = {{ function('provider_named') }}(provider))
        and (machine_size is null or o.machine_accelerators >= machine_size)
        and (region is null or h.provider is not null or {{ function('in_region') }}(o.region, o.country, region))
),

-- the cheapest that counts; of a seller without one, the cheapest
cheapest as (
    select f.* from offers as f
    qualify row_number() over (
        partition by f.accelerator_id, f.pricing_model, f.provider
        order by f.uncounted_reason is not null, f.tier, f.usd_per_accelerator_hour, f.offer_id
    ) = 1
)

select
    c.accelerator_id,
    c.pricing_model,
    c.provider,
    c.segment,
    c.usd_per_accelerator_hour,
    c.uncounted_reason is null and c.is_inside as is_counted,
    c.uncounted_reason as reason,
    c.region,
    c.country,
    c.sites,
    c.machine_accelerators,
    c.instance_type,
    least({{ utc_day('c.last_seen_at') }}, c.price_as_of) as seen_on,
    c.days_before,
    c.price_as_of,
    c.offer_id,
    c.source_url
from cheapest as c
order by
    c.accelerator_id, c.pricing_model <> 'on_demand', c.pricing_model, c.uncounted_reason is not null, c.tier,
    c.usd_per_accelerator_hour, c.provider
