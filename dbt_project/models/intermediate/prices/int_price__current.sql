-- The comparable prices in force on the day of the newest one. Prices announced for later are not.
{% set now %}{{ newest_price_at(ref('int_price__compared'), '(select built_at from ' ~ ref('stg_accelmart__build_info') ~ ')') }}{% endset %}
{{ prices_in_force(ref('int_price__compared'), ref('stg_reference__cloud_providers'), now) }}
