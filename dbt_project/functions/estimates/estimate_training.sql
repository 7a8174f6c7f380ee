with speed as (
    select
        {{ in_whole_machines('accelerators', 'bought_together') }}::bigint as accelerators_bought,
        {{ function('training_flops_per_token') }}(parameter_count, layer_count, hidden, sequence_len) as flops_per_token,
        coalesce(tokens_per_s_each, {{ function('trained_tokens_per_s') }}(
            mfu, {{ function('training_flops_per_token') }}(parameter_count, layer_count, hidden, sequence_len), peak_tflops
        )) as trained_tokens_per_s_per_accelerator
),

run as (
    select
        *,
        {{ function('training_hours') }}(tokens, trained_tokens_per_s_per_accelerator, accelerators) as hours,
        {{ function('training_accelerator_hours') }}(tokens, trained_tokens_per_s_per_accelerator) as accelerator_hours,
        {{ function('j_per_token') }}(watts_each, 1, trained_tokens_per_s_per_accelerator) as j_per_trained_token_before_pue,
        {{ function('j_per_token') }}(watts_each, facility_pue, trained_tokens_per_s_per_accelerator) as j_per_trained_token,
        hardware_usd_each * accelerators_bought as hardware_usd,
        coalesce(all_parameters, parameter_count) as held_parameters
    from speed
)

select
    flops_per_token,
    flops_per_token * tokens as flops,
    trained_tokens_per_s_per_accelerator,
    tokens_per_s_low as trained_tokens_per_s_per_accelerator_low,
    tokens_per_s_high as trained_tokens_per_s_per_accelerator_high,
    hours / 24 as days,
    {{ function('training_hours') }}(tokens, tokens_per_s_high, accelerators) / 24 as days_low,
    {{ function('training_hours') }}(tokens, tokens_per_s_low, accelerators) / 24 as days_high,
    accelerator_hours,
    {{ function('usd_per_trained_mtok') }}(usd_per_hour, trained_tokens_per_s_per_accelerator) as usd_per_trained_mtok,
    {{ function('usd_per_trained_mtok') }}(usd_per_hour, tokens_per_s_high) as usd_per_trained_mtok_low,
    {{ function('usd_per_trained_mtok') }}(usd_per_hour, tokens_per_s_low) as usd_per_trained_mtok_high,
    accelerator_hours * usd_per_hour as rental_usd,
    {{ function('training_accelerator_hours') }}(tokens, tokens_per_s_high) * usd_per_hour as rental_usd_low,
    {{ function('training_accelerator_hours') }}(tokens, tokens_per_s_low) * usd_per_hour as rental_usd_high,
    accelerators_bought,
    accelerators_bought - accelerators as accelerators_idle,
    hardware_usd as outlay_hardware_usd,
    hardware_usd * {{ estimate_constant('gpu_share_of_hardware_pct') }} / 100 as outlay_of_which_accelerators_usd,
    {{ function('creation_outlay_usd') }}(hardware_usd) * {{ estimate_constant('creation_staff_pct') }} / 100 as outlay_staff_usd,
    {{ function('creation_outlay_usd') }}(hardware_usd) * {{ estimate_constant('creation_power_pct') }} / 100 as outlay_power_usd,
    {{ function('creation_outlay_usd') }}(hardware_usd) as outlay_usd,
    {{ function('amortised_usd') }}(hardware_usd, hours, coalesce(life_years, {{ estimate_constant('hardware_life_years') }}))
        as amortised_hardware_usd,
    j_per_trained_token_before_pue,
    j_per_trained_token,
    tokens * j_per_trained_token / 3.6e6 as kwh,
    tokens * j_per_trained_token / 3.6e6 * usd_per_kwh as electricity_usd,
    {{ function('tokens_per_household_year') }}(j_per_trained_token) as trained_tokens_per_household_year,
    {{ function('household_years') }}(tokens, j_per_trained_token) as household_years,
    {{ function('kg_co2e_per_mtok') }}(j_per_trained_token, kg_per_kwh) * tokens / 1e6 as kg_co2e,
    held_parameters * {{ estimate_constant('weight_bytes') }} / 1e9 as weights_gb,
    held_parameters * {{ estimate_constant('gradient_bytes') }} / 1e9 as gradients_gb,
    held_parameters * {{ estimate_constant('optimiser_bytes') }} / 1e9 as optimiser_gb,
    {{ function('training_state_bytes') }}(held_parameters) / 1e9 as state_gb,
    {{ function('accelerators_that_hold') }}({{ function('training_state_bytes') }}(held_parameters), memory_each_gb) as fewest_accelerators,
    {{ function('accelerators_that_hold') }}({{ function('training_state_bytes') }}(held_parameters), memory_each_gb) <= accelerators as fits
from run
