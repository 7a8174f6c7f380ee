{{ is_of_region('offer_region', 'wanted') }}
or coalesce(
    offer_country = upper(wanted)
    or offer_country in (select w.country from {{ ref('int_energy__country_words') }} as w where w.word = lower(wanted)),
    false
)
