{#- Price levels: which of a seller's prices stand for it, and the level of an accelerator on a day. -#}

{#- Tier of an offer by its variant: a community tier rents out machines of private hosts, as a marketplace does. -#}
{% macro price_tier(variant) -%}
    case when {{ variant }} ilike 'community%' then 'community' else 'standard' end
{%- endmacro %}

{#- Who has the vote of a seller: the one whose machines it sells on at that one's prices, else itself. -#}
{% macro seller_vote(provider, resells) -%}
    coalesce({{ resells }}, {{ provider }})
{%- endmacro %}

{#- The rows of a mart of levels that hold on a day: of each key the newest that is not later. -#}
{% macro levels_on(levels, key, day) -%}
    select levels.*
    from {{ levels }} as levels
    where levels.as_of <= {{ day }}
    qualify row_number() over (partition by {{ key }}, levels.pricing_model order by levels.as_of desc) = 1
{%- endmacro %}

{% macro create_price_level() -%}
    create or replace macro main.price_level(accelerator, pricing_model := 'on_demand', as_of := null) as table (
        select l.*
        from mart_rental_price_level as l
        where l.accelerator_id = accelerator_named(accelerator)
            and l.pricing_model = pricing_model
            and l.as_of <= coalesce(cast(as_of as date), newest_price_day())
        order by l.as_of desc
        limit 1
    )
{%- endmacro %}
