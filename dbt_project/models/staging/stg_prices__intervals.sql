{{ config(materialized = 'ephemeral') }}
-- Ephemeral: int_price__offers keeps every row. Intervals of prices, folded in the raw layer (warehouse/price_intervals.py).
with

source as (
    select * from {{ source('raw', 'price_intervals') }}
    union all by name
    select * from {{ source('raw', 'price_open_intervals') }}
)

select
    offer_id, source, source_rank, stream, first_poll, last_poll, polls_to_close, valid_from, valid_to, last_seen_at, ended_because,
    provider_published, instance_type, {{ named_zone('region') }} as region, pricing_model, purchase_option, operating_system, variant,
    currency, price_unit, price, price_published, upfront, term_hours, price_before, upfront_before, term_hours_before,
    price_min, price_max, n_observed,
    accelerator_published, accelerator_memory_gb, accelerator_count,
    vcpus, memory_gb, is_available, observed_precision,
    source_url, payload_key, payload_url, payload_sha256, licence, parser_version,
    member as payload_member, record as payload_record
from source
