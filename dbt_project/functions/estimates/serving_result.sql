{#- The MLPerf result that a served load rests on, with the price of its hour: of the accelerator asked for, else of the cheapest per
    token. A plain median stands for its own sellers only: never before a price level. -#}
with asked as materialized (select cast(accelerator as varchar) as part),

served as materialized (from {{ function('serving_model') }}(model, params, mlperf_scenario)),

measured as materialized (
    select t.*, f.weight_number_formats, f.accelerators_per_node
    from served as s
    inner join {{ ref('mart_token_throughput') }} as t
        on s.benchmark_id = t.benchmark_id and s.mlperf_scenario = t.scenario and t.is_representative
    left join {{ ref('fct_inference_result') }} as f on t.result_id = f.result_id
),

-- of a part that was not measured: the one nearest in memory bandwidth, those of its vendor first
nearest as (
    select
        m.accelerator_id,
        mine.memory_bandwidth_gb_s / d.memory_bandwidth_gb_s as ratio
    from asked as a
    inner join {{ ref('dim_accelerator') }} as mine on a.part = mine.accelerator_id
    cross join measured as m
    inner join {{ ref('dim_accelerator') }} as d on m.accelerator_id = d.accelerator_id
    where mine.memory_bandwidth_gb_s > 0 and d.memory_bandwidth_gb_s > 0
    order by
        m.accelerator_id <> a.part, d.vendor is distinct from mine.vendor, abs(ln(mine.memory_bandwidth_gb_s / d.memory_bandwidth_gb_s)),
        m.accelerator_id
    limit 1
),

candidates as (
    select
        m.*,
        coalesce(a.part, m.accelerator_id) as chosen,
        case when a.part <> m.accelerator_id then n.ratio else 1e0 end as ratio
    from asked as a
    cross join measured as m
    left join nearest as n on true
    where case when a.part in (select x.accelerator_id from measured as x) then a.part else coalesce(n.accelerator_id, a.part) end = m.accelerator_id
        or a.part is null
),

rated as (
    select
        c.*,
        r.* exclude (accelerator_id),
        bool_or(r.usd_per_accelerator_hour_low is not null) over () as has_level
    from candidates as c
    inner join {{ function('hourly_rate') }}(
        (select asked.part from asked), price := price, provider := provider, pricing := pricing, scenario := scenario,
        region := region
    ) as r on c.chosen = r.accelerator_id
),

best as materialized (
    select
        r.*,
        count(*) over () as n_compared
    from rated as r
    where not r.has_level or r.usd_per_accelerator_hour_low is not null
    order by r.usd_per_accelerator_hour / (r.output_tokens_per_s_per_accelerator * r.ratio), r.chosen
    limit 1
)

select
    s.*,
    case
        when b.chosen is not null then b.chosen
        when a.part is not null and not exists (from candidates) then error(format(
            'accelerator is {}: not measured, and without a memory bandwidth nothing can be taken from others. Measured: {}', a.part,
            (select coalesce(string_agg(m.accelerator_id, ', ' order by m.accelerator_id), 'none') from measured as m)
        ))
        else error(format(
            '{}: none of {} has such a price. Give another one, or accelerator and price',
            concat_ws(', ', 'provider ' || provider, 'pricing ' || pricing, 'scenario ' || scenario, 'region ' || region),
            (select coalesce(string_agg(c.chosen, ', ' order by c.chosen), 'no accelerator') from candidates as c)
        ))
    end as accelerator,
    b.* exclude (benchmark_id, chosen, basis),
    [
        b.basis,
        case when a.part is null then format(
            '{} is the cheapest per token of {} accelerators measured and priced{}.', b.chosen, b.n_compared,
            case when b.has_level then ' with a range of prices' else '' end
        ) end,
        format(
            'Measured: MLPerf Inference {}{} {}, closed, {}, {}, {} {}: {:,.1f} output tokens/s per {} (result {}), the best available result '
            'of any round. {}', b.release, case when b.is_round_incomplete then ' (in part)' else '' end, b.submission_id, b.submitter,
            b.system_name, b.benchmark_id, s.mlperf_scenario, b.output_tokens_per_s_per_accelerator, b.accelerator_id, b.result_id,
            '{{ not_official() }}'
        )
    ] as choices
from served as s
cross join asked as a
left join best as b on true
where s.benchmark_id is not null
