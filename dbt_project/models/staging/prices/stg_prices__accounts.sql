{{ config(materialized = 'ephemeral') }}
{{ staged_reconciliation('price_reconciliation') }}
