{#- The sentence of each code of int_price__checked.comparability: why a price stands in no comparison. Null for `comparable`,
    and for `corrected`, whose sentence is the reason in the seed price_corrections. -#}
{% macro price_exclusion_reason(code) -%}
    {%- set sentences = {
        'purchase': 'a purchase price, not a rent',
        'seller_unmapped': 'seller is not mapped',
        'instance_type_unmapped': 'instance type is not mapped',
        'words_ambiguous': 'the words fit several accelerators',
        'fraction': 'a part of an accelerator',
        'not_compared': 'an accelerator that is not compared',
        'accelerator_contradicted': 'type and words name different accelerators',
        'count_unknown': 'number of accelerators is unknown',
        'count_contradicted': 'published count contradicts the type',
        'no_exchange_rate': 'no exchange rate',
        'windows_licence': 'with a Windows licence',
        'billed_on_top': 'CPU and memory are billed on top',
        'not_on_demand': 'listed, but not to be had on demand',
        'serverless': 'serverless: seconds of work, another product than a machine',
        'not_a_price_list': 'read in an article of the seller, not in its price list',
        'starting_price': 'a starting price: the lowest of several, not named',
        'out_of_stock': 'out of stock when last seen',
        'kind_contradicted': 'on demand in one source and spot in another at the same price',
        'contradicts_neighbours': 'read by hand on one day, between two readings of another price',
        'lowest_offer': 'the lowest offer of a marketplace, no median',
        'commitment': 'only with a commitment',
        'too_few_offers': 'median of too few offers',
        'unconfirmed': 'far from the others, and seen only once',
        'unconfirmed_move': 'far from its last price, and seen only once',
        'implausible_price': 'the price is outside of what can be',
        'implausible_count': 'the number of accelerators is outside of what can be',
        'placeholder': 'a figure that the seller also writes where there is no price',
        'announced': 'announced: it starts after the day of the list',
        'ended': 'it ended before the day of the list',
        'superseded': 'a later price in the same list is in force',
        'future': 'its day lies after the build',
    } -%}
    case {{ code }}
        {%- for value, sentence in sentences.items() %}
        when '{{ value }}' then '{{ sentence }}'
        {%- endfor %}
    end
{%- endmacro %}

