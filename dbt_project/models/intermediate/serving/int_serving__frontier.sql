-- Points of the Pareto frontiers of the newest runs: output tokens/s per accelerator against tokens/s per user, and
-- against time to the first token.
{% set group = serving_group() | join(', ') %}
with

points as (select * from {{ ref('fct_serving_point') }} where is_newest_run and exclusion_reason is null),

counted as (select *, count(*) over (partition by {{ group }}) as n_points, concurrency / n_accelerators_all as requests_per_accelerator from points),

{% for axis, x, where in [
    ('tokens_per_s_per_user', 'tokens_per_s_per_user', 'true'), ('ttft_ms', '-ttft_ms', 'ttft_ms is not null')
] %}
{{ axis }} as (
    select '{{ axis }}' as axis, * from counted where {{ where }}
    qualify {{ is_on_frontier(x, 'output_tokens_per_s_per_accelerator', group) }}
),
{% endfor %}
both_axes as (
    select * from tokens_per_s_per_user
    union all
    select * from ttft_ms
)

select
    axis, {{ group }}, point_id, n_points, input_tokens, output_tokens, speculation, is_disaggregated, concurrency,
    n_accelerators_all, requests_per_accelerator, output_tokens_per_s_per_accelerator, tokens_per_s_per_user, ttft_ms,
    j_per_output_token_measured, energy_scope, measured_on, source_url
from both_axes
