with asked as materialized (
    select
        cast(accelerator as varchar) as part,
        cast(provider as varchar) as seller,
        case
            when 1 < (price is not null)::integer + (provider is not null)::integer + (scenario is not null)::integer then cast(error(
                'price (dollars per accelerator-hour, above 0), provider, scenario: at most one of them can be given, and '
                || concat_ws(
                    ' and ', case when price is not null then 'price' end, case when provider is not null then 'provider' end,
                    case when scenario is not null then 'scenario' end
                ) || ' are'
            ) as varchar)
            when price is not null then 'given'
            when provider is not null then 'seller'
            when scenario is not null then scenario
            when region is not null then 'region'
            else 'level'
        end as kind
),

levels as (
    select
        l.*,
        coalesce(l.usd_per_accelerator_hour, l.usd_median_plain) as usd,
        case when l.usd_per_accelerator_hour is null then l.n_sellers_plain else l.n_sellers end as n,
        case when l.usd_per_accelerator_hour is null then 'plain median of ' else 'price level of ' end
        || case n when 1 then 'one seller' else n || ' sellers' end as price_basis
    from {{ function('price_level') }}(null, pricing := pricing) as l
),

rates as (
    select
        a.part as accelerator_id,
        cast({{ argument('price') }} as double) as usd_per_accelerator_hour,
        cast(null as double) as usd_per_accelerator_hour_low,
        cast(null as double) as usd_per_accelerator_hour_high,
        cast(null as varchar) as price_basis,
        format('Price: ${:g} per accelerator-hour, as given.', cast(price as double)) as basis
    from asked as a
    where a.kind = 'given'
    union all by name
    select
        c.accelerator_id,
        cast(c.usd_per_accelerator_hour_min as double) as usd_per_accelerator_hour,
        format(
            'Price: the lowest {} price of {} in force, offer {} ({}, {}), last seen {} ({} precision; {}).', c.pricing_model, c.provider,
            c.best_offer_id, c.best_instance_type, coalesce(c.best_region, 'any region'), {{ utc_day('c.observed_at') }},
            c.observed_precision, c.best_source_url
        ) as basis
    from asked as a
    inner join {{ ref('mart_price_current') }} as c on a.kind = 'seller' and a.seller = c.provider and c.pricing_model = pricing
    union all by name
    select
        t.accelerator_id,
        t.usd_per_accelerator_hour,
        format('Price: ownership per accelerator-hour in scenario {}, {} (mart_tco).', t.scenario_id, {{ capital_words('t') }}) as basis
    from asked as a
    inner join {{ ref('mart_tco') }} as t on a.kind = t.scenario_id and t.is_default
    union all by name
    select
        g.accelerator_id,
        g.usd as usd_per_accelerator_hour,
        g.usd_low as usd_per_accelerator_hour_low,
        g.usd_high as usd_per_accelerator_hour_high,
        g.price_basis,
        format('Price: {}, ${:.4g}', g.price_basis, g.usd)
        || coalesce(format(' (${:.4g} to ${:.4g})', g.usd_low, g.usd_high), ' (no range)') || ' per accelerator-hour, ' || pricing || '.' as basis
    from asked as a
    cross join {{ function('regional_rates') }}(region, pricing := pricing) as g
    where a.kind = 'region'
    union all by name
    select
        l.accelerator_id,
        l.usd as usd_per_accelerator_hour,
        l.usd_per_accelerator_hour_low,
        l.usd_per_accelerator_hour_high,
        l.price_basis,
        format('Price: {}, ${:.4g}', l.price_basis, l.usd)
        || case when l.usd_per_accelerator_hour is null then ''
            else coalesce(
                format(' (${:.4g} to ${:.4g})', l.usd_per_accelerator_hour_low, l.usd_per_accelerator_hour_high), ' (no range)'
            )
        end
        || format(' per accelerator-hour, {}, as of {}', l.pricing_model, l.as_of)
        || case
            when l.usd_per_accelerator_hour is null
                then format('; there is no price level: {} (mart_rental_price_level).', l.reason)
            else format(
                ': typical neocloud price; cheapest seller {} ${:.4g}, plain median (n {}) ${:.4g}{} (mart_rental_price_level).',
                l.cheapest_provider, l.usd_cheapest, l.n_sellers_plain, l.usd_median_plain,
                case when l.is_moved_since_oldest
                    then format('; prices moved by {:+.0f} % since the oldest inside', l.moved_since_oldest_pct) else ''
                end
            )
        end as basis
    from asked as a
    inner join levels as l on a.kind = 'level'
    union all by name
    select
        h.accelerator_id,
        h.usd_per_accelerator_hour,
        h.usd_per_accelerator_hour_low,
        h.usd_per_accelerator_hour_high,
        h.rent_basis as price_basis,
        format(
            'Price: ${:.4g} (${:.4g} to ${:.4g}) per accelerator-hour, {}: {} (mart_accelerator_hour).', h.usd_per_accelerator_hour,
            h.usd_per_accelerator_hour_low, h.usd_per_accelerator_hour_high, h.price_terms, h.rent_basis
        ) as basis
    from asked as a
    inner join {{ ref('mart_accelerator_hour') }} as h
        on a.kind = 'level' and h.price_basis = 'rent' and h.price_terms = pricing
        and h.accelerator_id not in (select l.accelerator_id from levels as l)
)

select r.*
from asked as a
inner join rates as r on coalesce(a.part, r.accelerator_id) = r.accelerator_id

union all

select null, null, null, null, null, null
from asked as a
where case when a.part not in (select r.accelerator_id from rates as r) then error(case a.kind
    when 'region' then format('region is {}: nobody there has a recent {} price of {}. Give price or provider', region, pricing, a.part)
    when 'level' then format('pricing is {}: nobody has a recent price of {} under it. Give price, provider or scenario', pricing, a.part)
    when 'seller' then format(
        'provider is {}, pricing {}: no price in force for {}. There are prices of {}; or give price', a.seller, pricing, a.part,
        coalesce((
            select string_agg(distinct c.provider || ' ' || c.pricing_model, ', ' order by c.provider || ' ' || c.pricing_model)
            from {{ ref('mart_price_current') }} as c
            where c.accelerator_id = a.part
        ), 'nobody')
    )
    else format(
        'scenario is {}: no ownership cost of {} in it. Scenarios: {}; or give price', a.kind, a.part,
        (select string_agg(distinct t.scenario_id, ', ' order by t.scenario_id) from {{ ref('mart_tco') }} as t)
    )
end) is null else false end
