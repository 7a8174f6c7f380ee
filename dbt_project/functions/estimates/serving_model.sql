{#- The measured model that stands for a served one: itself, else the one nearest in parameters that work on a token. One number of
    parameters is a dense model's: experts that are loaded and not used cost something else. -#}
with asked as materialized (
    select
        case when n.problem is null then n.id when params is null then error(cast(n.problem as varchar)) else model end as model_key,
        case when n.problem is null then n.note end as note,
        case when s.scenario_key is null and model is not null
            then error(format('mlperf_scenario is {}: it must be one of {}', mlperf_scenario, s.scenarios)) else s.scenario_key
        end as scenario_key
    from {{ function('resolve_name') }}('model', model) as n
    cross join (
        select
            any_value(t.scenario) filter (lower(t.scenario) = lower(mlperf_scenario)) as scenario_key,
            string_agg(distinct t.scenario, ', ' order by t.scenario) as scenarios
        from {{ ref('mart_token_throughput') }} as t
    ) as s
),

models as (
    select distinct
        t.benchmark_id, b.accuracy_target, a.parameters, a.layers, a.kv_heads, a.head_dim, a.kv_latent_values,
        cast(a.active_parameters as double) as active_parameters, a.source_url as architecture_url
    from asked as q
    inner join {{ ref('mart_token_throughput') }} as t on q.scenario_key = t.scenario
    inner join {{ ref('dim_benchmark') }} as b on t.benchmark_id = b.benchmark_id and b.suite_kind = 'inference'
    left join {{ ref('model_architectures') }} as a on {{ plain_name('b.benchmark_family') }} = {{ plain_name('a.model_id') }}
),

nearest as (
    select q.*, m.*, coalesce(m.benchmark_id = q.model_key, false) as is_measured
    from asked as q
    left join models as m on q.model_key = m.benchmark_id or (params is not null and m.active_parameters > 0)
    order by
        coalesce(m.benchmark_id = q.model_key, false) desc, m.active_parameters <> m.parameters asc,
        abs(ln(m.active_parameters / cast(params as double))) asc, m.accuracy_target desc nulls last, m.benchmark_id asc
    limit 1
)

select
    n.model_key as model,
    n.scenario_key as mlperf_scenario,
    [x for x in [n.note] if x is not null] as notes,
    case
        when n.is_measured and params is not null and n.active_parameters is not null
            then error(format('params is {:g}: {} is measured and needs none; leave it out', cast(params as double), n.model_key))
        when n.benchmark_id is null and n.model_key is not null then error(format(
            'model is {}: there is no measured token result ({}). Models: {}; for another model give params (above 0)', n.model_key,
            n.scenario_key, (select string_agg(m.benchmark_id, ', ' order by m.benchmark_id) from models as m)
        ))
        else n.benchmark_id
    end as benchmark_id,
    cast(coalesce({{ argument('params') }}, n.parameters) as double) as params,
    case when n.is_measured then 1e0 else n.active_parameters / cast(params as double) end as factor,
    case when params is null then n.layers end as layers,
    n.kv_heads,
    n.head_dim,
    n.kv_latent_values,
    n.architecture_url,
    case when not n.is_measured then format(
        'To another model: measured on {} of {:.4g} active parameters, taken to {:.4g} in inverse proportion (x {:.3f}); prompts, answers '
        'and limits on latency differ.',
        n.benchmark_id, n.active_parameters, cast(params as double), n.active_parameters / cast(params as double)
    ) end as to_another_model
from nearest as n
