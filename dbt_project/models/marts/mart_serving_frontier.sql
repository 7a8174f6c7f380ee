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
        input_tokens, output_tokens, speculation, is_disaggregated, concurrency, n_accelerators_all, measured_on,
        point_id, null as point_id_below, null as point_id_above, source_url
    from points
    union all by name
    select
        'read' as row_kind, 'tokens_per_s_per_user' as axis, {{ group | join(', ') }}, basis, reason,
        output_tokens_per_s_per_accelerator, tokens_per_s_per_user, ttft_ms, j_per_output_token_measured,
        case when j_per_output_token_measured is not null then energy_scope end as energy_scope, n_points,
        n_frontier_points, input_tokens, point_id_below, point_id_above
    from reads
),

hours as (select * from {{ ref('int_training__hour_prices') }}),

{% for name, basis, terms in [('rent', 'rent', 'on_demand'), ('owned', 'ownership', default_owner())] %}
{{ name }} as (select * from hours where price_basis = '{{ basis }}' and price_terms = '{{ terms }}'),
{% endfor %}
costs as (
    select
        rows_of_both.*,
        {% for name in ['rent', 'owned'] -%}
        {{ name }}.accelerator_id is not null as has_{{ name }},
        {% for side in ['', '_low', '_high'] -%}
        {{ name }}.usd_per_accelerator_hour{{ side }} as {{ name }}_usd_per_accelerator_hour{{ side }},
        {{ usd_per_output_mtok(name ~ '.usd_per_accelerator_hour' ~ side, 'output_tokens_per_s_per_accelerator') }}
            as {{ name }}_usd_per_output_mtok{{ side }},
        {% endfor -%}
        {% endfor -%}
        rent.n_sellers,
        rent.rent_basis,
        rent.oldest_price_on
    from rows_of_both
    left join rent using (accelerator_id)
    left join owned using (accelerator_id)
)

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
    {% for name in ['rent', 'owned'] -%}
    {% for side in ['', '_low', '_high'] -%}
    {{ name }}_usd_per_accelerator_hour{{ side }},
    {{ name }}_usd_per_output_mtok{{ side }},
    {% endfor -%}
    {% endfor -%}
    n_sellers,
    rent_basis,
    oldest_price_on,
    case when reason is null and not has_rent then 'no seller has a current price on demand' end as rent_reason,
    case when reason is null and not has_owned then 'no ownership cost of this accelerator is known' end as owned_reason,
    speculation,
    is_disaggregated,
    concurrency,
    n_accelerators_all,
    n_points,
    n_frontier_points,
    measured_on,
    point_id,
    point_id_below,
    point_id_above,
    source_url
from costs
