{#- Regions as people name them, against the region and country of an offer: a seller's region or zone (% is a wildcard; an id
    of an AWS zone, such as use1-az1, is one of its region), a country code, or a group of countries (seed region_groups). A region
    has the offers of its zones, and a zone those of its region. -#}
{% macro create_in_region() -%}
    {%- set zone = '(' ~ named_zone('lower(wanted)') ~ ')' -%}
    create or replace macro main.in_region(offer_region, offer_country, wanted) as (
        coalesce(
            offer_region ilike wanted
            or offer_region ilike {{ zone }}
            or offer_region ilike {{ region_of_numbered_zone(zone) }}
            or {{ is_region_or_zone(region_of_numbered_zone('offer_region'), 'wanted') }}
            or offer_country = upper(wanted)
            or offer_country in (
                select g.country from seeds.region_groups as g where lower(g.region_group) = lower(wanted)
            ),
            false
        )
    )
{%- endmacro %}

{#- Names without what people write in several ways: case, spaces, hyphens, dots. -#}
{% macro plain_name(name) -%}
    regexp_replace(lower({{ name }}), '[^\p{L}\p{N}]', '', 'g')
{%- endmacro %}

{#- Sellers as people name them: provider_of gives the key of a key, a name of the seed of aliases or the name of a company,
    and null for an unknown one; provider_named is an error then, which lists the sellers. Null stays null. -#}
{% macro create_provider_named() -%}
    create or replace macro main.provider_of(word) as (
        coalesce(
            (select min(p.provider) from dim_provider as p where {{ plain_name('p.provider') }} = {{ plain_name('word') }}),
            (
                select min(a.provider)
                from staging.stg_reference__cloud_provider_aliases as a
                where a.source = '*' and {{ plain_name('a.name_published') }} = {{ plain_name('word') }}
            ),
            (select min(p.provider) from dim_provider as p where {{ plain_name('p.provider_name') }} = {{ plain_name('word') }})
        )
    );
    create or replace macro main.provider_named(word) as (
        case
            when word is null or provider_of(word) is not null then provider_of(word)
            else error(
                'no seller matches "' || word || '"; sellers: ' || (
                    select string_agg(p.provider, ', ' order by p.provider)
                    from dim_provider as p
                    where p.n_offers > 0 and p.segment <> 'aggregate'
                )
            )
        end
    )
{%- endmacro %}
