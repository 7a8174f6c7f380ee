-- What a seller charges under a term (a commitment, or spot) divided by its price on demand of the same instance type, region and
-- variant, by day of a level. The newest price of the term counts, at most so many days old; its price on demand is that of the same
-- day, else the nearest within so many days without a known change between. Only accelerators with HBM that several sellers rent out:
-- a maker's own chip has no market price.
{% set line = ['provider', 'accelerator_id', 'instance_type', 'region', 'variant'] %}
with

prices as (
    select
        prices.pricing_model,
        {% for column in line -%}
        coalesce(prices.{{ column }}, '') as {{ column }},
        {% endfor -%}
        sellers.segment,
        prices.offer_id,
        prices.usd_per_accelerator_hour,
        cast(prices.valid_from as date) as first_on,
        cast(prices.last_seen_at as date) as last_on,
        coalesce(cast(prices.valid_to - interval 1 microsecond as date), date '9999-12-31') as in_force_until
    from {{ ref('fct_price_interval') }} as prices
    inner join {{ ref('stg_reference__cloud_providers') }} as sellers using (provider)
    inner join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
    where prices.is_comparable
        and prices.observed_precision <> 'year'
        and sellers.segment in ('hyperscaler', 'neocloud')
        and sellers.resells is null
        and specs.memory_type like 'HBM%'
        and (
            prices.pricing_model in ('on_demand', 'spot')
            or prices.pricing_model like 'reserved%' and prices.term_hours is not null
        )
    qualify max(prices.provider) over (partition by prices.accelerator_id) <> min(prices.provider) over (partition by prices.accelerator_id)
),

on_demand as (
    select
        *,
        lag(usd_per_accelerator_hour) over (partition by {{ line | join(', ') }} order by first_on, last_on, offer_id) as usd_before
    from prices
    where pricing_model = 'on_demand'
),

dated as (
    select level_days.as_of, least(prices.last_on, level_days.as_of) as term_on, prices.*
    from {{ ref('int_price__level_days') }} as level_days
    inner join prices
        on level_days.pricing_model = prices.pricing_model
        and prices.first_on <= level_days.as_of
        and prices.last_on >= level_days.as_of - {{ var('price_recent_days') }}
    where prices.pricing_model <> 'on_demand'
),

terms as (
    select *
    from dated
    qualify row_number() over (
        partition by as_of, pricing_model, {{ line | join(', ') }}
        order by term_on desc, usd_per_accelerator_hour asc, offer_id asc
    ) = 1
)

select
    terms.as_of,
    terms.pricing_model,
    terms.segment,
    {% for column in line -%}
    terms.{{ column }},
    {% endfor -%}
    terms.offer_id,
    terms.term_on,
    terms.usd_per_accelerator_hour,
    on_demand.offer_id as on_demand_offer_id,
    on_demand.usd_per_accelerator_hour as on_demand_usd_per_accelerator_hour,
    greatest(on_demand.first_on - terms.term_on, terms.term_on - on_demand.last_on, 0) as days_apart,
    terms.usd_per_accelerator_hour / on_demand.usd_per_accelerator_hour as ratio
from terms
inner join on_demand using ({{ line | join(', ') }})
where on_demand.first_on <= terms.as_of
    and days_apart <= {{ var('price_current_days') }}
    and terms.term_on <= on_demand.in_force_until
    and (
        on_demand.first_on <= terms.term_on
        or coalesce(on_demand.usd_before, on_demand.usd_per_accelerator_hour) = on_demand.usd_per_accelerator_hour
    )
qualify row_number() over (
    partition by terms.as_of, terms.pricing_model, {{ line | join(', ') }}
    order by days_apart, on_demand.usd_per_accelerator_hour, on_demand.offer_id
) = 1
