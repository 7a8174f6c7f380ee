with cache as (select 1e0 * kv_cache_bytes * context_length * sequences as kv_cache),

replica as (
    select
        params * weight_bytes / 1e9 as weights_gb,
        kv_cache_bytes as kv_cache_bytes_per_token,
        kv_cache / 1e9 as kv_cache_gb,
        {{ function('accelerators_that_hold') }}(params * weight_bytes + kv_cache, memory_gb_each) as fewest_accelerators,
        {{ function('accelerators_for_load') }}(tokens_per_day, tokens_per_s, utilisation) as accelerators_busy
    from cache
),

fleet as (
    select
        *,
        cast(ceil(accelerators_busy / coalesce(fewest_accelerators, 1)) as bigint)
        * coalesce(fewest_accelerators, 1) as accelerators,
        {{ in_whole_machines('accelerators', 'bought_together') }}::bigint as accelerators_bought
    from replica
)

select
    tokens_per_s as output_tokens_per_s_per_accelerator,
    accelerators_busy,
    accelerators,
    100 * {{ function('accelerators_for_load') }}(tokens_per_day, tokens_per_s, 100) / accelerators
        as utilisation_of_fleet_pct,
    accelerators * 24e0 as accelerator_hours_per_day,
    {{ usd_per_output_mtok('price', 'tokens_per_s') }} as usd_per_output_mtok_at_full_use,
    accelerators * 24e0 * price / tokens_per_day * 1e6 as usd_per_output_mtok,
    accelerators * 24e0 * price as rental_usd_per_day,
    accelerators_bought,
    accelerators_bought - accelerators as accelerators_idle,
    accelerators_bought * capex as outlay_hardware_usd,
    accelerators_bought * capex * {{ estimate_constant('gpu_share_of_hardware_pct') }} / 100
        as outlay_of_which_accelerators_usd,
    {{ function('amortised_usd') }}(
        accelerators_bought * capex, 24e0, coalesce(depreciation_years, {{ estimate_constant('hardware_life_years') }})
    ) as amortised_hardware_usd_per_day,
    {{ function('j_per_token') }}(watts, 1, tokens_per_s) as j_per_output_token_before_pue_at_full_use,
    {{ function('j_per_token') }}(watts, pue, tokens_per_s) as j_per_output_token_at_full_use,
    accelerators * watts * pue * 86400 / tokens_per_day as j_per_output_token,
    accelerators * watts * pue * 24 / 1000 as kwh_per_day,
    accelerators * watts * pue * 24 / 1000 * electricity as electricity_usd_per_day,
    {{ function('tokens_per_household_year') }}(accelerators * watts * pue * 86400 / tokens_per_day)
        as output_tokens_per_household_year,
    {{ function('household_years') }}(tokens_per_day * 365, accelerators * watts * pue * 86400 / tokens_per_day)
        as households,
    accelerators * watts * pue * 24 / 1000 * kg_co2e_per_kwh as kg_co2e_per_day,
    weights_gb,
    kv_cache_bytes_per_token,
    kv_cache_gb,
    weights_gb + kv_cache_gb as memory_gb,
    fewest_accelerators
from fleet
