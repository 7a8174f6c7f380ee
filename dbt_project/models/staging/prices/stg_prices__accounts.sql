{{ config(materialized = 'ephemeral') }}
-- One row per parsed payload of a price list.
{{ staged_reconciliation('price_reconciliation') }}
