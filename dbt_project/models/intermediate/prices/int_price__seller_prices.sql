-- One price a seller, accelerator, pricing model and day: of the newest day on which the seller was seen with the accelerator
-- (at most so many days before that a price counts as recent), the cheapest offer of the standard tier. A seller with several regions is
-- taken in one: the one that lists most accelerators, and the cheapest of those; an accelerator that is not offered there, in any.
-- is_in_level: what enters the fit of a day, and can be called the cheapest. Sellers that sell on another's machines repeat that one's
-- prices, and marketplaces are another trade.
with

prices as (
    select
        prices.offer_id,
        prices.accelerator_id,
        prices.provider,
        prices.pricing_model,
        coalesce(prices.region, '') as region,
        prices.usd_per_accelerator_hour,
        prices.machine_accelerators,
        prices.size_basis,
        sellers.segment,
        sellers.resells,
        {{ seller_vote('prices.provider', 'sellers.resells') }} as vote,
        case when specs.memory_type like 'HBM%' then 'hbm' else 'other' end as memory_group,
        cast(prices.valid_from as date) as first_on,
        cast(prices.last_seen_at as date) as last_on,
        cast(prices.valid_to - interval 1 microsecond as date) as in_force_until
    from {{ ref('fct_price_interval') }} as prices
    inner join {{ ref('stg_reference__cloud_providers') }} as sellers using (provider)
    left join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
    where prices.is_comparable
        and prices.observed_precision <> 'year'
        and prices.pricing_model <> 'purchase'
        and sellers.segment <> 'aggregate'
        and {{ price_tier('prices.variant') }} = 'standard'
),

in_force as (
    select level_days.as_of, prices.*, least(prices.last_on, level_days.as_of) as seen_on
    from {{ ref('int_price__level_days') }} as level_days
    inner join prices
        on level_days.pricing_model = prices.pricing_model
        and prices.first_on <= level_days.as_of
        and (prices.in_force_until is null or prices.in_force_until >= level_days.as_of)
        and prices.last_on >= level_days.as_of - {{ var('price_recent_days') }}
    qualify seen_on = max(least(prices.last_on, level_days.as_of)) over (
        partition by level_days.as_of, prices.pricing_model, prices.provider, prices.accelerator_id
    )
),

regions as (
    select
        as_of,
        pricing_model,
        provider,
        region,
        count(distinct accelerator_id) as n_accelerators,
        -- rounded: in another order of summation equal means would differ
        round(avg(ln(usd_per_accelerator_hour)), 9) as mean_ln_usd
    from in_force
    group by as_of, pricing_model, provider, region
),

region_of_seller as (
    select as_of, pricing_model, provider, arg_min(region, (-n_accelerators, mean_ln_usd, region)) as region
    from regions
    group by as_of, pricing_model, provider
)

select
    in_force.as_of,
    in_force.pricing_model,
    in_force.accelerator_id,
    in_force.provider,
    in_force.segment,
    in_force.vote,
    in_force.resells is not null as is_resold,
    in_force.memory_group,
    count(*) as n_offers,
    any_value(in_force.seen_on) as seen_on,
    date_diff('day', any_value(in_force.seen_on), in_force.as_of) as days_before,
    {{ out_of_level_reason('days_before', 'in_force.provider', 'in_force.vote', 'in_force.segment', 'in_force.pricing_model') }} is null
        as is_in_level,
    min(in_force.usd_per_accelerator_hour) as usd_lowest,
    arg_min(in_force.offer_id, (in_force.usd_per_accelerator_hour, in_force.offer_id)) as lowest_offer_id,
    {%- for column in ['offer_id', 'usd_per_accelerator_hour', 'machine_accelerators', 'size_basis'] %}
    arg_min(in_force.{{ column }}, (
        in_force.region <> region_of_seller.region, in_force.usd_per_accelerator_hour, in_force.offer_id
    )) as {{ column }}{{ ',' if not loop.last }}
    {%- endfor %}
from in_force
inner join region_of_seller using (as_of, pricing_model, provider)
group by
    in_force.as_of, in_force.pricing_model, in_force.accelerator_id, in_force.provider, in_force.segment, in_force.vote, in_force.resells,
    in_force.memory_group
