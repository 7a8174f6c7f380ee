with keys as (select {{ function('accelerator_named') }}(a) as key_a, {{ function('accelerator_named') }}(b) as key_b),

named as (
    select
        case
            when k.key_a = k.key_b then error(format('{} and {} are both {}: name two accelerators', a, b, k.key_a))
            else k.key_a
        end as id_a,
        k.key_b as id_b
    from keys as k
),

side_by_side as (
    {% for part in ['compared_costs', 'compared_speeds', 'compared_hours', 'compared_energy'] -%}
    {{ 'union all by name ' if not loop.first }}from {{ function(part) }}((select n.id_a from named as n), (select n.id_b from named as n))
    {% endfor %}
),

ratios as (
    select
        r.*,
        coalesce(r.a_to_b, r.value_a / nullif(r.value_b, 0)) as ratio,
        coalesce(abs(ratio / r.a_to_b_of_medians - 1) > 0.1, false) as do_medians_differ,
        -- of what shares its inputs the range is that of the ratio
        case
            when not starts_with(r.unit, 'USD') then null
            when r.topic = 'ownership' then {{ verdict_on_cost('ratio', 'r.a_to_b_low', 'r.a_to_b_high', '1', '1', '1') }}
            else {{ verdict_on_cost('r.value_a', 'r.low_a', 'r.high_a', 'r.value_b', 'r.low_b', 'r.high_b') }}
        end as standing
    from side_by_side as r
)

select
    n.id_a as accelerator_a,
    n.id_b as accelerator_b,
    r.topic,
    r.item,
    r.unit,
    r.release_a,
    r.release_b,
    r.topic <> 'training' and coalesce(list_has_any([r.release_a, r.release_b], (
        select list(d.release) from {{ ref('dim_release') }} as d where d.suite_kind = 'inference' and d.is_incomplete
    )), false) as is_round_incomplete,
    r.value_a,
    r.low_a,
    r.high_a,
    r.value_b,
    r.low_b,
    r.high_b,
    r.ratio as a_to_b,
    r.a_to_b_low,
    r.a_to_b_high,
    r.standing,
    n.id_a || ': ' || {{ verdict_words('r.standing') }} || ' ' || n.id_b as verdict,
    r.a_to_b_of_medians,
    r.release_of_medians,
    case when r.do_medians_differ then format('{:.2f} by the medians of {}', r.a_to_b_of_medians, r.release_of_medians) end
        as medians_note,
    r.detail_a,
    r.detail_b,
    r.evidence_a,
    r.evidence_b,
    r.size_note_a,
    r.size_note_b
from ratios as r
cross join named as n
order by r.topic_order, r.topic, r.item <> 'on_demand, an hour', r.item, r.unit
