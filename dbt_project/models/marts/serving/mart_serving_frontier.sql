-- Frontiers of measured serving: their points, and their reads at round speeds of one user, with what a million output
-- tokens costs by rent (price level on demand) and by ownership (a hyperscaler's). Groups are never joined.
{% set group = serving_group() %}
with

points as (select * from {{ ref('int_serving__frontier') }}),

by_speed as (select * from points where axis = 'tokens_per_s_per_user'),

reads as (
    select reads.*, cells.n_points, cells.input_tokens, cells.energy_scope
    from ({{ frontier_reads('by_speed', group, serving_read_figures()) }}) as reads
    inner join (
        select
            {{ group | join(', ') }},
            any_value(n_points) as n_points,
            any_value(input_tokens) as input_tokens,
            max(energy_scope) as energy_scope
        from by_speed
        group by all
    ) as cells
        on {% for column in group %}
        reads.{{ column }} is not distinct from cells.{{ column }}{{ ' and ' if not loop.last }}
        {%- endfor %}
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
    md5(concat_ws(
        '|', rows_of_both.row_kind, rows_of_both.axis, {{ group | join(', ') }},
        coalesce(rows_of_both.point_id, cast(rows_of_both.tokens_per_s_per_user as varchar))
    )) as frontier_id,
    rows_of_both.row_kind,
    rows_of_both.axis,
    {{ group | join(', ') }},
    rows_of_both.input_tokens,
    rows_of_both.output_tokens,
    rows_of_both.basis,
    rows_of_both.reason,
    rows_of_both.tokens_per_s_per_user,
    rows_of_both.ttft_ms,
    rows_of_both.output_tokens_per_s_per_accelerator,
    rows_of_both.j_per_output_token_measured,
    rows_of_both.energy_scope,
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
    rows_of_both.speculation,
    rows_of_both.is_disaggregated,
    rows_of_both.concurrency,
    rows_of_both.n_accelerators_all,
    rows_of_both.requests_per_accelerator,
    rows_of_both.n_points,
    rows_of_both.n_frontier_points,
    rows_of_both.measured_on,
    rows_of_both.point_id,
    rows_of_both.point_id_below,
    rows_of_both.point_id_above,
    rows_of_both.source_url
from rows_of_both
left join hours using (accelerator_id)
