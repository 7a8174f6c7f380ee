with meaning as (
    select m.id, m.problem from {{ function('resolve_name') }}('accelerator', cast(accelerator as varchar)) as m
),

-- one accelerator, or all whose product name begins with the word, such as TPU
family as (
    select
        list(d.accelerator_id order by d.accelerator_id) filter (d.accelerator_id is not null) as ids,
        any_value(m.problem) as problem
    from meaning as m
    left join {{ ref('dim_accelerator') }} as d
        on d.accelerator_id = m.id
        or (m.id is null and d.is_mapped and starts_with({{ plain_name('d.product_name') }}, {{ plain_name('accelerator') }}))
),

asked as (
    select unnest(case when f.ids is null then [cast(error(cast(f.problem as varchar)) as varchar)] else f.ids end) as accelerator_id
    from family as f
),

-- where all of them have one seller
only_seller as (
    select case when count(distinct s.provider) = 1 then any_value(s.provider) end as provider
    from asked as a
    inner join (
        select u.accelerator_id, u.provider from {{ ref('undated_prices') }} as u
        union
        select p.accelerator_id, p.provider from {{ ref('mart_price_current') }} as p
        where p.pricing_model = 'on_demand' and p.rank_reason is null
    ) as s on a.accelerator_id = s.accelerator_id
),

compared as (
    select
        c.*,
        a.accelerator_id is not null as is_asked,
        count(*) over (partition by c.task) as n_accelerators
    from {{ ref('mart_task_cost') }} as c
    left join asked as a on c.accelerator_id = a.accelerator_id
    qualify bool_or(a.accelerator_id is not null) over (partition by c.task)
),

-- for each priced one that is asked for; of training the size at which most accelerators were measured
main_tasks as (
    select c.task
    from compared as c
    where c.is_asked and c.usd_per_task is not null
    qualify row_number() over (
        partition by c.accelerator_id, c.benchmark_id, c.benchmark_version, c.scenario, c.result_unit
        order by c.n_accelerators desc, c.size_class asc
    ) = 1
),

placed as (
    select
        c.*,
        c.task in (select t.task from main_tasks as t) as is_main,
        s.provider as only_seller,
        case
            when c.is_asked and s.provider is not null then c.usd_per_task
            else c.hours_per_task * p.usd_per_accelerator_hour_min
        end as usd_per_task_at_only_seller,
        row_number() over (
            partition by c.task order by c.apart_reason is not null or c.usd_per_task is null, c.usd_per_task, c.accelerator_id
        ) as place
    from compared as c
    cross join only_seller as s
    left join {{ ref('mart_price_current') }} as p
        on s.provider = p.provider and c.accelerator_id = p.accelerator_id and p.pricing_model = 'on_demand' and p.rank_reason is null
),

-- the lowest cost against the next one, each other one against the lowest
rated as (
    select
        x.*,
        {{ verdict_on_cost(
            'x.usd_per_task', 'x.usd_per_task_low', 'x.usd_per_task_high', 'y.usd_per_task', 'y.usd_per_task_low', 'y.usd_per_task_high'
        ) }} as standing,
        y.accelerator_id as other_id,
        min(x.usd_per_task_at_only_seller) filter (not x.is_asked and x.apart_reason is null) over (partition by x.task) as usd_of_others,
        case when x.is_asked then x.usd_per_task_at_only_seller / usd_of_others end as ratio_at_only_seller
    from placed as x
    left join placed as y
        on x.task = y.task and y.place = case x.place when 1 then 2 else 1 end
        and x.apart_reason is null and y.apart_reason is null
)

select
    j.suite_kind,
    j.task,
    j.is_main,
    j.accelerator_id,
    j.is_asked,
    case when j.apart_reason is null and j.usd_per_task is not null then j.place end as place,
    j.release,
    j.submitter,
    j.accelerator_count,
    j.number_format,
    j.throughput_per_accelerator,
    j.result_unit,
    j.score_minutes,
    j.hours_per_task,
    j.usd_per_accelerator_hour,
    j.usd_per_accelerator_hour_low,
    j.usd_per_accelerator_hour_high,
    j.rent_basis,
    j.usd_per_task,
    j.usd_per_task_low,
    j.usd_per_task_high,
    j.cost_unit,
    j.standing,
    {{ verdict_words('j.standing') }} || ' ' || j.other_id as verdict,
    j.usd_per_task_at_spot,
    j.usd_per_task_at_spot_low,
    j.usd_per_task_at_spot_high,
    j.only_seller,
    j.usd_per_task_at_only_seller,
    j.ratio_at_only_seller,
    d.memory_gb,
    d.bf16_dense_tflops,
    nullif(concat_ws(
        '; ', j.apart_reason, case when j.n_sellers = 1 then 'one seller' end,
        case
            when j.is_asked and j.accelerator_id not in (select t.accelerator_id from {{ ref('mart_tco') }} as t) then 'no purchase price'
        end,
        case when j.usd_per_task is null then 'no recent price' end, case when j.is_round_incomplete then 'round held in part' end,
        case when j.number_format is null then 'number format not known' end,
        case when j.n_accelerators = 1 then 'nothing else measured at this size' end
    ), '') as caveats,
    j.result_id
from rated as j
left join {{ ref('dim_accelerator') }} as d on j.accelerator_id = d.accelerator_id
order by
    j.suite_kind <> 'training', j.benchmark_id, j.benchmark_version, j.scenario, j.result_unit, j.size_class, j.place, j.accelerator_id
