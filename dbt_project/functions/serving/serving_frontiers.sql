{%- set group = serving_group() -%}
with points as (
    select *
    from {{ ref('mart_serving_frontier') }}
    where row_kind = 'point'
        and axis = 'tokens_per_s_per_user'
),

reads as ({{ frontier_reads('points', group, serving_read_figures(), '[speed_per_user]') }}),

groups as (
    select
        {{ group | join(', ') }},
        min(tokens_per_s_per_user) as lowest_tokens_per_s_per_user,
        max(tokens_per_s_per_user) as highest_tokens_per_s_per_user,
        any_value(input_tokens) as input_tokens,
        min(output_tokens) as output_tokens_low,
        max(output_tokens) as output_tokens_high,
        max(energy_scope) as energy_scope,
        any_value(source_url) as source_url
    from points
    group by {{ group | join(', ') }}
),

reasoned as (select *, {{ serving_cost_reason(ref('estimate_constants')) }} as cost_reason from reads),

hours as (select * from {{ ref('mart_accelerator_hour') }})

select
    {% for column in group -%}
    reads.{{ column }},
    {% endfor -%}
    groups.input_tokens,
    groups.output_tokens_low,
    groups.output_tokens_high,
    reads.basis,
    reads.reason,
    reads.cost_reason,
    reads.tokens_per_s_per_user,
    groups.lowest_tokens_per_s_per_user,
    groups.highest_tokens_per_s_per_user,
    reads.output_tokens_per_s_per_accelerator,
    reads.ttft_ms,
    reads.requests_per_accelerator,
    reads.j_per_output_token_measured,
    case when reads.j_per_output_token_measured is not null then groups.energy_scope end as energy_scope,
    {{ serving_costs('reads.output_tokens_per_s_per_accelerator', 'reads.cost_reason') }},
    reads.n_frontier_points,
    reads.point_id_below,
    reads.point_id_above,
    groups.source_url
from reasoned as reads
inner join groups
    on {% for column in group %}
    reads.{{ column }} is not distinct from groups.{{ column }}{{ ' and ' if not loop.last }}
    {%- endfor %}
left join hours as rent on reads.accelerator_id = rent.accelerator_id and {{ is_rented('rent') }}
left join hours as owned on reads.accelerator_id = owned.accelerator_id and {{ is_owned('owned') }}
