-- What each interval of int_price__intervals is a price of, and whether it can stand in a comparison. Nothing is dropped: what
-- cannot says why.
{% set hour_bounds = var('price_per_accelerator_hour') | join(' and ') %}
{% set bought_bounds = var('price_per_accelerator_bought') | join(' and ') %}
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
        and usd_per_accelerator_hour between {{ hour_bounds }}
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

observed as (
    select
        classed.*,
        -- by a later observation of the list, or by another source, which may name machine and region otherwise
        classed.is_seen_again
        or count(distinct classed.source) over (
            partition by
                classed.provider, classed.accelerator_id, classed.pricing_model, {{ price_tier('classed.variant') }}, classed.term_hours,
                classed.operating_system, classed.currency, round(classed.usd_per_accelerator_hour / classed.usd_per_unit, 4)
        ) > 1 as is_confirmed,
        lag(classed.hourly_price) over of_offer as hourly_price_before,
        -- perhaps a slip of a reader: another price on one day alone, and the earlier price on the next
        coalesce(
            classed.read_by_hand is not null
            and not classed.is_seen_again
            and lag(classed.hourly_price) over of_offer = lead(classed.hourly_price) over of_offer,
            false
        ) as is_up_and_back,
        coalesce(bands.n_providers >= {{ var('price_band_providers') }} and {{ is_far(
            'classed.usd_per_accelerator_hour', 'bands.usd_per_accelerator_hour_median', var('price_band_factor')
        ) }}, false) as is_outside_band
    from classed
    left join bands
        on classed.accelerator_id = bands.accelerator_id and classed.price_class = bands.price_class
        and classed.price_year = bands.price_year
    window of_offer as (partition by classed.source, classed.stream, classed.offer_id order by classed.first_poll)
),

-- what a price of an offer is compared with: the last one before it that was seen twice, or neither moved far nor lies far off
referred as (
    select
        *,
        last_value(
            case
                when is_confirmed then hourly_price
                when not is_outside_band and {{ is_far('hourly_price', 'hourly_price_before', var('price_move_factor')) }} is not true
                    then hourly_price
            end ignore nulls
        ) over (
            partition by source, stream, offer_id order by first_poll rows between unbounded preceding and 1 preceding
        ) as reference_price
    from observed
),

flagged as (
    select
        *,
        coalesce({{ is_far('hourly_price', 'reference_price', var('price_move_factor')) }}, false) as is_moved_far
    from referred
),

-- one figure of a seller, on demand in one source and spot in another of about the same time: what it is a price of is not
-- known, unless the other source is further from the seller
kinds as (
    select
        interval_number, provider, accelerator_id, pricing_model, source, source_rank, valid_from, last_seen_at,
        round(usd_per_accelerator_hour, 4) as usd_per_accelerator_hour
    from offers
    where pricing_model in ('on_demand', 'spot')
        and {{ is_mapped('accelerator_id') }} and {{ is_mapped('provider') }}
        and operating_system = 'linux' and option_comparability is null
),

contradicted_kinds as (
    select distinct one.interval_number, true as is_kind_contradicted
    from kinds as one
    inner join kinds as other
        on one.provider = other.provider and one.accelerator_id = other.accelerator_id
        and one.usd_per_accelerator_hour = other.usd_per_accelerator_hour
    where one.pricing_model <> other.pricing_model
        and one.source <> other.source
        and other.source_rank <= one.source_rank
        and one.valid_from <= other.last_seen_at + to_days({{ var('price_level_days') }})
        and other.valid_from <= one.last_seen_at + to_days({{ var('price_level_days') }})
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
),

judged as (
    select
        flagged.*,
        corrections.reason as correction_reason,
        case
            when flagged.price_unit = 'accelerator' and flagged.price * flagged.usd_per_unit not between {{ bought_bounds }}
                then 'implausible_price'
            when flagged.price_unit = 'accelerator' then 'purchase'
            when not {{ is_mapped('provider') }} then 'seller_unmapped'
            when flagged.mapping_rule = 'unmapped' then 'instance_type_unmapped'
            when flagged.mapping_rule = 'ambiguous' then 'words_ambiguous'
            when flagged.mapping_rule = 'fraction' then 'fraction'
            when flagged.mapping_rule = 'no_id' then 'not_compared'
            when flagged.is_contradicted then 'accelerator_contradicted'
            when flagged.accelerators is null or flagged.accelerators <= 0 then 'count_unknown'
            when flagged.accelerator_count <> flagged.accelerator_count_of_type then 'count_contradicted'
            when flagged.accelerators > {{ var('price_accelerators_max') }} then 'implausible_count'
            when flagged.usd_per_unit is null then 'no_exchange_rate'
            when flagged.usd_per_accelerator_hour not between {{ hour_bounds }} then 'implausible_price'
            when flagged.operating_system <> 'linux' then 'windows_licence'
            when flagged.option_comparability is not null then flagged.option_comparability
            when corrections.reason is not null then 'corrected'
            when flagged.term_hours is not null and pricing_model not like 'reserved%' and pricing_model <> 'capacity_block'
                then 'commitment'
            when flagged.is_available = false then 'out_of_stock'
            when contradicted_kinds.is_kind_contradicted then 'kind_contradicted'
            when flagged.is_up_and_back then 'contradicts_neighbours'
            when pricing_model = 'marketplace' and flagged.n_observed between 2 and {{ var('marketplace_offers_floor') }} - 1
                then 'too_few_offers'
            -- of every source except the user's own files (rank 0)
            when flagged.is_confirmed or flagged.source_rank = 0 then 'comparable'
            when flagged.is_moved_far then 'unconfirmed_move'
            when flagged.reference_price is null and flagged.is_outside_band then 'unconfirmed'
            else 'comparable'
        end as comparability
    from flagged
    left join corrections using (source, provider, instance_type, pricing_model, price)
    left join contradicted_kinds using (interval_number)
)

select
    interval_number,
    provider,
    accelerator_id,
    accelerator_id_by_words,
    accelerators,
    accelerator_count_of_type,
    machine_accelerators,
    is_size_stated,
    size_basis,
    mapping_rule,
    mapping_basis,
    is_contradicted,
    country,
    is_region_known,
    usd_per_unit,
    usd_rate_date,
    usd_per_instance_hour,
    usd_per_accelerator_hour,
    is_confirmed,
    is_outside_band,
    is_moved_far,
    is_provider_override,
    is_instance_type_override,
    is_region_override,
    comparability,
    case when comparability = 'corrected' then correction_reason else {{ price_exclusion_reason('comparability') }} end
        as exclusion_reason
from judged
