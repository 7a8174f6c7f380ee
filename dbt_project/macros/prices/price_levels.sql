{#- Price levels: which of a seller's prices stand for it, and the level of an accelerator on a day. -#}

{#- Tier of an offer by its variant: a community tier rents out machines of private hosts, as a marketplace does. -#}
{% macro price_tier(variant) -%}
    case when {{ variant }} ilike 'community%' then 'community' else 'standard' end
{%- endmacro %}

{#- Who has the vote of a seller: the one whose machines it sells on at that one's prices, else itself. -#}
{% macro seller_vote(provider, resells) -%}
    coalesce({{ resells }}, {{ provider }})
{%- endmacro %}
