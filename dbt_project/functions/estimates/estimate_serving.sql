{#- Of a load or at a speed of each user: the one that is not asked for gets no model and answers with no row. -#}
with question as materialized (
    select
        case
            when tokens_per_s_per_user is not null then null
            when workload is not null then error('workload needs tokens_per_s_per_user: MLPerf''s workloads are its benchmarks')
            when tokens_per_day is null then error('tokens_per_day is missing: give it, or tokens_per_s_per_user')
            {%- for name in ['weights', 'kv_cache'] %}
            when {{ name }} is not null and {{ bytes_per_weight(name) }} is null
                then error(format('{{ name }} is {}: it must be one of {{ weight_formats() }}', {{ name }}))
            {%- endfor %}
            when accelerator is null and price is not null
                then error('price needs accelerator: it is the price of one; name any of dim_accelerator')
            else model
        end as of_load,
        case
            when tokens_per_s_per_user is null then null
            when o.unused <> '' then error(
                o.unused || ' cannot be combined with tokens_per_s_per_user: a measured frontier does not depend on it'
            )
            when accelerator is null and coalesce(cast(price as varchar), provider, scenario) is not null then error(
                'price, provider and scenario need accelerator with tokens_per_s_per_user; rent and ownership are answered without them'
            )
            else model
        end as at_speed,
        n.id as part,
        case when n.problem is null then n.note else error(cast(n.problem as varchar)) end as note
    from {{ function('resolve_name') }}('accelerator', cast(accelerator as varchar)) as n
    cross join (
        select concat_ws(
            ', ', case when mlperf_scenario <> 'Server' then 'mlperf_scenario' end, case when params is not null then 'params' end,
            case when kv_cache <> 'fp16' then 'kv_cache' end, case when context_length <> 8192 then 'context_length' end,
            case when sequences <> 16 then 'sequences' end
            {%- for name in ['region', 'pue', 'electricity', 'grid', 'capex', 'depreciation_years'] -%}
            , case when {{ name }} is not null then '{{ name }}' end
            {%- endfor %}
        ) as unused
    ) as o
)

select a.* replace ([x for x in [cast(q.note as varchar)] || coalesce(a.notes, []) if x is not null] as notes)
from question as q
cross join (
    select *
    from {{ function('serving_for_load') }}(
        (select question.of_load from question), tokens_per_day,
        (select question.part from question where tokens_per_s_per_user is null), price := price, provider := provider, pricing := pricing,
        scenario := scenario, mlperf_scenario := mlperf_scenario, utilisation := utilisation, params := params, weights := weights,
        kv_cache := kv_cache, context_length := context_length, sequences := sequences, pue := pue, electricity := electricity,
        grid := grid, region := region, capex := capex, depreciation_years := depreciation_years
    )
    union all by name
    select *
    from {{ function('serving_at_speed') }}(
        (select question.at_speed from question), tokens_per_s_per_user,
        (select question.part from question where tokens_per_s_per_user is not null), workload := workload, weights := weights,
        tokens_per_day := tokens_per_day, utilisation := utilisation, price := price, provider := provider, pricing := pricing,
        scenario := scenario
    )
) as a
