-- Frontiers of measured serving: their points, and their reads at round speeds of one user, with what a million output
-- tokens costs by rent (price level on demand) and by ownership (a hyperscaler's). Groups are never joined.
{% set group = serving_group() %}
with

points as (select * from {{ ref('int_serving__frontier') }}),

by_speed as (select * from points where axis = 'tokens_per_s_per_user'),

reads as (
    select reads.*, groups.n_points, groups.input_tokens, groups.energy_scope
    from ({{ frontier_reads('by_speed', group, serving_read_figures()) }}) as reads
    inner join (
        select
            {{ group | join(', ') }},
            any_value(n_points) as n_points,
            any_value(input_tokens) as input_tokens,
            max(energy_scope) as energy_scope
        from by_speed
        group by all
    ) as groups
        on {% for column in group %}reads.{{ column }} is not distinct from groups.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
),

rows_of_both as (
    select
        'point' as row_kind, axis, {{ group | join(', ') }}, 'measured' as basis, null as reason,
        output_tokens_per_s_per_accelerator, tokens_per_s_per_user, ttft_ms, j_per_output_token_measured,
        energy_scope, n_points, count(*) over (partition by axis, {{ group | join(', ') }}) as n_frontier_points,
        input_tokens, output_tokens, speculation, is_disaggregated, concurrency, n_accelerators_all,
        requests_per_accelerator, null as cost_reason, measured_on, point_id,
        null as point_id_below, null as point_id_above, source_url
    from points
    union all by name
    select
        'read' as row_kind, 'tokens_per_s_per_user' as axis, {{ group | join(', ') }}, basis, reason,
        output_tokens_per_s_per_accelerator, tokens_per_s_per_user, ttft_ms, j_per_output_token_measured,
        case when j_per_output_token_measured is not null then energy_scope end as energy_scope, n_points,
        n_frontier_points, input_tokens, requests_per_accelerator,
        {{ serving_cost_reason(ref('estimate_constants')) }} as cost_reason, point_id_below, point_id_above
    from reads
),

hours as ({{ serving_hours(ref('int_training__hour_prices')) }})

select
    md5(concat_ws('|', row_kind, axis, {{ group | join(', ') }}, coalesce(point_id, tokens_per_s_per_user::varchar))) as frontier_id,
    row_kind,
    axis,
    {{ group | join(', ') }},
    input_tokens,
    output_tokens,
    basis,
    reason,
    tokens_per_s_per_user,
    ttft_ms,
    output_tokens_per_s_per_accelerator,
    j_per_output_token_measured,
    energy_scope,
    hours.rent_usd_per_accelerator_hour,
    {{ serving_cost('output_tokens_per_s_per_accelerator', 'cost_reason', 'hours.rent_usd_per_accelerator_hour') }}
        as rent_usd_per_output_mtok,
    hours.rent_usd_per_accelerator_hour_low,
    {{ serving_cost('output_tokens_per_s_per_accelerator', 'cost_reason', 'hours.rent_usd_per_accelerator_hour_low') }}
        as rent_usd_per_output_mtok_low,
    hours.rent_usd_per_accelerator_hour_high,
    {{ serving_cost('output_tokens_per_s_per_accelerator', 'cost_reason', 'hours.rent_usd_per_accelerator_hour_high') }}
        as rent_usd_per_output_mtok_high,
    {{ serving_reason('output_tokens_per_s_per_accelerator', 'cost_reason', 'rent') }} as rent_reason,
    hours.owned_usd_per_accelerator_hour,
    {{ serving_cost('output_tokens_per_s_per_accelerator', 'cost_reason', 'hours.owned_usd_per_accelerator_hour') }}
        as owned_usd_per_output_mtok,
    hours.owned_usd_per_accelerator_hour_low,
    {{ serving_cost('output_tokens_per_s_per_accelerator', 'cost_reason', 'hours.owned_usd_per_accelerator_hour_low') }}
        as owned_usd_per_output_mtok_low,
    hours.owned_usd_per_accelerator_hour_high,
    {{ serving_cost('output_tokens_per_s_per_accelerator', 'cost_reason', 'hours.owned_usd_per_accelerator_hour_high') }}
        as owned_usd_per_output_mtok_high,
    {{ serving_reason('output_tokens_per_s_per_accelerator', 'cost_reason', 'owned') }} as owned_reason,
    hours.n_sellers,
    hours.rent_basis,
    hours.oldest_price_on,
    speculation,
    is_disaggregated,
    concurrency,
    n_accelerators_all,
    requests_per_accelerator,
    n_points,
    n_frontier_points,
    measured_on,
    point_id,
    point_id_below,
    point_id_above,
    source_url
from rows_of_both
left join hours using (accelerator_id)
