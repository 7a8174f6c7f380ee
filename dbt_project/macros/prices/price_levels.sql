{#- Price levels: which of a seller's prices stand for it, and the level of an accelerator on a day. -#}

{#- Why an estimate is not published: its fit has too few degrees of freedom (where `df` is given), or its range is so wide that it says
    nothing (`margin` of its logarithm). Null where it can be. -#}
{% macro no_estimate_reason(margin, df=none) -%}
    case
        {% if df -%}
        when {{ df }} < {{ var('price_level_degrees') }}
            then 'too few prices: ' || {{ df }} || ' degrees of freedom, {{ var("price_level_degrees") }} are needed'
        {% endif -%}
        when {{ margin }} > ln({{ var('price_range_factor') }}) / 2
            then 'too uncertain: the high end of the range is more than {{ var("price_range_factor") }} times the low end'
    end
{%- endmacro %}

{#- Tier of an offer by its variant: a community tier rents out machines of private hosts, as a marketplace does. -#}
{% macro price_tier(variant) -%}
    case when {{ variant }} ilike 'community%' then 'community' else 'standard' end
{%- endmacro %}

{#- Who has the vote of a seller: the one whose machines it sells on at that one's prices, else itself. -#}
{% macro seller_vote(provider, resells) -%}
    coalesce({{ resells }}, {{ provider }})
{%- endmacro %}

{#- Whether a price is more than so many times another, or less than one of so many parts of it. -#}
{% macro is_far(price, other, factor) -%}
    {{ price }} not between {{ other }} / {{ factor }} and {{ other }} * {{ factor }}
{%- endmacro %}
