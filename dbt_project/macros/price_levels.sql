{#- Price levels: which of a seller's prices stand for it, and the level of an accelerator on a day. -#}

{#- Tier of an offer by its variant: a community tier rents out machines of private hosts, as a marketplace does. -#}
{% macro price_tier(variant) -%}
    case when {{ variant }} ilike 'community%' then 'community' else 'standard' end
{%- endmacro %}

{#- Who has the vote of a seller: the one whose machines it sells on at that one's prices, else itself. -#}
{% macro seller_vote(provider, resells) -%}
    coalesce({{ resells }}, {{ provider }})
{%- endmacro %}

{#- The price levels that hold on a day: those of the newest stored day of each pricing model that is not later. -#}
{% macro levels_on(levels, day) -%}
    select levels.*
    from {{ levels }} as levels
    where levels.as_of <= {{ day }}
    qualify levels.as_of = max(levels.as_of) over (partition by levels.pricing_model)
{%- endmacro %}

{% macro create_price_level() -%}
    create or replace macro main.price_level(accelerator, pricing_model := 'on_demand', as_of := null) as table (
        with on_the_day as (
            {{ levels_on('mart_rental_price_level', 'coalesce(cast(as_of as date), newest_price_day())') }}
        )

        select d.*
        from on_the_day as d
        where d.accelerator_id = accelerator_named(accelerator) and d.pricing_model = pricing_model
    )
{%- endmacro %}
