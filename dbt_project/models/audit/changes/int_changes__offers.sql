{{ config(materialized = 'ephemeral') }}
-- One row per offer whose price is in force when the generation is built: the price in the unit and currency of its list.
with

built as (select built_at from {{ ref('ops_generation') }})

select
    'price' as role,
    'fct_price_interval' as relation,
    'hourly_price' as figure,
    offers.offer_id as subject,
    true as is_primary,
    offers.accelerator_id, offers.variant, offers.provider, offers.instance_type, offers.region,
    offers.pricing_model, offers.source, offers.is_comparable,
    offers.source as input_scope,
    -- that it was seen again is news too: it can make a price comparable
    md5([
        offers.price::varchar, offers.currency, offers.price_unit, offers.upfront::varchar,
        offers.term_hours::varchar, offers.accelerator_published, offers.is_seen_again::varchar, offers.overridden_by
    ]::varchar) as input_version,
    {{ hourly_price('offers.price', 'offers.upfront', 'offers.term_hours') }} as value,
    offers.currency || ' per ' || replace(offers.price_unit, '_', '-') as unit
from {{ ref('fct_price_interval') }} as offers
cross join built
where offers.valid_from <= built.built_at and coalesce(offers.valid_to > built.built_at, true)
qualify row_number() over (partition by offers.offer_id order by offers.last_seen_at desc, offers.stream) = 1
