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

{#- Frontiers read at every speed: a query. Null with a reason outside of the measured range.

    points      relation of frontier points: `columns`, point_id, tokens_per_s_per_user, output_tokens_per_s_per_accelerator
    columns     columns of a frontier
    figures     further columns to interpolate; null where a neighbour has none -#}
{% macro frontier_reads(points, columns, figures=[]) -%}
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
        cross join (select unnest({{ serving_speeds() }})::double as speed) as speeds
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
