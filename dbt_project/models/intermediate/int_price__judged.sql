-- Which prices can stand in a comparison. Nothing is dropped: what cannot says why.
with

offers as (select * from {{ ref('int_price__offers') }}),

classed as (
    select
        *,
        -- what can be taken away at any time is another good than what is kept
        case when pricing_model in ('spot', 'marketplace') then 'interruptible' else 'kept' end as price_class,
        year(last_seen_at) as price_year
    from offers
),

-- a seller with thirty regions counts once; prices are compared with those of the same year
sellers as (
    select accelerator_id, price_class, price_year, provider, median(usd_per_accelerator_hour) as usd_per_accelerator_hour
    from classed
    where {{ is_mapped('accelerator_id') }} and {{ is_mapped('provider') }} and operating_system = 'linux'
    group by accelerator_id, price_class, price_year, provider
),

bands as (
    select
        accelerator_id,
        price_class,
        price_year,
        median(usd_per_accelerator_hour) as usd_per_accelerator_hour_median,
        count(*) as n_providers
    from sellers
    group by accelerator_id, price_class, price_year
),

flagged as (
    select
        classed.*,
        bands.usd_per_accelerator_hour_median as band_median,
        -- by a later poll of the same list, or by another list
        classed.is_seen_again
        or count(distinct classed.source) over (
            partition by
                classed.provider, classed.instance_type, classed.region, classed.pricing_model,
                classed.operating_system, classed.price_unit, classed.currency, round(classed.hourly_price, 6)
        ) > 1 as is_confirmed,
        coalesce(
            classed.hourly_price / classed.hourly_price_before > {{ var('price_move_factor') }}
            or classed.hourly_price_before / classed.hourly_price > {{ var('price_move_factor') }},
            false
        ) as is_moved_far,
        coalesce(
            bands.n_providers >= {{ var('price_band_providers') }}
            and (
                classed.usd_per_accelerator_hour > bands.usd_per_accelerator_hour_median * {{ var('price_band_factor') }}
                or classed.usd_per_accelerator_hour < bands.usd_per_accelerator_hour_median / {{ var('price_band_factor') }}
            ),
            false
        ) as is_outside_band
    from classed
    left join bands
        on classed.accelerator_id = bands.accelerator_id and classed.price_class = bands.price_class
        and classed.price_year = bands.price_year
),

corrections as (
    select distinct flagged.source, flagged.provider, flagged.instance_type, flagged.pricing_model, flagged.price, seed.reason
    from flagged
    inner join {{ ref('price_corrections') }} as seed
        on flagged.source = seed.source
        and flagged.provider = seed.provider
        and flagged.pricing_model = seed.pricing_model
        and regexp_full_match(flagged.instance_type, seed.instance_type_regex, 'i')
        and flagged.price between seed.price_from and seed.price_to
)

select
    flagged.* exclude (price_year),
    case
        when price_unit = 'accelerator' then 'a purchase price, not a rent'
        when not {{ is_mapped('provider') }} then 'seller is not mapped'
        when mapping_rule = 'unmapped' then 'instance type is not mapped'
        when mapping_rule = 'ambiguous' then 'the words fit several accelerators'
        when mapping_rule = 'fraction' then 'a part of an accelerator'
        when mapping_rule = 'no_id' then 'an accelerator that is not compared'
        when is_contradicted then 'type and words name different accelerators'
        when accelerators is null or accelerators <= 0 then 'number of accelerators is unknown'
        when accelerator_count <> accelerator_count_of_type then 'published count contradicts the type'
        when usd_per_unit is null then 'no exchange rate'
        when operating_system <> 'linux' then 'with a Windows licence'
        when purchase_option like '%billed on top%' then 'CPU and memory are billed on top'
        when purchase_option like '%cannot be started on demand%' then 'listed, but not to be had on demand'
        when purchase_option like '%lowest live offer%' then 'the lowest offer of a marketplace, no median'
        when corrections.reason is not null then corrections.reason
        when term_hours is not null and pricing_model not like 'reserved%' and pricing_model <> 'capacity_block'
            then 'only with a commitment'
        when pricing_model = 'marketplace' and n_observed between 2 and {{ var('marketplace_offers_floor') }} - 1
            then 'median of too few offers'
        -- a seller's own list is flagged, not excluded: only figures collected by people or aggregated are
        when source_rank >= 3 and (is_moved_far or is_outside_band) and not is_confirmed
            then 'far from the others, and seen only once'
    end as exclusion_reason
from flagged
left join corrections using (source, provider, instance_type, pricing_model, price)
