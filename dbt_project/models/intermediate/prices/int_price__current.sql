-- The comparable prices in force on the day of the newest one. Prices announced for later are not.
{% set today %}{{ newest_price_on(ref('fct_price_interval'), '(select built_at from ' ~ ref('stg_accelmart__build_info') ~ ')') }}{% endset %}
{{ current_prices(ref('fct_price_interval'), ref('stg_reference__cloud_providers'), today) }}
