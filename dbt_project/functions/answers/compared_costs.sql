-- What compare states of the costs of a token and of a task on two accelerators, first at the sellers of both.
with named as (select part_a as id_a, part_b as id_b),

speeds as (
    from {{ function('compared_speeds') }}((select n.id_a from named as n), (select n.id_b from named as n))
),

headlines as (
    select c.*
    from {{ ref('mart_cost_headline') }} as c
    where c.pricing_model = 'on_demand' and c.is_representative and c.usd_per_output_mtok_at_level is not null
),

-- a ratio of prices at the level ÷ the ratio of medians is that of costs
token_cost_rows as (
    select
        5 as topic_order,
        'rented, on demand' as topic,
        x.benchmark_id || ' ' || x.scenario || ', at the price level' as item,
        'USD per million tokens' as unit,
        {{ of_both(
            release='#.release', value='#.usd_per_output_mtok_at_level', low='#.usd_per_output_mtok_at_level_low',
            high='#.usd_per_output_mtok_at_level_high', evidence='#.cheapest_offer_id',
            detail=counted('#.n_sellers_of_level', 'seller'), size_note='#.size_note'
        ) }},
        p.release_of_medians,
        x.usd_per_accelerator_hour_at_level / y.usd_per_accelerator_hour_at_level / p.a_to_b_of_medians
            as a_to_b_of_medians
    from named as n
    inner join headlines as x on n.id_a = x.accelerator_id
    inner join headlines as y
        on n.id_b = y.accelerator_id and x.benchmark_id = y.benchmark_id and x.scenario = y.scenario
    left join speeds as p
        on x.benchmark_id || ' ' || x.scenario = p.item and p.topic = 'inference' and p.unit = 'tokens/s per accelerator'
),

-- tasks that are not counted in tokens, at the smallest size that both have
task_cost_rows as (
    select
        5 as topic_order,
        'cost of a task, rented' as topic,
        x.task as item,
        x.cost_unit as unit,
        {{ of_both(
            release='#.release', value='#.usd_per_task', low='#.usd_per_task_low', high='#.usd_per_task_high', detail='#.rent_basis',
            evidence='#.result_id'
        ) }}
    from named as n
    inner join {{ ref('mart_task_cost') }} as x on n.id_a = x.accelerator_id
    inner join {{ ref('mart_task_cost') }} as y on n.id_b = y.accelerator_id and x.task = y.task
    where x.apart_reason is null and y.apart_reason is null and x.usd_per_task / y.usd_per_task is not null
        and (x.suite_kind = 'training' or x.result_unit <> 'tokens/s')
    qualify row_number() over (
        partition by x.benchmark_id, x.benchmark_version, x.scenario, x.result_unit order by x.size_class
    ) = 1
),

same_sellers as (
    select r.*
    from named as n
    inner join {{ ref('mart_same_seller_ratio') }} as r on n.id_a = r.accelerator_id and n.id_b = r.other_accelerator_id
),

-- a ratio of prices ÷ the ratio of throughputs is that of costs
same_seller_rows as (
    select
        0 as topic_order,
        'at the same sellers' as topic,
        r.pricing_model || ', an hour' as item,
        'ratio' as unit,
        r.ratio_median as a_to_b,
        r.ratio_low as a_to_b_low,
        r.ratio_high as a_to_b_high,
        r.sellers as detail_a,
        {{ counted('r.n_sellers', 'seller') }} as detail_b
    from same_sellers as r
    union all by name
    select
        1 as topic_order,
        'at the same sellers' as topic,
        r.pricing_model || ', a token of ' || p.item as item,
        'ratio' as unit,
        p.release_a,
        p.release_b,
        r.ratio_median * p.value_b / p.value_a as a_to_b,
        r.ratio_low * p.value_b / p.value_a as a_to_b_low,
        r.ratio_high * p.value_b / p.value_a as a_to_b_high,
        p.release_of_medians,
        r.ratio_median / p.a_to_b_of_medians as a_to_b_of_medians,
        cast(null as varchar) as detail_a,
        {{ counted('r.n_sellers', 'seller') }} as detail_b
    from same_sellers as r
    cross join speeds as p
    where r.pricing_model = 'on_demand' and p.topic = 'inference' and p.unit = 'tokens/s per accelerator'
)

from same_seller_rows
union all by name from token_cost_rows
union all by name from task_cost_rows
