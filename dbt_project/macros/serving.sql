{#- Measured serving outside of MLPerf. Its points are compared within one group: one source, model, part, number format,
    framework and workload. They enter no ranking, mean or chart series of MLPerf. -#}

{#- Columns of a group. -#}
{% macro serving_group() -%}
    {{ return(['source', 'model_id', 'accelerator_id', 'number_format', 'framework', 'workload']) }}
{%- endmacro %}

{#- Tokens per second of one user at which frontiers are read. -#}
{% macro serving_speeds() -%}
    {{ return([20, 30, 50, 75, 100]) }}
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

{#- The figure on the straight line between two neighbours of a frontier; that of the point itself where both are one. -#}
{% macro between_neighbours(at, x_below, y_below, x_above, y_above) -%}
    case
        when {{ x_above }} = {{ x_below }} then {{ y_below }}
        else {{ y_below }} + ({{ y_above }} - {{ y_below }}) * ({{ at }} - {{ x_below }}) / ({{ x_above }} - {{ x_below }})
    end
{%- endmacro %}

{#- Frontiers read at speeds of one user: a query. Null with a reason outside of the measured range.

    points      relation of frontier points: `columns`, point_id, tokens_per_s_per_user, output_tokens_per_s_per_accelerator
    columns     columns of a frontier
    figures     further columns to interpolate; null where a neighbour has none
    speeds      list of speeds, an SQL expression; the round ones by default -#}
{% macro frontier_reads(points, columns, figures=[], speeds=none) -%}
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
        cross join (select unnest({{ speeds or serving_speeds() }})::double as speed) as speeds
        group by {{ columns | join(', ') }}, speeds.speed
    )

    select
        {{ columns | join(', ') }},
        speed as tokens_per_s_per_user,
        n_frontier_points,
        {%- for figure in ['output_tokens_per_s_per_accelerator'] + figures %}
        {{ between_neighbours(
            'speed', 'below.tokens_per_s_per_user', 'below.' ~ figure, 'above.tokens_per_s_per_user', 'above.' ~ figure
        ) }} as {{ figure }},
        {%- endfor %}
        below.point_id as point_id_below,
        above.point_id as point_id_above,
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
    {{ return(['j_per_output_token_measured', 'ttft_ms']) }}
{%- endmacro %}

{#- Frontiers at any speed of one user, in the published file: read as mart_serving_frontier is at round speeds. -#}
{% macro create_serving_frontier_at() -%}
{%- set group = serving_group() %}
    {{ create_key('serving_model_named', 'mart_serving_frontier', 'model_id', 'model of measured serving') }}
    create or replace macro main.serving_frontier_at(speed_per_user, model := null, accelerator := null, weights := null) as table (
        with points as (
            select *
            from mart_serving_frontier
            where row_kind = 'point'
                and axis = 'tokens_per_s_per_user'
                and (model is null or model_id = serving_model_named(model))
                and (accelerator is null or accelerator_id = accelerator_named(accelerator))
                and (weights is null or number_format = weights)
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
                {% for name in ['rent', 'owned'] -%}
                {% for side in ['', '_low', '_high'] -%}
                any_value({{ name }}_usd_per_accelerator_hour{{ side }}) as {{ name }}_usd_per_accelerator_hour{{ side }},
                {% endfor -%}
                any_value({{ name }}_reason) as {{ name }}_reason,
                {% endfor -%}
                any_value(n_sellers) as n_sellers,
                any_value(rent_basis) as rent_basis,
                any_value(oldest_price_on) as oldest_price_on,
                any_value(source_url) as source_url
            from points
            group by {{ group | join(', ') }}
        )

        select
            {% for column in group -%}
            reads.{{ column }},
            {% endfor -%}
            groups.input_tokens,
            groups.output_tokens_low,
            groups.output_tokens_high,
            reads.basis,
            reads.reason,
            reads.tokens_per_s_per_user,
            groups.lowest_tokens_per_s_per_user,
            groups.highest_tokens_per_s_per_user,
            reads.output_tokens_per_s_per_accelerator,
            reads.ttft_ms,
            reads.j_per_output_token_measured,
            case when reads.j_per_output_token_measured is not null then groups.energy_scope end as energy_scope,
            {% for name in ['rent', 'owned'] -%}
            {% for side in ['', '_low', '_high'] -%}
            groups.{{ name }}_usd_per_accelerator_hour{{ side }},
            {{ usd_per_output_mtok('groups.' ~ name ~ '_usd_per_accelerator_hour' ~ side, 'reads.output_tokens_per_s_per_accelerator') }}
                as {{ name }}_usd_per_output_mtok{{ side }},
            {% endfor -%}
            groups.{{ name }}_reason,
            {% endfor -%}
            groups.rent_basis,
            groups.n_sellers,
            groups.oldest_price_on,
            reads.n_frontier_points,
            reads.point_id_below,
            reads.point_id_above,
            groups.source_url
        from reads
        inner join groups
            on {% for column in group %}reads.{{ column }} is not distinct from groups.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
        order by reads.reason is not null, rent_usd_per_output_mtok, {% for column in group %}reads.{{ column }}{{ ', ' if not loop.last }}{% endfor %}
    )
{%- endmacro %}
