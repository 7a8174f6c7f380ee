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

specs as (
    select
        2 as topic_order,
        'specification' as topic,
        s.attribute as item,
        s.unit,
        s.curated_value as value,
        s.accelerator_id,
        cast(null as varchar) as evidence
    from {{ ref('mart_spec_agreement') }} as s
    where s.curated_value is not null
),

spec_rows as (
    select
        x.topic_order, x.topic, x.item, x.unit,
        x.value as value_a, y.value as value_b, x.evidence as evidence_a, y.evidence as evidence_b
    from named as n
    inner join specs as x on n.id_a = x.accelerator_id
    inner join specs as y on n.id_b = y.accelerator_id and x.item = y.item
),

-- of the newest round with both
pairs as (
    select p.*
    from named as n
    inner join {{ ref('mart_throughput_ratio') }} as p
        on n.id_a = p.accelerator_id and n.id_b = p.baseline_accelerator_id
    where p.suite_kind = 'inference'
    qualify row_number() over (
        partition by p.benchmark_id, p.scenario, p.result_unit
        order by {{ release_number('p.release') }} desc
    ) = 1
),

representatives as (
    select t.*
    from {{ ref('mart_inference_throughput') }} as t
    where t.is_representative and t.division = 'closed' and t.suite = 'datacenter' and t.variant = 'standard'
),

inference_rows as (
    select
        3 as topic_order,
        'inference' as topic,
        x.benchmark_id || ' ' || x.scenario as item,
        x.result_unit || ' per accelerator' as unit,
        x.release as release_a,
        y.release as release_b,
        x.throughput_per_accelerator_max as value_a,
        y.throughput_per_accelerator_max as value_b,
        x.best_number_format as detail_a,
        y.best_number_format as detail_b,
        p.release as release_of_medians,
        p.throughput_ratio_of_medians as a_to_b_of_medians,
        x.best_result_id as evidence_a,
        y.best_result_id as evidence_b
    from named as n
    inner join representatives as x on n.id_a = x.accelerator_id
    inner join representatives as y
        on n.id_b = y.accelerator_id
        and x.benchmark_id = y.benchmark_id and x.scenario = y.scenario and x.result_unit = y.result_unit
    left join pairs as p
        on x.benchmark_id = p.benchmark_id
        and x.benchmark_version = p.benchmark_version and x.scenario = p.scenario and x.result_unit = p.result_unit
),

-- the best available result of any round at each class of sizes (a power of two)
training_best as (
    select
        f.benchmark_id,
        f.benchmark_version,
        f.accelerator_id,
        f.accelerator_count,
        f.number_format,
        f.release,
        f.result_id,
        case when f.trained_tokens_per_s_per_accelerator is null then 'samples/s' else 'tokens/s' end as result_unit,
        coalesce(f.trained_tokens_per_s_per_accelerator, f.samples_per_s / f.accelerator_count) as throughput,
        round(log2(f.accelerator_count)) as scale_class
    from {{ ref('fct_training_result') }} as f
    where f.division = 'closed' and f.availability = 'available' and {{ trained_to_target() }}
        and coalesce(f.trained_tokens_per_s_per_accelerator, f.samples_per_s) > 0
    qualify row_number() over (
        partition by f.benchmark_id, f.benchmark_version, f.accelerator_id, result_unit, scale_class
        order by throughput desc, f.result_id asc
    ) = 1
),

training_rows as (
    select
        4 as topic_order,
        'training' as topic,
        x.benchmark_id as item,
        x.result_unit || ' per accelerator' as unit,
        x.release as release_a,
        y.release as release_b,
        x.throughput as value_a,
        y.throughput as value_b,
        concat_ws(', ', x.number_format, x.accelerator_count || ' accelerators') as detail_a,
        concat_ws(', ', y.number_format, y.accelerator_count || ' accelerators') as detail_b,
        x.result_id as evidence_a,
        y.result_id as evidence_b
    from named as n
    inner join training_best as x on n.id_a = x.accelerator_id
    inner join training_best as y
        on n.id_b = y.accelerator_id and x.benchmark_id = y.benchmark_id
        and x.benchmark_version = y.benchmark_version and x.result_unit = y.result_unit
        and x.scale_class = y.scale_class
    qualify row_number() over (
        partition by x.benchmark_id, x.result_unit order by x.benchmark_version desc, x.scale_class asc
    ) = 1
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
        x.release as release_a,
        y.release as release_b,
        x.usd_per_output_mtok_at_level as value_a,
        y.usd_per_output_mtok_at_level as value_b,
        x.usd_per_output_mtok_at_level_low as low_a,
        x.usd_per_output_mtok_at_level_high as high_a,
        y.usd_per_output_mtok_at_level_low as low_b,
        y.usd_per_output_mtok_at_level_high as high_b,
        p.release as release_of_medians,
        x.usd_per_accelerator_hour_at_level / y.usd_per_accelerator_hour_at_level / p.throughput_ratio_of_medians
            as a_to_b_of_medians,
        x.cheapest_offer_id as evidence_a,
        y.cheapest_offer_id as evidence_b,
        {{ counted('x.n_sellers_of_level', 'seller') }} as detail_a,
        {{ counted('y.n_sellers_of_level', 'seller') }} as detail_b,
        x.size_note as size_note_a,
        y.size_note as size_note_b
    from named as n
    inner join headlines as x on n.id_a = x.accelerator_id
    inner join headlines as y
        on n.id_b = y.accelerator_id and x.benchmark_id = y.benchmark_id and x.scenario = y.scenario
    left join pairs as p
        on x.benchmark_id = p.benchmark_id and x.scenario = p.scenario
        and p.result_unit = 'tokens/s'
),

-- tasks that are not counted in tokens, at the smallest size that both have
task_cost_rows as (
    select
        5 as topic_order,
        'cost of a task, rented' as topic,
        x.task as item,
        x.cost_unit as unit,
        x.release as release_a,
        y.release as release_b,
        x.usd_per_task as value_a,
        y.usd_per_task as value_b,
        x.usd_per_task_low as low_a,
        x.usd_per_task_high as high_a,
        y.usd_per_task_low as low_b,
        y.usd_per_task_high as high_b,
        x.rent_basis as detail_a,
        y.rent_basis as detail_b,
        x.result_id as evidence_a,
        y.result_id as evidence_b
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
    cross join inference_rows as p
    where r.pricing_model = 'on_demand' and p.unit = 'tokens/s per accelerator'
),

offers as (
    select
        l.*,
        format(
            '{}, machine of {:g}{}', o.provider, coalesce(o.machine_accelerators, 1),
            case o.size_basis when 'assumed' then ' (assumed)' when 'unknown' then ' (size not stated)' else '' end
        ) as cheapest_detail
    from {{ function('price_level') }}(null, pricing := null) as l
    left join {{ ref('fct_price_interval') }} as o on l.cheapest_offer_id = o.offer_id and o.valid_to is null
),

rents as (
    select
        o.accelerator_id, o.pricing_model, o.pricing_model || ', price level' as item, 1 as item_order,
        o.usd_per_accelerator_hour as usd, o.usd_per_accelerator_hour_low as low, o.usd_per_accelerator_hour_high as high,
        o.sellers as detail, o.cheapest_offer_id as evidence
    from offers as o
    where o.usd_per_accelerator_hour is not null
    union all
    -- a list price whose day is not known
    select
        h.accelerator_id, h.price_terms, h.price_terms || ', price level', 1, h.usd_per_accelerator_hour, h.usd_per_accelerator_hour_low,
        h.usd_per_accelerator_hour_high, h.rent_basis, null
    from {{ ref('mart_accelerator_hour') }} as h
    where h.price_basis = 'rent'
        and h.accelerator_id not in (select o.accelerator_id from offers as o where o.pricing_model = h.price_terms)
    union all
    select
        o.accelerator_id, o.pricing_model, o.pricing_model || ', median of sellers' as item, 2 as item_order,
        o.usd_median_plain, null, null, {{ counted('o.n_sellers_plain', 'seller') }}, o.cheapest_offer_id
    from offers as o
    where o.usd_median_plain is not null
    union all
    select
        o.accelerator_id, o.pricing_model, o.pricing_model || ', cheapest seller' as item, 3 as item_order,
        o.usd_cheapest, null, null, o.cheapest_detail, o.cheapest_offer_id
    from offers as o
    where o.usd_cheapest is not null
),

price_rows as (
    select
        6 as topic_order,
        'rent' as topic,
        x.item,
        'USD per accelerator-hour' as unit,
        x.usd as value_a,
        y.usd as value_b,
        x.low as low_a,
        x.high as high_a,
        y.low as low_b,
        y.high as high_b,
        x.detail as detail_a,
        y.detail as detail_b,
        x.evidence as evidence_a,
        y.evidence as evidence_b
    from named as n
    inner join rents as x on n.id_a = x.accelerator_id
    inner join rents as y on n.id_b = y.accelerator_id and x.item = y.item
),

ownership_rows as (
    select
        7 as topic_order,
        'ownership' as topic,
        concat_ws(', ', c.scenario_id, replace(c.capex_basis, '_', ' '), 'prices of ' || c.price_level) as item,
        'USD per accelerator-hour' as unit,
        c.usd_per_accelerator_hour as value_a,
        c.baseline_usd_per_accelerator_hour as value_b,
        c.tco_ratio_low as a_to_b_low,
        c.tco_ratio_high as a_to_b_high,
        format('at equal inputs {:.2f} to {:.2f}', c.tco_ratio_at_equal_inputs_low, c.tco_ratio_at_equal_inputs_high) as detail_a,
        c.tco_ratio_basis as evidence_a,
        c.tco_ratio_basis as evidence_b
    from named as n
    inner join {{ ref('mart_tco_ratio') }} as c
        on n.id_a = c.accelerator_id and n.id_b = c.baseline_accelerator_id
    where c.tco_ratio is not null
),

energy as (
    select
        e.power_basis,
        e.benchmark_id,
        e.scenario,
        e.release,
        e.accelerator_id,
        min(coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled)) as joules,
        arg_min(
            e.result_id, (coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled), e.result_id)
        ) as result_id
    from {{ ref('mart_energy') }} as e
    where e.suite_kind = 'inference' and e.division = 'closed' and e.suite = 'datacenter' and e.variant = 'standard'
        and e.is_derived is not true
        and e.result_id in (select f.result_id from {{ ref('fct_inference_result') }} as f where f.availability = 'available')
        and coalesce(e.j_per_output_token_measured, e.j_per_output_token_modelled) is not null
    group by e.power_basis, e.benchmark_id, e.scenario, e.release, e.accelerator_id
),

energy_rows as (
    select
        8 as topic_order,
        'energy, ' || x.power_basis as topic,
        x.benchmark_id || ' ' || x.scenario as item,
        'J per output token, with PUE' as unit,
        x.release as release_a,
        y.release as release_b,
        x.joules as value_a,
        y.joules as value_b,
        x.result_id as evidence_a,
        y.result_id as evidence_b
    from named as n
    inner join energy as x on n.id_a = x.accelerator_id
    inner join energy as y
        on n.id_b = y.accelerator_id and x.power_basis = y.power_basis and x.benchmark_id = y.benchmark_id
        and x.scenario = y.scenario and x.release = y.release
    qualify row_number() over (
        partition by x.power_basis, x.benchmark_id, x.scenario order by {{ release_number('x.release') }} desc
    ) = 1
),

side_by_side as (
    from same_seller_rows
    union all by name from spec_rows
    union all by name from inference_rows
    union all by name from training_rows
    union all by name from token_cost_rows
    union all by name from task_cost_rows
    union all by name from price_rows
    union all by name from ownership_rows
    union all by name from energy_rows
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
