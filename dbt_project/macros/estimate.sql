{#- Formulas of estimates: what training a model or serving it takes. One home each; the published file has them as
    SQL macros of the same names. -#}

{#- Trained tokens per second and accelerator at a share of the dense peak: MFU the other way round. -#}
{% macro trained_tokens_per_s(mfu_pct, flops_per_token, dense_peak_tflops) -%}
    ({{ mfu_pct }} / 100.0 * {{ dense_peak_tflops }} * 1e12 / nullif({{ flops_per_token }}, 0))
{%- endmacro %}

{#- Accelerator-hours that so many tokens take. -#}
{% macro accelerator_hours_for(tokens, tokens_per_s_per_accelerator) -%}
    ({{ tokens }} / nullif({{ tokens_per_s_per_accelerator }}, 0) / 3600)
{%- endmacro %}

{#- Capital outlay during creation: hardware is so much of it, staff and power the rest (frontier-training cost
    breakdown, seed estimate_constants). -#}
{% macro creation_outlay_usd(hardware_usd, hardware_share_pct) -%}
    ({{ hardware_usd }} / ({{ hardware_share_pct }} / 100.0))
{%- endmacro %}

{#- The share of bought hardware that its use for so many hours took. -#}
{% macro amortised_usd(hardware_usd, hours, life_years) -%}
    ({{ hardware_usd }} * {{ hours }} / ({{ life_years }} * 8760))
{%- endmacro %}

{#- Accelerators that a day's tokens keep busy at a utilisation, not rounded. -#}
{% macro accelerators_for_load(tokens_per_day, tokens_per_s_per_accelerator, utilisation_pct) -%}
    ({{ tokens_per_day }} / nullif(86400 * {{ tokens_per_s_per_accelerator }} * {{ utilisation_pct }} / 100.0, 0))
{%- endmacro %}

{#- Bytes of weights, and of weights, gradients and optimiser states, of so many parameters (ZeRO); `constants` is the seed
    estimate_constants. -#}
{% macro weight_bytes(parameters, constants) -%}
    ({{ parameters }} * (select value from {{ constants }} where constant_id = 'weight_bytes'))
{%- endmacro %}

{% macro training_state_bytes(parameters, constants) -%}
    ({{ parameters }} * (
        select sum(value) from {{ constants }} where constant_id in ('weight_bytes', 'gradient_bytes', 'optimiser_bytes')
    ))
{%- endmacro %}

{#- KV cache of one token of context: keys and values of each layer and key-value head. -#}
{% macro kv_cache_bytes_per_token(layers, kv_heads, head_dim, bytes_per_value) -%}
    (2e0 * {{ layers }} * {{ kv_heads }} * {{ head_dim }} * {{ bytes_per_value }})
{%- endmacro %}

{#- Fewest accelerators whose memory holds so many bytes; GB are 1e9 bytes. -#}
{% macro accelerators_that_hold(bytes, memory_gb) -%}
    (cast(ceil({{ bytes }} / nullif({{ memory_gb }} * 1e9, 0)) as bigint))
{%- endmacro %}

{#- --- the same in the published file ------------------------------------------------------------------------- -#}

{#- Scalar macros; argument order is their documentation: `from duckdb_functions() where function_name = …`. -#}
{% macro create_energy_and_estimate_macros() -%}
{%- set household = latest_constant('seeds.energy_constants', 'us_household_kwh') -%}
    create or replace macro main.training_flops_per_token(parameter_count, layer_count, hidden, sequence_len) as (
        {{ model_flops_per_token('parameter_count', 'layer_count', 'hidden', 'sequence_len') }}
    );
    create or replace macro main.trained_tokens_per_s(mfu_percent, flops_token, dense_peak_tflop_s) as (
        {{ trained_tokens_per_s('mfu_percent', 'flops_token', 'dense_peak_tflop_s') }}
    );
    create or replace macro main.training_accelerator_hours(tokens, tokens_per_s_accelerator) as (
        {{ accelerator_hours_for('tokens', 'tokens_per_s_accelerator') }}
    );
    create or replace macro main.training_hours(tokens, tokens_per_s_accelerator, accelerators) as (
        {{ accelerator_hours_for('tokens', 'tokens_per_s_accelerator') }} / nullif(accelerators, 0)
    );
    create or replace macro main.usd_per_trained_mtok(usd_per_hour, tokens_per_s_accelerator) as (
        {{ usd_per_output_mtok('usd_per_hour', 'tokens_per_s_accelerator') }}
    );
    create or replace macro main.j_per_token(watts, facility_pue, tokens_per_s_accelerator) as (
        {{ j_per_unit(with_pue('watts', 'facility_pue'), 'tokens_per_s_accelerator') }}
    );
    create or replace macro main.tokens_per_kwh(joules_per_token) as ({{ tokens_per_kwh('joules_per_token') }});
    create or replace macro main.tokens_per_household_year(joules_per_token) as (
        {{ tokens_per_household_year('joules_per_token', household) }}
    );
    create or replace macro main.household_years(tokens, joules_per_token) as (
        {{ household_years('tokens', 'joules_per_token', household) }}
    );
    create or replace macro main.kg_co2e_per_mtok(joules_per_token, kg_per_kwh) as (
        {{ kg_co2e_per_mtok('joules_per_token', 'kg_per_kwh') }}
    );
    create or replace macro main.creation_outlay_usd(hardware_usd) as (
        {{ creation_outlay_usd('hardware_usd', estimate_constant('creation_hardware_pct')) }}
    );
    create or replace macro main.amortised_usd(hardware_usd, hours, life_years) as (
        {{ amortised_usd('hardware_usd', 'hours', 'life_years') }}
    );
    create or replace macro main.accelerators_for_load(tokens_a_day, tokens_per_s_accelerator, utilisation_percent) as (
        {{ accelerators_for_load('tokens_a_day', 'tokens_per_s_accelerator', 'utilisation_percent') }}
    );
    create or replace macro main.training_state_bytes(parameter_count) as (
        {{ training_state_bytes('parameter_count', 'seeds.estimate_constants') }}
    );
    create or replace macro main.kv_cache_bytes_per_token(layer_count, kv_head_count, head_size, bytes_per_value) as (
        {{ kv_cache_bytes_per_token('layer_count', 'kv_head_count', 'head_size', 'bytes_per_value') }}
    );
    create or replace macro main.accelerators_that_hold(bytes, memory_of_one_gb) as (
        {{ accelerators_that_hold('bytes', 'memory_of_one_gb') }}
    );
    {{ create_accelerators_bought() }};
    {{ create_estimate_training() }};
    {{ create_estimate_serving() }}
{%- endmacro %}

{% macro estimate_constant(constant_id) -%}
    (select value from seeds.estimate_constants where constant_id = '{{ constant_id }}')
{%- endmacro %}

{#- One row with everything about a training run. `mfu` in per cent of `peak_tflops` (dense, of the number format that
    runs); measured `tokens_per_s_each` comes before it, with low and high of its spread; `hardware_usd_each` is all-in capital of one accelerator; `all_parameters` are those that memory
    holds, where of a mixture of experts `parameter_count` are the active ones; nulls give nulls. -#}
{% macro create_estimate_training() -%}
    create or replace macro main.estimate_training(
        parameter_count, tokens, accelerators, mfu, peak_tflops, layer_count := 0, hidden := 0, sequence_len := 0,
        usd_per_hour := null, hardware_usd_each := null, watts_each := null, facility_pue := 1, usd_per_kwh := null,
        kg_per_kwh := null, memory_each_gb := null, life_years := null, all_parameters := null,
        tokens_per_s_each := null, tokens_per_s_low := null, tokens_per_s_high := null, bought_together := 1
    ) as table (
        with speed as (
            select
                {{ in_whole_machines('accelerators', 'bought_together') }}::bigint as accelerators_bought,
                training_flops_per_token(parameter_count, layer_count, hidden, sequence_len) as flops_per_token,
                coalesce(tokens_per_s_each, trained_tokens_per_s(
                    mfu, training_flops_per_token(parameter_count, layer_count, hidden, sequence_len), peak_tflops
                )) as trained_tokens_per_s_per_accelerator
        ),

        run as (
            select
                *,
                training_hours(tokens, trained_tokens_per_s_per_accelerator, accelerators) as hours,
                training_accelerator_hours(tokens, trained_tokens_per_s_per_accelerator) as accelerator_hours,
                j_per_token(watts_each, 1, trained_tokens_per_s_per_accelerator) as j_per_trained_token_before_pue,
                j_per_token(watts_each, facility_pue, trained_tokens_per_s_per_accelerator) as j_per_trained_token,
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
            training_hours(tokens, tokens_per_s_high, accelerators) / 24 as days_low,
            training_hours(tokens, tokens_per_s_low, accelerators) / 24 as days_high,
            accelerator_hours,
            usd_per_trained_mtok(usd_per_hour, trained_tokens_per_s_per_accelerator) as usd_per_trained_mtok,
            usd_per_trained_mtok(usd_per_hour, tokens_per_s_high) as usd_per_trained_mtok_low,
            usd_per_trained_mtok(usd_per_hour, tokens_per_s_low) as usd_per_trained_mtok_high,
            accelerator_hours * usd_per_hour as rental_usd,
            training_accelerator_hours(tokens, tokens_per_s_high) * usd_per_hour as rental_usd_low,
            training_accelerator_hours(tokens, tokens_per_s_low) * usd_per_hour as rental_usd_high,
            accelerators_bought,
            accelerators_bought - accelerators as accelerators_idle,
            hardware_usd as outlay_hardware_usd,
            hardware_usd * {{ estimate_constant('gpu_share_of_hardware_pct') }} / 100 as outlay_of_which_accelerators_usd,
            creation_outlay_usd(hardware_usd) * {{ estimate_constant('creation_staff_pct') }} / 100 as outlay_staff_usd,
            creation_outlay_usd(hardware_usd) * {{ estimate_constant('creation_power_pct') }} / 100 as outlay_power_usd,
            creation_outlay_usd(hardware_usd) as outlay_usd,
            amortised_usd(hardware_usd, hours, coalesce(life_years, {{ estimate_constant('hardware_life_years') }}))
                as amortised_hardware_usd,
            j_per_trained_token_before_pue,
            j_per_trained_token,
            tokens * j_per_trained_token / 3.6e6 as kwh,
            tokens * j_per_trained_token / 3.6e6 * usd_per_kwh as electricity_usd,
            tokens_per_household_year(j_per_trained_token) as trained_tokens_per_household_year,
            household_years(tokens, j_per_trained_token) as household_years,
            kg_co2e_per_mtok(j_per_trained_token, kg_per_kwh) * tokens / 1e6 as kg_co2e,
            held_parameters * {{ estimate_constant('weight_bytes') }} / 1e9 as weights_gb,
            held_parameters * {{ estimate_constant('gradient_bytes') }} / 1e9 as gradients_gb,
            held_parameters * {{ estimate_constant('optimiser_bytes') }} / 1e9 as optimiser_gb,
            training_state_bytes(held_parameters) / 1e9 as state_gb,
            accelerators_that_hold(training_state_bytes(held_parameters), memory_each_gb) as fewest_accelerators,
            accelerators_that_hold(training_state_bytes(held_parameters), memory_each_gb) <= accelerators as fits
        from run
    )
{%- endmacro %}

{#- One row with everything about serving so many output tokens a day. Arguments that `accelmart estimate serving` has too
    bear its names and defaults; what it looks up (measured speed, watts, bytes of a value) is given here. A replica is the fewest accelerators that hold
    weights and KV cache; load is served by whole replicas, which are paid for and powered all day. -#}
{% macro create_estimate_serving() -%}
    create or replace macro main.estimate_serving(
        tokens_per_day, tokens_per_s, utilisation := 60e0, price := null, capex := null,
        watts := null, pue := 1, electricity := null, kg_co2e_per_kwh := null, memory_gb_each := null,
        params := null, weight_bytes := null, kv_cache_bytes := null, context_length := 0,
        sequences := 0, depreciation_years := null, bought_together := 1
    ) as table (
        with replica as (
            select
                params * weight_bytes / 1e9 as weights_gb,
                kv_cache_bytes as kv_cache_bytes_per_token,
                kv_cache_bytes * context_length * sequences / 1e9 as kv_cache_gb,
                accelerators_that_hold(
                    params * weight_bytes + kv_cache_bytes * context_length * sequences,
                    memory_gb_each
                ) as fewest_accelerators,
                accelerators_for_load(tokens_per_day, tokens_per_s, utilisation) as accelerators_busy
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
            100 * accelerators_for_load(tokens_per_day, tokens_per_s, 100) / accelerators
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
            amortised_usd(
                accelerators_bought * capex, 24e0, coalesce(depreciation_years, {{ estimate_constant('hardware_life_years') }})
            ) as amortised_hardware_usd_per_day,
            j_per_token(watts, 1, tokens_per_s) as j_per_output_token_before_pue_at_full_use,
            j_per_token(watts, pue, tokens_per_s) as j_per_output_token_at_full_use,
            accelerators * watts * pue * 86400 / tokens_per_day as j_per_output_token,
            accelerators * watts * pue * 24 / 1000 as kwh_per_day,
            accelerators * watts * pue * 24 / 1000 * electricity as electricity_usd_per_day,
            tokens_per_household_year(accelerators * watts * pue * 86400 / tokens_per_day)
                as output_tokens_per_household_year,
            household_years(tokens_per_day * 365, accelerators * watts * pue * 86400 / tokens_per_day)
                as households,
            accelerators * watts * pue * 24 / 1000 * kg_co2e_per_kwh as kg_co2e_per_day,
            weights_gb,
            kv_cache_bytes_per_token,
            kv_cache_gb,
            weights_gb + kv_cache_gb as memory_gb,
            fewest_accelerators
        from fleet
    )
{%- endmacro %}
