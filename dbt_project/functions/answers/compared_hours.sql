-- What compare states of an hour of two accelerators, rented and owned.
with named as (select part_a as id_a, part_b as id_b),

offers as (
    select
        l.*,
        format(
            '{}, machine of {:g}{}', o.provider, coalesce(o.machine_accelerators, 1),
            case o.size_basis when 'assumed' then ' (assumed)' when 'unknown' then ' (size not stated)' else '' end
        ) as cheapest_detail
    from {{ function('price_level') }}(null, pricing := null) as l
    left join {{ ref('fct_price_interval') }} as o on l.cheapest_offer_id = o.offer_id and o.valid_to is null
),

rents as (
    select
        o.accelerator_id, o.pricing_model, o.pricing_model || ', price level' as item, 1 as item_order,
        o.usd_per_accelerator_hour as usd, o.usd_per_accelerator_hour_low as low, o.usd_per_accelerator_hour_high as high,
        o.sellers as detail, o.cheapest_offer_id as evidence
    from offers as o
    where o.usd_per_accelerator_hour is not null
    union all
    -- a list price whose day is not known
    select
        h.accelerator_id, h.price_terms, h.price_terms || ', price level', 1, h.usd_per_accelerator_hour, h.usd_per_accelerator_hour_low,
        h.usd_per_accelerator_hour_high, h.rent_basis, null
    from {{ ref('mart_accelerator_hour') }} as h
    where h.price_basis = 'rent'
        and h.accelerator_id not in (select o.accelerator_id from offers as o where o.pricing_model = h.price_terms)
    union all
    select
        o.accelerator_id, o.pricing_model, o.pricing_model || ', median of sellers' as item, 2 as item_order,
        o.usd_median_plain, null, null, {{ counted('o.n_sellers_plain', 'seller') }}, o.cheapest_offer_id
    from offers as o
    where o.usd_median_plain is not null
    union all
    select
        o.accelerator_id, o.pricing_model, o.pricing_model || ', cheapest seller' as item, 3 as item_order,
        o.usd_cheapest, null, null, o.cheapest_detail, o.cheapest_offer_id
    from offers as o
    where o.usd_cheapest is not null
),

price_rows as (
    select
        6 as topic_order,
        'rent' as topic,
        x.item,
        'USD per accelerator-hour' as unit,
        {{ of_both(value='#.usd', low='#.low', high='#.high', detail='#.detail', evidence='#.evidence') }}
    from named as n
    inner join rents as x on n.id_a = x.accelerator_id
    inner join rents as y on n.id_b = y.accelerator_id and x.item = y.item
),

ownership_rows as (
    select
        7 as topic_order,
        'ownership' as topic,
        concat_ws(', ', c.scenario_id, replace(c.capex_basis, '_', ' '), 'prices of ' || c.price_level) as item,
        'USD per accelerator-hour' as unit,
        c.usd_per_accelerator_hour as value_a,
        c.baseline_usd_per_accelerator_hour as value_b,
        c.tco_ratio_low as a_to_b_low,
        c.tco_ratio_high as a_to_b_high,
        format('at equal inputs {:.2f} to {:.2f}', c.tco_ratio_at_equal_inputs_low, c.tco_ratio_at_equal_inputs_high) as detail_a,
        c.tco_ratio_basis as evidence_a,
        c.tco_ratio_basis as evidence_b
    from named as n
    inner join {{ ref('mart_tco_ratio') }} as c
        on n.id_a = c.accelerator_id and n.id_b = c.baseline_accelerator_id
    where c.tco_ratio is not null
)

from price_rows
union all by name from ownership_rows
