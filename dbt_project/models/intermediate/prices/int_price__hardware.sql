{{ config(materialized = 'ephemeral') }}
-- Ephemeral: its rows are those of fct_price_interval.
-- Prices of accelerators that are known for certain: rents that are compared, and purchases whose words name one accelerator, with
-- the form in which it was sold.
select
    prices.*,
    -- By the words of the offer and its page: all-in (with network and storage), a rack (NVL72), a server, or a bare module or card. A
    -- baseboard of eight is eight bare modules.
    case
        when prices.pricing_model <> 'purchase' then null
        when regexp_matches(prices.variant, '\ball-in\b') then 'all_in'
        when regexp_matches(lower(prices.source_url), 'baseboard|[-_]ubb\b') then 'module'
        when regexp_matches(prices.variant, '\bkit of 72\b') then 'rack'
        when regexp_matches(prices.variant, '\b[DH]GX\b|\b8x? GPU|/ 8 = ') then 'server'
        when regexp_matches(prices.variant, '\b1 GPU\b|\bkit of ') or specs.form_factor like 'PCIe%' then 'module'
        else 'unknown'
    end as purchase_form,
    case when prices.pricing_model = 'purchase' then coalesce(prices.purchase_option, 'listing') end as purchase_basis
from {{ ref('fct_price_interval') }} as prices
left join {{ ref('stg_reference__accelerator_specs') }} as specs using (accelerator_id)
where prices.is_comparable or (
    prices.exclusion_reason = {{ price_exclusion_reason("'purchase'") }}
    and prices.mapping_rule in ('fixed', 'group1', 'group1/2', 'num_gpus', 'exact')
)
