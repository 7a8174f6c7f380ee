-- The comparable prices in force when this was built, one source a seller. What is announced for later is not.
{% set now %}(select built_at from {{ ref('ops_generation') }}){% endset %}
with

current_prices as (
    {{ prices_in_force(ref('fct_price_interval'), ref('cloud_providers'), now) }}
)

select * from current_prices
