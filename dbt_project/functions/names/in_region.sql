{%- set zone = '(' ~ named_zone('lower(wanted)') ~ ')' -%}
coalesce(
    offer_region ilike wanted
    or offer_region ilike {{ zone }}
    or offer_region ilike {{ region_of_numbered_zone(zone) }}
    or {{ is_region_or_zone(region_of_numbered_zone('offer_region'), 'wanted') }}
    or offer_country = upper(wanted)
    or offer_country in (
        select g.country from {{ ref('region_groups') }} as g where lower(g.region_group) = lower(wanted)
    ),
    false
)
