{#- What may be said of one cost against another, from points and ranges: ranges apart, it costs less or more; overlapping, it probably
    does; points within 5 % are about the same; without a range there is no verdict. -#}
{% macro verdict_on_cost(usd, low, high, other_usd, other_low, other_high) -%}
    case
        when {{ high }} < {{ other_low }} then 'costs_less'
        when {{ low }} > {{ other_high }} then 'costs_more'
        when {{ usd }} <= 1.05 * {{ other_usd }} and {{ other_usd }} <= 1.05 * {{ usd }} then 'about_the_same'
        when {{ low }} <= {{ other_high }} and {{ other_low }} <= {{ high }} and {{ usd }} < {{ other_usd }} then 'probably_costs_less'
        when {{ low }} <= {{ other_high }} and {{ other_low }} <= {{ high }} and {{ usd }} > {{ other_usd }} then 'probably_costs_more'
        when {{ usd }} < {{ other_usd }} or {{ usd }} > {{ other_usd }} or {{ low }} <= {{ other_high }} then 'no_verdict'
    end
{%- endmacro %}

{#- Standing and sentence of each option, a query over `options`: option_id, option_name, usd, usd_low, usd_high. The lowest point
    stands as its weakest verdict against the others, each other one as its verdict against the lowest. -#}
{% macro verdicts_on_costs(options) -%}
    with placed as (
        select o.*, row_number() over (order by o.usd nulls last, o.option_id) as place
        from {{ options }} as o
    ),

    pairs as (
        select
            a.option_id,
            a.place,
            b.place as other_place,
            b.option_name as other_name,
            {{ verdict_on_cost('a.usd', 'a.usd_low', 'a.usd_high', 'b.usd', 'b.usd_low', 'b.usd_high') }} as code
        from placed as a
        inner join placed as b on a.option_id <> b.option_id
    )

    select
        p.option_id,
        case when p.place > 1 then any_value(p.code) filter (p.other_place = 1) else coalesce(
            {% for code in ['about_the_same', 'probably_costs_less', 'costs_less', 'no_verdict'] -%}
            any_value(p.code) filter (p.code = '{{ code }}'){{ ', ' if not loop.last }}
            {%- endfor %}
        ) end as standing,
        nullif(concat_ws('; ',
            {% for code, words in {
                'costs_less': 'costs less than', 'probably_costs_less': 'probably costs less than', 'about_the_same': 'about the same as',
                'probably_costs_more': 'probably costs more than', 'costs_more': 'costs more than', 'no_verdict': 'no range, no verdict against'
            }.items() -%}
            '{{ words }} ' || string_agg(p.other_name, ', ' order by p.other_place) filter (p.code = '{{ code }}'){{ ', ' if not loop.last }}
            {%- endfor %}
        ), '') as verdict
    from pairs as p
    where p.place = 1 or p.other_place = 1 or p.code = 'about_the_same'
    group by p.option_id, p.place
{%- endmacro %}
