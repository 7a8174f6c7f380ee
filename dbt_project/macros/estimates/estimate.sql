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

{#- Bytes of weights, gradients and optimiser states of so many parameters (ZeRO); `constants` is the seed
    estimate_constants. -#}
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

{% macro estimate_constant(constant_id) -%}
    (select value from {{ ref('estimate_constants') }} where constant_id = '{{ constant_id }}')
{%- endmacro %}

{#- What the capital of a row of mart_tco is. -#}
{% macro capital_words(tco) -%}
    'capital: ' || replace({{ tco }}.capex_basis, '_', ' ') || coalesce(' as of ' || {{ tco }}.price_level, '')
{%- endmacro %}

{#- Within so much a model is the known one, as published counts are rounded (405B is 405.85e9). -#}
{% macro same_model() -%} 0.01 {%- endmacro %}

{% macro idle_words(bought, used) -%}
    case when {{ bought }} > {{ used }} then format(
        'Hardware is bought in whole machines: {:,} accelerators, of which {:,} are idle; rent, energy and the cost of an owned hour are '
        'those of the others.', {{ bought }}, {{ bought }} - {{ used }}
    ) end
{%- endmacro %}

{% macro not_official() -%} Derived here from MLPerf results; not verified by MLCommons. {%- endmacro %}
