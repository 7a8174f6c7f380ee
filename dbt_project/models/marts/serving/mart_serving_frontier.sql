-- Frontiers of measured serving: their points, and their reads at round speeds of one user, with what a million output
-- tokens costs by rent (price level on demand) and by ownership (a hyperscaler's). Groups are never joined.
{% set group = serving_group() %}
{% set key = group | join(', ') %}
with

points as (
    select
        *,
        count(*) over (partition by {{ key }}) as n_points,
        concurrency / n_accelerators_all as requests_per_accelerator
    from {{ ref('fct_serving_point') }}
    where is_newest_run and exclusion_reason is null
),

by_speed as (
    select * from points
    qualify {{ is_on_frontier('tokens_per_s_per_user', 'output_tokens_per_s_per_accelerator', key) }}
),

by_first_token as (
    select * from points
    where ttft_ms is not null
    qualify {{ is_on_frontier('-ttft_ms', 'output_tokens_per_s_per_accelerator', key) }}
),

reads as (
    select reads.*, cells.n_points, cells.input_tokens, cells.energy_scope
    from ({{ frontier_reads('by_speed', group, serving_read_figures()) }}) as reads
    inner join (
        select
            {{ key }},
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
        'point' as row_kind, axis, {{ key }}, 'measured' as basis, null as reason,
        output_tokens_per_s_per_accelerator, tokens_per_s_per_user, ttft_ms, j_per_output_token_measured,
        energy_scope, n_points, count(*) over (partition by axis, {{ key }}) as n_frontier_points,
        input_tokens, output_tokens, speculation, is_disaggregated, concurrency, n_accelerators_all,
        requests_per_accelerator, null as cost_reason, measured_on, point_id,
        null as point_id_below, null as point_id_above, source_url
    from (
        select 'tokens_per_s_per_user' as axis, * from by_speed
        union all
        select 'ttft_ms' as axis, * from by_first_token
    ) as frontiers
    union all by name
    select
        'read' as row_kind, 'tokens_per_s_per_user' as axis, {{ key }}, basis, reason,
        output_tokens_per_s_per_accelerator, tokens_per_s_per_user, ttft_ms, j_per_output_token_measured,
        case when j_per_output_token_measured is not null then energy_scope end as energy_scope, n_points,
        n_frontier_points, input_tokens, requests_per_accelerator,
        {{ serving_cost_reason(ref('estimate_constants')) }} as cost_reason, point_id_below, point_id_above
    from reads
),

hours as (select * from {{ ref('mart_accelerator_hour') }})

select
    md5(concat_ws(
        '|', rows_of_both.row_kind, rows_of_both.axis,
        {% for column in group %}
        rows_of_both.{{ column }},
        {% endfor %}
        coalesce(rows_of_both.point_id, cast(rows_of_both.tokens_per_s_per_user as varchar))
    )) as frontier_id,
    rows_of_both.* exclude (rows_of_both.cost_reason),
    {{ serving_costs('rows_of_both.output_tokens_per_s_per_accelerator', 'rows_of_both.cost_reason') }}
from rows_of_both
left join hours as rent on rows_of_both.accelerator_id = rent.accelerator_id and {{ is_rented('rent') }}
left join hours as owned on rows_of_both.accelerator_id = owned.accelerator_id and {{ is_owned('owned') }}
