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

{#- The two ways of paying that serving is shown with, and what an hour costs either way: one row an accelerator.

    hours   relation like int_training__hour_prices -#}
{% macro serving_hours(hours) -%}
    select
        accelerator_id,
        {%- for name, is_it in [
            ('rent', "price_basis = 'rent' and price_terms = 'on_demand'"),
            ('owned', "price_basis = 'ownership' and price_terms = '" ~ default_owner() ~ "'"),
        ] %}
        {%- for side in ['', '_low', '_high'] %}
        max(usd_per_accelerator_hour{{ side }}) filter (where {{ is_it }}) as {{ name }}_usd_per_accelerator_hour{{ side }},
        {%- endfor %}
        {%- endfor %}
        {%- for column in ['n_sellers', 'rent_basis', 'oldest_price_on'] %}
        max({{ column }}) filter (where price_basis = 'rent' and price_terms = 'on_demand') as {{ column }}{{ ',' if not loop.last }}
        {%- endfor %}
    from {{ hours }}
    group by accelerator_id
{%- endmacro %}

{#- Cost of a million output tokens by rent and by ownership with low and high, beside the hour; reasons where there is none.

    speed       output tokens/s of an accelerator
    cost_reason why there is no cost; null where there is one
    hours       relation with the columns of serving_hours -#}
{% macro serving_costs(speed, cost_reason, hours) -%}
    {%- for name, nobody in [
        ('rent', 'no seller has a current price on demand'), ('owned', 'no ownership cost of this accelerator is known')
    ] %}
    {%- for side in ['', '_low', '_high'] %}
    {{ hours }}.{{ name }}_usd_per_accelerator_hour{{ side }},
    case when {{ cost_reason }} is null then
        {{ usd_per_output_mtok(hours ~ '.' ~ name ~ '_usd_per_accelerator_hour' ~ side, speed) }}
    end as {{ name }}_usd_per_output_mtok{{ side }},
    {%- endfor %}
    case when {{ speed }} is not null then
        coalesce({{ cost_reason }}, case when {{ hours }}.{{ name }}_usd_per_accelerator_hour is null then '{{ nobody }}' end)
    end as {{ name }}_reason,
    {%- endfor %}
    {{ hours }}.n_sellers,
    {{ hours }}.rent_basis,
    {{ hours }}.oldest_price_on
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
                any_value(source_url) as source_url
            from points
            group by {{ group | join(', ') }}
        ),

        reasoned as (select *, {{ serving_cost_reason('seeds.estimate_constants') }} as cost_reason from reads),

        hours as ({{ serving_hours('intermediate.int_training__hour_prices') }})

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
            {{ serving_costs('reads.output_tokens_per_s_per_accelerator', 'reads.cost_reason', 'hours') }},
            reads.n_frontier_points,
            reads.point_id_below,
            reads.point_id_above,
            groups.source_url
        from reasoned as reads
        inner join groups
            on {% for column in group %}reads.{{ column }} is not distinct from groups.{{ column }}{{ ' and ' if not loop.last }}{% endfor %}
        left join hours on reads.accelerator_id = hours.accelerator_id
        order by reads.reason is not null, rent_usd_per_output_mtok, {% for column in group %}reads.{{ column }}{{ ', ' if not loop.last }}{% endfor %}
    )
{%- endmacro %}

{#- MLPerf's results under limits on latency, in the published file: what MLCommons' limit guarantees each user. -#}
{% macro create_mlperf_serving_at() %}
    create or replace macro main.mlperf_serving_at(speed_per_user, model := null, accelerator := null, weights := null) as table (
        with hours as ({{ serving_hours('intermediate.int_training__hour_prices') }})

        select
            best.benchmark_id,
            benchmarks.benchmark_family,
            benchmarks.accuracy_target,
            best.scenario,
            best.accelerator_id,
            best.number_format,
            limits.ttft_limit_ms,
            limits.tpot_limit_ms,
            1000 / limits.tpot_limit_ms as guaranteed_tokens_per_s_per_user,
            guaranteed_tokens_per_s_per_user >= speed_per_user as is_guaranteed,
            best.output_tokens_per_s_per_accelerator,
            results.ttft_ms_p99,
            results.tpot_ms_p99,
            {{ serving_costs('best.output_tokens_per_s_per_accelerator', 'null', 'hours') }},
            best.release,
            best.submitter,
            best.system_name,
            best.accelerator_count,
            best.availability,
            best.submission_id,
            best.result_id,
            best.source_url,
            limits.source_url as limits_source_url
        from mart_token_throughput as best
        inner join dim_benchmark as benchmarks
            on best.benchmark_id = benchmarks.benchmark_id and benchmarks.suite_kind = 'inference'
        inner join seeds.mlperf_latency_limits as limits
            on benchmarks.benchmark_family = limits.benchmark_family and best.scenario = limits.scenario
        left join fct_inference_result as results on best.result_id = results.result_id
        left join hours on best.accelerator_id = hours.accelerator_id
        where best.is_representative
            and (model is null or best.benchmark_id = benchmark_named(model))
            and (accelerator is null or best.accelerator_id = accelerator_named(accelerator))
            and (weights is null or best.number_format = weights)
        order by is_guaranteed desc, best.benchmark_id, rent_usd_per_output_mtok, best.accelerator_id, limits.tpot_limit_ms
    )
{%- endmacro %}
