-- One row per offer and stretch of time in which its price stayed the same, of an hour or of a purchase.
with

prices as (
    select * from {{ ref('int_price__hardware') }} where {{ is_mapped('accelerator_id') }}
),

sellers as (select * from {{ ref('dim_provider') }} where {{ is_mapped('provider') }}),

specs as (select * from {{ ref('dim_accelerator') }}),

priced as (
    select
        prices.*,
        cast(prices.valid_from as date) as seen_on,
        case when prices.pricing_model = 'purchase' then 'purchase' else 'hour' end as kind,
        case when prices.pricing_model = 'purchase' then prices.price * prices.usd_per_unit else prices.usd_per_accelerator_hour end as usd
    from prices
)

select
    priced.accelerator_id,
    priced.seen_on,
    priced.kind,
    priced.usd,
    priced.provider as seller,
    priced.pricing_model,
    priced.instance_type,
    priced.region,
    priced.country,
    priced.variant,
    priced.purchase_form,
    priced.purchase_basis,
    cast(priced.last_seen_at as date) as last_seen_on,
    priced.observed_precision,
    priced.is_unusual,
    {{ usd_per_hour_for('priced.usd', 'specs.bf16_dense_tflops') }} as usd_per_dense_tflop,
    {{ usd_per_hour_for('priced.usd', 'specs.memory_gb') }} as usd_per_memory_gb,
    {{ usd_per_hour_for('priced.usd', 'specs.memory_bandwidth_gb_s') }} as usd_per_gb_s,
    priced.offer_id,
    priced.stream,
    priced.valid_from,
    priced.source,
    priced.source_url,
    priced.payload_sha256,
    priced.payload_record
from priced
inner join sellers using (provider)
left join specs using (accelerator_id)
where sellers.segment <> 'aggregate' or priced.kind = 'purchase'
