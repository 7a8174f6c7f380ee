{#- Measured serving outside of MLPerf. Its points are compared within one group: one source, model, part, number format,
    framework and workload. They enter no ranking, mean or chart series of MLPerf. -#}

{#- Columns of a group. -#}
{% macro serving_group() -%}
    {{ return(['source', 'model_id', 'accelerator_id', 'number_format', 'framework', 'workload']) }}
{%- endmacro %}

{#- Whether no other point of the partition is at least as good in both figures and better in one. Higher is better in
    both: give a time with a minus. Points that are equal in both stay together. -#}
{% macro is_on_frontier(x, y, partition) -%}
    (
        {{ y }} >= max({{ y }}) over (
            partition by {{ partition }} order by {{ x }} desc groups between unbounded preceding and current row
        )
        and {{ y }} > coalesce(max({{ y }}) over (
            partition by {{ partition }} order by {{ x }} desc groups between unbounded preceding and 1 preceding
        ), '-infinity'::double)
    )
{%- endmacro %}

{#- Frontiers read at speeds of one user: a query. A figure lies on the straight line between two neighbours; outside of
    the measured range it is null, with a reason.

    points      relation of frontier points: `columns`, point_id, tokens_per_s_per_user, output_tokens_per_s_per_accelerator
    columns     columns of a frontier
    figures     further columns to interpolate; null where a neighbour has none
    speeds      list of speeds, an SQL expression; the round ones by default -#}
{% macro frontier_reads(points, columns, figures=[], speeds='[20, 30, 50, 75, 100]') -%}
    with neighbours as (
        select
            {{ columns | join(', ') }},
            speeds.speed,
            count(*) as n_frontier_points,
            min(tokens_per_s_per_user) as lowest,
            max(tokens_per_s_per_user) as highest,
            arg_max(points, (tokens_per_s_per_user, point_id)) filter (tokens_per_s_per_user <= speeds.speed) as below,
            arg_min(points, (tokens_per_s_per_user, point_id)) filter (tokens_per_s_per_user >= speeds.speed) as above
        from {{ points }} as points
        cross join (select unnest({{ speeds }})::double as speed) as speeds
        group by {{ columns | join(', ') }}, speeds.speed
    )

    select
        {{ columns | join(', ') }},
        speed as tokens_per_s_per_user,
        n_frontier_points,
        {%- for figure in ['output_tokens_per_s_per_accelerator'] + figures %}
        case
            when above.tokens_per_s_per_user = below.tokens_per_s_per_user then below.{{ figure }}
            else below.{{ figure }} + (above.{{ figure }} - below.{{ figure }}) * (speed - below.tokens_per_s_per_user)
                / (above.tokens_per_s_per_user - below.tokens_per_s_per_user)
        end as {{ figure }},
        {%- endfor %}
        below.point_id as point_id_below,
        above.point_id as point_id_above,
        coalesce(above.tokens_per_s_per_user = highest and below.tokens_per_s_per_user < highest, false) as is_fast_edge,
        case
            when below is null or above is null then null
            when below.tokens_per_s_per_user = above.tokens_per_s_per_user then 'measured'
            else 'interpolated'
        end as basis,
        case
            when below is null then printf('below the measured range, which begins at %.1f tokens/s per user', lowest)
            when above is null then printf('above the measured range, which ends at %.1f tokens/s per user', highest)
        end as reason
    from neighbours
{%- endmacro %}

{#- Columns of reads that are on the line between neighbours too. -#}
{% macro serving_read_figures() -%}
    {{ return(['j_per_output_token_measured', 'ttft_ms', 'requests_per_accelerator']) }}
{%- endmacro %}

{#- Why a read gives no cost of a token although its throughput was measured; null where it does.

    constants   relation of seed estimate_constants -#}
{% macro serving_cost_reason(constants) -%}
{%- set fewest = "(select value from " ~ constants ~ " where constant_id = 'serving_requests_per_accelerator_min')" -%}
    case
        when is_fast_edge then printf(
            'at the edge of the frontier, on the line to its fastest point (%.1f requests in flight per accelerator)',
            requests_per_accelerator
        )
        when requests_per_accelerator < {{ fewest }} then printf(
            '%.1f requests in flight per accelerator are far below serving practice (%g and more)',
            requests_per_accelerator, {{ fewest }}
        )
    end
{%- endmacro %}

{#- The two rows of mart_accelerator_hour that costs are shown with: rent on demand, and ownership by the default owner. -#}
{% macro is_rented(hours) -%}
    {{ hours }}.price_basis = 'rent' and {{ hours }}.price_terms = 'on_demand'
{%- endmacro %}

{% macro is_owned(hours) -%}
    {{ hours }}.price_basis = 'ownership' and {{ hours }}.price_terms = '{{ var('default_owner') }}'
{%- endmacro %}

{#- Columns of a token's cost by rent and by ownership (`rent` and `owned`: rows of mart_accelerator_hour): of an hour, of tokens, and why there
    is none. -#}
{% macro serving_costs(throughput, cost_reason) -%}
    {%- for way in ['rent', 'owned'] %}
    {%- for end in ['', '_low', '_high'] %}
    {{ way }}.usd_per_accelerator_hour{{ end }} as {{ way }}_usd_per_accelerator_hour{{ end }},
    case when {{ cost_reason }} is null
        then {{ usd_per_output_mtok(way ~ '.usd_per_accelerator_hour' ~ end, throughput) }} end as {{ way }}_usd_per_output_mtok{{ end }},
    {%- endfor %}
    {{ serving_reason(throughput, cost_reason, way) }} as {{ way }}_reason,
    {%- endfor %}
    rent.n_sellers,
    rent.rent_basis,
    rent.oldest_price_on
{%- endmacro %}

{#- Why there is no such cost although a speed was measured; `way` is rent or owned, which is also the alias of its hours. -#}
{% macro serving_reason(speed, cost_reason, way) -%}
    {%- set nobody = {
        'rent': 'no seller has a current price on demand', 'owned': 'no ownership cost of this accelerator is known'
    } -%}
    case when {{ speed }} is not null then
        coalesce({{ cost_reason }}, case when {{ way }}.usd_per_accelerator_hour is null then '{{ nobody[way] }}' end)
    end
{%- endmacro %}
