{#- What was measured of a model at a speed of each user, best first (rank, then place): 1 an MLPerf result whose limit on latency
    guarantees the speed, 2 a frontier measured outside of MLPerf that reaches it, 3 nothing (one row, always), 4 the rest. The two
    kinds are never ranked together. -#}
with asked as materialized (select cast(accelerator as varchar) as part),

results as (
    select r.*
    from {{ function('mlperf_serving') }}(cast({{ argument('tokens_per_s_per_user') }} as double)) as r
    where workload is null
        and (weights is null or r.number_format = weights)
        and {{ plain_name('model') }} in ({{ plain_name('r.benchmark_id') }}, {{ plain_name('r.benchmark_family') }})
    qualify r.benchmark_id = first_value(r.benchmark_id) over (
        order by
            {{ plain_name('r.benchmark_id') }} = {{ plain_name('model') }} desc, r.accuracy_target desc nulls last, r.benchmark_id asc
    )
),

frontiers as materialized (
    select
        f.*,
        coalesce(f.accelerator_id = coalesce(a.part, f.accelerator_id), false) as has_part,
        has_part and coalesce(f.number_format = weights, weights is null) as has_format,
        has_format and coalesce(f.workload = workload, workload is null) as has_workload
    from {{ function('serving_frontiers') }}(cast({{ argument('tokens_per_s_per_user') }} as double)) as f
    cross join asked as a
    where {{ plain_name('f.model_id') }} = {{ plain_name('model') }}
),

known as (
    select
        count(*) as n_frontiers,
        count(*) filter (f.has_part) as n_of_part,
        count(*) filter (f.has_format) as n_of_format,
        count(*) filter (f.has_workload) as n_of_workload,
        count(distinct f.workload) filter (f.has_workload) as n_workloads,
        string_agg(distinct f.accelerator_id, ', ' order by f.accelerator_id) as parts,
        string_agg(distinct f.number_format, ', ' order by f.number_format) filter (f.has_part) as formats,
        string_agg(distinct f.workload, ', ' order by f.workload) filter (f.has_format) as workloads
    from frontiers as f
),

missing as (
    select
        case
            when k.n_frontiers = 0 then format('model is {}: no frontier was measured', model)
            when k.n_of_part = 0 then format('accelerator is {}: no frontier of {} was measured with it', a.part, model)
            when k.n_of_format = 0 then format('weights is {}: no frontier of {} was measured with it', weights, model)
            when k.n_of_workload = 0 then format('workload is {}: no frontier of {} was measured with it', workload, model)
            when k.n_workloads > 1
                then format('workload must be named, as prompts and answers differ: {} was measured with {}', model, k.workloads)
        end as missing,
        case
            when k.n_frontiers = 0 then '. Models with tokens_per_s_per_user, nearest first: ' || (
                select
                    coalesce(string_agg(
                        m.model_id, ', '
                        order by contains(m.name, m.asked) desc, jaro_winkler_similarity(m.name, m.asked) desc, m.model_id asc
                    ), 'none')
                from (
                    select distinct
                        s.model_id,
                        {{ plain_name('s.model_id') }} as name,
                        {{ plain_name('model') }} as asked
                    from {{ ref('mart_serving_frontier') }} as s
                ) as m
            )
            when k.n_of_workload > 0 then ''
            else '. Measured: ' || case when k.n_of_part = 0 then k.parts when k.n_of_format = 0 then k.formats else k.workloads end
        end as measured
    from known as k
    cross join asked as a
),

readings as materialized (
    select
        r.*,
        'mlperf' as kind,
        r.accelerator_id = coalesce(a.part, r.accelerator_id) as is_asked,
        case when r.is_guaranteed and is_asked then 1 else 4 end as rank,
        cast(null as varchar) as reason
    from results as r
    cross join asked as a
    union all by name
    select
        f.* exclude (has_part, has_format, has_workload, reason, cost_reason),
        'frontier' as kind,
        true as is_asked,
        coalesce(f.reason, f.cost_reason) as reason,
        f.reason is null as is_reached,
        case when coalesce(f.reason, f.cost_reason) is null then 2 else 4 end as rank
    from frontiers as f
    cross join missing as m
    where f.has_workload and m.missing is null
    union all by name
    select 'nothing' as kind, 3 as rank
)

select
    r.*,
    a.part,
    m.missing,
    case when r.kind = 'mlperf' then format(
        'MLPerf Inference {} {}, closed, {}, {}, {}, {} {} on {:,} x {} (result {}): {:,.1f} output tokens/s per accelerator, within {:g} '
        'ms to the first token and {:g} ms per output token (99th percentile, MLCommons'' limits: {}{}): 99 % of users get at least {:.1f} '
        'tokens/s. {}',
        r.release, r.submission_id, r.availability, r.submitter, r.system_name, r.benchmark_id, r.scenario, r.accelerator_count,
        r.accelerator_id, r.result_id, r.output_tokens_per_s_per_accelerator, cast(r.ttft_limit_ms as double),
        cast(r.tpot_limit_ms as double), r.limits_source_url,
        coalesce(format('; measured {:.1f} ms per token', r.tpot_ms_p99), ''), cast(r.guaranteed_tokens_per_s_per_user as double),
        '{{ not_official() }}'
    ) end as official,
    concat_ws(' ', r.source, r.accelerator_id, r.number_format, r.framework, r.workload) as frontier,
    case
        when m.missing is not null and not exists (select 1 from readings as x where x.kind = 'mlperf' and x.is_asked)
            then error(m.missing || m.measured)
        else count(*) over (partition by r.rank)
    end as n_alike,
    row_number() over (
        partition by r.rank
        order by
            r.rent_usd_per_output_mtok is null asc, r.rent_usd_per_output_mtok asc, r.output_tokens_per_s_per_accelerator desc,
            r.is_reached desc, r.source asc, r.accelerator_id asc, r.tpot_limit_ms asc, r.number_format asc, r.framework asc, r.workload asc
    ) as place
from readings as r
cross join asked as a
cross join missing as m
where model is not null
