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

{% macro verdict_words(verdict) -%}
    case
        when {{ verdict }} = 'costs_less' then 'costs less than'
        when {{ verdict }} = 'probably_costs_less' then 'probably costs less than'
        when {{ verdict }} = 'about_the_same' then 'about the same as'
        when {{ verdict }} = 'probably_costs_more' then 'probably costs more than'
        when {{ verdict }} = 'costs_more' then 'costs more than'
        when {{ verdict }} = 'no_verdict' then 'no range, no verdict against'
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
        where a.place = 1 or b.place = 1 or code = 'about_the_same'
    ),

    said as (
        select
            p.option_id,
            p.place,
            p.code,
            bool_or(p.other_place = 1) as is_of_lowest,
            list_position(['about_the_same', 'probably_costs_less', 'costs_less'], p.code) as weakness,
            {{ verdict_words('p.code') }} || ' ' || string_agg(p.other_name, ', ' order by p.other_place) as words
        from pairs as p
        where p.code is not null
        group by p.option_id, p.place, p.code
    )

    select
        s.option_id,
        case
            when s.place = 1 then arg_min(s.code, coalesce(s.weakness, 9)) else any_value(s.code) filter (s.is_of_lowest)
        end as standing,
        string_agg(s.words, '; ' order by coalesce(s.weakness, 9), s.code) as verdict
    from said as s
    group by s.option_id, s.place
{%- endmacro %}

{#- Columns of both sides of a comparison, `x` of a and `y` of b: each name with its expression, in which # is the side. -#}
{% macro of_both() -%}
    {%- for name, expression in kwargs.items() %}
    {{ expression | replace('#', 'x') }} as {{ name }}_a,
    {{ expression | replace('#', 'y') }} as {{ name }}_b{{ ',' if not loop.last }}
    {%- endfor %}
{%- endmacro %}
