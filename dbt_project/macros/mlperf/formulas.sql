{#- One home for each formula. Definitions: docs/figures.md. -#}

{#- Order of MLPerf rounds as a number: v4.1 → 4001. -#}
{% macro release_number(release) -%}
    (cast(split_part(ltrim({{ release }}, 'v'), '.', 1) as integer) * 1000
     + cast(split_part(ltrim({{ release }}, 'v'), '.', 2) as integer))
{%- endmacro %}

{#- Throughput units: higher is better, and a share of it belongs to each accelerator. Latencies are neither. -#}
{% macro is_throughput(unit) -%}
    ({{ unit }} in ('tokens/s', 'samples/s', 'queries/s', 'tasks/s'))
{%- endmacro %}

{#- Whether a figure is a finite number above zero; null where there is none. -#}
{% macro is_positive(figure) -%}
    (isfinite({{ figure }}) and {{ figure }} > 0)
{%- endmacro %}

{#- result ÷ number of accelerators that did the work; null for latencies and unknown or zero counts. -#}
{% macro throughput_per_accelerator(result, unit, accelerator_count) -%}
    case when {{ is_throughput(unit) }} and {{ accelerator_count }} > 0 then {{ result }} / {{ accelerator_count }} end
{%- endmacro %}

{#- Output tokens per second of the system: measured in tokens, or samples/s × the entry's own mean tokens
    per sample (never another entry's). -#}
{% macro output_tokens_per_s(result, unit, is_token_model, tokens_per_sample) -%}
    case
        when {{ unit }} = 'tokens/s' then {{ result }}
        when {{ unit }} in ('samples/s', 'queries/s') and {{ is_token_model }} then {{ result }} * {{ tokens_per_sample }}
    end
{%- endmacro %}

{#- Joules per output token before PUE: wall watts of the system under test ÷ its tokens per second. -#}
{% macro j_per_output_token(power_w, output_tokens_per_s) -%}
    {{ power_w }} / nullif({{ output_tokens_per_s }}, 0)
{%- endmacro %}

{#- loadgen's summary log has six significant digits, and two decimals for Server: whichever is coarser. -#}
{% macro equal_within_rounding(a, b) -%}
    (abs({{ a }} - {{ b }}) <= greatest(0.00501, abs({{ b }}) * 1e-5))
{%- endmacro %}

{#- Model FLOPs of training on one token: 6·P + 12·L·d·s (PaLM, appendix B). -#}
{% macro model_flops_per_token(parameters, layers, hidden_size, sequence_length) -%}
    (6.0 * {{ parameters }} + 12.0 * {{ layers }} * {{ hidden_size }} * {{ sequence_length }})
{%- endmacro %}

{#- Share of an accelerator's dense peak (TFLOP/s of a named precision) that went into model FLOPs. -#}
{% macro mfu_pct(trained_tokens_per_s_per_accelerator, flops_per_token, dense_peak_tflops) -%}
    ({{ trained_tokens_per_s_per_accelerator }} * {{ flops_per_token }} / ({{ dense_peak_tflops }} * 1e12) * 100)
{%- endmacro %}

{#- What an hour costs in all: the hourly rate and the hour's share of what was paid upfront for the term. -#}
{% macro hourly_price(price, upfront, term_hours) -%}
    ({{ price }} + coalesce({{ upfront }} / {{ term_hours }}, 0))
{%- endmacro %}

{#- Dollars per million output tokens at full use: $/accelerator-hour ÷ (tokens/s × 3600) × 1e6. A price may be of
    fewer accelerators than were measured: size_note stands beside such a figure. -#}
{% macro usd_per_output_mtok(usd_per_accelerator_hour, output_tokens_per_s_per_accelerator) -%}
    ({{ usd_per_accelerator_hour }} / nullif({{ output_tokens_per_s_per_accelerator }} * 3600, 0) * 1e6)
{%- endmacro %}

{#- Whether a figure lies within a factor of the median of its peers; null without peers. -#}
{% macro is_near_peers(figure, peer_median, factor) -%}
    ({{ figure }} between {{ peer_median }} / {{ factor }} and {{ peer_median }} * {{ factor }})
{%- endmacro %}

{#- Gain of a figure on its predecessor, above 1 is better: minutes shrink, throughputs grow. -#}
{% macro gain_ratio(unit, figure, previous_figure) -%}
    case when {{ unit }} = 'minutes' then {{ previous_figure }} / {{ figure }} else {{ figure }} / {{ previous_figure }} end
{%- endmacro %}

{#- Dollars per million tokens of input and output together, from those per million output tokens: a request of so many
    input and output tokens costs the same either way. Null where a length is not published. -#}
{% macro usd_per_total_mtok(usd_per_output_mtok, input_tokens, output_tokens) -%}
    ({{ usd_per_output_mtok }} * {{ output_tokens }} / nullif({{ input_tokens }} + {{ output_tokens }}, 0))
{%- endmacro %}

{#- Price of a million tokens of both, from the prices of a million of each and the mean lengths of a request. -#}
{% macro token_price_per_total_mtok(usd_per_input_mtok, usd_per_output_mtok, input_tokens, output_tokens) -%}
    (
        ({{ usd_per_input_mtok }} * {{ input_tokens }} + {{ usd_per_output_mtok }} * {{ output_tokens }})
        / nullif({{ input_tokens }} + {{ output_tokens }}, 0)
    )
{%- endmacro %}
