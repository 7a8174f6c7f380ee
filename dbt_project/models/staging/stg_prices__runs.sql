{{ config(materialized = 'ephemeral') }}
-- Ephemeral: years of polling make it the largest relation by far, and what it is needed for is its fold.
-- Equal consecutive prices of an offer within a month, with the evidence of the first.
with

source as (select * from {{ source('raw', 'price_runs') }})

select
    offer_id, source, source_rank, stream, month, first_poll, last_poll, first_seen_at, last_seen_at,
    provider_published, instance_type, {{ named_zone('region') }} as region, pricing_model, purchase_option, operating_system, variant,
    currency, price_unit, price, price_published, upfront, term_hours, price_min, price_max, n_observed,
    accelerator_published, accelerator_memory_gb, accelerator_count as accelerator_count_published,
    vcpus, memory_gb, is_available, observed_precision,
    source_url, payload_key, payload_url, payload_sha256, licence, parser_version,
    member as payload_member, record as payload_record
from source
