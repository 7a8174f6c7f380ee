{{ config(materialized = 'ephemeral') }}
-- Ephemeral: years of fetching make it the largest relation by far, and what it is needed for are its intervals.
-- Every offer of every parsed price list, once, however often the list was fetched.
select
    offer_id, source, file_row_number as row_in_payload, observed_at,
    provider_published, instance_type, {{ named_zone('region') }} as region, pricing_model, purchase_option, operating_system, variant,
    currency, price_unit, price, price_published, upfront, term_hours, price_min, price_max, n_observed,
    accelerator_published, accelerator_memory_gb, accelerator_count,
    vcpus, memory_gb, read_by_hand, observed_precision,
    source_url, payload_key, payload_url, payload_sha256, licence, parser_version,
    nullif(member, '') as payload_member, record as payload_record
from {{ source('raw', 'price_offers') }}
