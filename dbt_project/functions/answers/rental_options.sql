-- one option an accelerator: at its price level with the range of that; within a region, and where there is no level, at the
-- median over sellers with the spread of those
with loads as (
    select s.*, cast(months as double) * {{ hours_per_month() }} as hours
    from {{ function('serving_loads') }}(benchmark_ids, daily_loads, ttft_limits, scenario, utilisation, as_of) as s
),

priced_offers as (
    select
        o.*,
        case when not h.are_all_inside then o.provider || ' (' || h.site_countries || ')' end as of_all_sites,
        {{ region_tier('region', 'o.segment', 'h.are_all_inside') }} as region_tier
    from {{ function('price_on') }}(coalesce(cast(as_of as date), {{ function('newest_price_day') }}())) as o
    left join {{ function('sellers_in_region') }}(region) as h
        on o.provider = h.provider and o.region is null and o.country is null
    where o.pricing_model = 'on_demand'
        and (region is null or h.provider is not null or {{ function('in_region') }}(o.region, o.country, region))
),

offers as (
    select
        s.benchmark_id,
        s.max_ttft_ms,
        s.tokens_per_day,
        s.accelerator_id,
        o.provider,
        o.offer_id,
        o.region as offer_region,
        o.usd_per_accelerator_hour,
        o.machine_accelerators,
        o.size_basis,
        o.vote,
        o.price_standing,
        o.price_as_of,
        o.region_tier,
        o.of_all_sites,
        {{ unranked_reason('o') }} is null as may_be_cheapest,
        least({{ utc_day('o.last_seen_at') }}, o.price_as_of) as seen_on,
        {{ in_whole_machines('s.accelerators_busy', 'o.machine_accelerators') }} as accelerators,
        {{ in_whole_machines('s.accelerators_busy', 'o.machine_accelerators') }} * s.hours * o.usd_per_accelerator_hour
            as cost_usd,
        {{ old_price_reason('o.price_standing') }} as old_reason,
        {{ offer_fit('s.model_parameters', 's.number_format', 'o.machine_accelerators', "o.size_basis = 'stated'", 's.memory_gb') }}
            as fit
    from loads as s
    inner join priced_offers as o on s.accelerator_id = o.accelerator_id
),

-- one seller, one vote: its cheapest recent offer that holds the model
candidates as (
    select
        o.*,
        o.old_reason is null and o.fit = 'fits' as can_count
    from offers as o
    qualify row_number() over (
        partition by o.benchmark_id, o.max_ttft_ms, o.tokens_per_day, o.accelerator_id, o.vote
        order by
            o.old_reason is not null or o.fit = 'too_small',
            o.fit <> 'fits',
            o.region_tier,
            o.cost_usd,
            o.offer_id
    ) = 1
),

-- within a region the first tier that has a seller counts
sellers as (
    select
        o.*,
        o.can_count and o.region_tier = min(o.region_tier) filter (o.can_count) over (
            partition by o.benchmark_id, o.max_ttft_ms, o.tokens_per_day, o.accelerator_id
        ) as does_count
    from candidates as o
),

market as (
    select
        v.benchmark_id,
        v.max_ttft_ms,
        v.tokens_per_day,
        v.accelerator_id,
        count(*) filter (v.does_count) as n_sellers,
        count(*) filter (v.does_count and v.size_basis <> 'stated') as n_sellers_of_unstated_size,
        count(*) as n_sellers_priced,
        count(*) filter (v.old_reason is null and v.fit <> 'too_small') as n_sellers_recent,
        count(*) filter (v.price_standing in ('current', 'recent')) as n_sellers_seen,
        min(v.cost_usd) filter (v.does_count) as cost_usd_lowest,
        median(v.cost_usd) filter (v.does_count) as cost_usd_median,
        max(v.cost_usd) filter (v.does_count) as cost_usd_highest,
        median(v.usd_per_accelerator_hour) filter (v.does_count) as usd_per_accelerator_hour_median,
        quantile_disc(v.accelerators, 0.5) filter (v.does_count) as accelerators,
        min(v.accelerators) filter (v.does_count) as accelerators_low,
        max(v.accelerators) filter (v.does_count) as accelerators_high,
        quantile_disc(v.machine_accelerators, 0.5) filter (v.does_count) as machine_accelerators,
        list(v.machine_accelerators) filter (v.does_count) as sizes,
        string_agg(v.provider, ', ' order by v.cost_usd, v.provider) filter (v.does_count) as sellers,
        string_agg(v.of_all_sites, ', ' order by v.cost_usd, v.provider) filter (v.does_count) as sellers_of_all_sites,
        min(v.cost_usd) filter (v.does_count and v.may_be_cheapest) as cost_usd_cheapest,
        arg_min(v.offer_id, (v.cost_usd, v.offer_id)) filter (v.does_count and v.may_be_cheapest) as cheapest_offer_id,
        arg_min(v.provider, (v.cost_usd, v.offer_id)) filter (v.does_count and v.may_be_cheapest) as cheapest_provider,
        arg_min(v.offer_region, (v.cost_usd, v.offer_id)) filter (v.does_count and v.may_be_cheapest) as cheapest_region,
        min(v.seen_on) filter (v.does_count) as oldest_price_on,
        max(v.seen_on) filter (v.does_count) as newest_price_on
    from sellers as v
    group by v.benchmark_id, v.max_ttft_ms, v.tokens_per_day, v.accelerator_id
)

select
    s.*,
    'rent' as how,
    m.* exclude (benchmark_id, max_ttft_ms, tokens_per_day, accelerator_id),
    l.n_sellers as n_sellers_of_level,
    coalesce(l.usd_per_accelerator_hour, m.usd_per_accelerator_hour_median) as usd_per_accelerator_hour,
    coalesce(l.usd_per_accelerator_hour * m.accelerators * s.hours, m.cost_usd_median) as cost_usd,
    case
        when l.accelerator_id is not null then l.usd_per_accelerator_hour_low * m.accelerators * s.hours
        when m.n_sellers > 1 then m.cost_usd_lowest
    end as cost_usd_low,
    case
        when l.accelerator_id is not null then l.usd_per_accelerator_hour_high * m.accelerators * s.hours
        when m.n_sellers > 1 then m.cost_usd_highest
    end as cost_usd_high,
    coalesce(l.usd_per_accelerator_hour * m.accelerators * s.hours, m.cost_usd_median) as paid_usd,
    case
        when l.accelerator_id is not null then 'price level: ' || l.uncertainty_basis
        when m.n_sellers = 1 then 'one seller'
        else 'spread of sellers'
    end as uncertainty_basis,
    case
        when m.n_sellers > 0 then 'fits'
        when m.n_sellers_seen > 0 and m.n_sellers_recent = 0 then 'too_small'
        else 'unknown'
    end as fit,
    case
        when m.accelerator_id is null and region is not null
            then 'no on-demand price of this accelerator stated for region ' || region
        else {{ no_price_reason('m.n_sellers', 'm.n_sellers_priced', 'm.n_sellers_seen', 'm.n_sellers_recent') }}
    end as no_cost_reason
from loads as s
left join market as m
    on s.benchmark_id = m.benchmark_id and s.max_ttft_ms is not distinct from m.max_ttft_ms
    and s.tokens_per_day = m.tokens_per_day and s.accelerator_id = m.accelerator_id
-- a level is that of all regions
left join {{ function('price_level') }}(null, as_of := as_of) as l
    on s.accelerator_id = l.accelerator_id and l.reason is null
    and m.n_sellers > 0 and region is null
