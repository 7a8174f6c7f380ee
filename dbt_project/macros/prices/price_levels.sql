{#- Price levels: which of a seller's prices stand for it, and the level of an accelerator on a day. -#}

{#- Whether a range is so wide that it says nothing: `margin` is half of that of the logarithm. -#}
{% macro is_range_too_wide(margin) -%}
    {{ margin }} > ln({{ var('price_range_factor') }}) / 2
{%- endmacro %}

{#- Why there is no price level, by its code; null where there is one. -#}
{% macro price_level_reason(code) -%}
    case {{ code }}
        when 'marketplace' then 'a marketplace has no level: see its median'
        when 'no_recent_price'
            then 'no seller with prices of its own had it in stock in the {{ var("price_level_days") }} days before'
        when 'one_seller' then 'only one seller with prices of its own lists it'
        when 'no_fit' then 'no group of sellers with a neocloud lists the same accelerators that day'
        when 'sellers_not_linked' then 'fewer than two of its sellers list another accelerator that links it to the others'
        when 'few_degrees' then 'too few prices: fewer than {{ var("price_level_degrees") }} degrees of freedom'
        when 'too_uncertain' then 'too uncertain: the high end of the range is more than {{ var("price_range_factor") }} times the low end'
        when 'not_hbm' then 'discounts of terms are known of accelerators with HBM only'
        when 'few_sellers_of_term' then 'fewer than two sellers publish this term next to their price on demand'
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

{#- Student's t that 97.5 % lie below, by degrees of freedom: its expansion around the normal distribution (Fisher and Cornish 1960), within
    .2 % from three degrees on. -#}
{% macro student_t(degrees) -%}
    {%- set z = 1.959964 -%}
    ({{ z }} + {{ ((z ** 3 + z) / 4) | round(6) }} / ({{ degrees }})
    + {{ ((5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96) | round(6) }} / pow({{ degrees }}, 2)
    + {{ ((3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384) | round(6) }} / pow({{ degrees }}, 3)
    + {{ ((79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / 92160) | round(6) }} / pow({{ degrees }}, 4))
{%- endmacro %}

{#- Half of the 95 % range of a sum over sellers, from its values without one of them each: the jackknife over at least four sellers. -#}
{% macro jackknife_margin(value) -%}
    case
        when count({{ value }}) >= {{ var('price_range_sellers') }}
            then {{ student_t('(count(' ~ value ~ ') - 1)') }} * sqrt((count({{ value }}) - 1) * var_pop({{ value }}))
    end
{%- endmacro %}

{#- Why the newest price of a seller enters no price level; null where it does. -#}
{% macro out_of_level_reason(days_before, provider, vote, segment, pricing_model) -%}
    case
        when {{ days_before }} > {{ var('price_level_days') }}
            then 'the price was last seen more than {{ var('price_level_days') }} days before'
        when {{ provider }} <> {{ vote }} then 'sells machines of ' || {{ vote }} || ' at the prices of that seller'
        when {{ segment }} not in ('hyperscaler', 'neocloud') and {{ pricing_model }} <> 'marketplace'
            then 'a marketplace, where prices are those of many hosts'
    end
{%- endmacro %}
