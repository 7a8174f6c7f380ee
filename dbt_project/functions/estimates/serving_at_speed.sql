{%- set costs = [
    'rent_usd_per_output_mtok', 'rent_usd_per_output_mtok_low', 'rent_usd_per_output_mtok_high',
    'owned_usd_per_output_mtok', 'owned_usd_per_output_mtok_low', 'owned_usd_per_output_mtok_high',
] -%}
{%- set outside = 'Measured outside of MLPerf, not verified by MLCommons.' -%}
with readings as materialized (
    from {{ function('serving_readings') }}(
        model, tokens_per_s_per_user, accelerator, workload := workload, weights := weights
    )
),

best as materialized (
    select
        r.*,
        coalesce(r.accelerator_id, r.part) as accelerator
    from readings as r
    order by r.rank, r.place
    limit 1
),

-- MLPerf's result of the accelerator under its tightest limit on latency
tightest as (
    select r.*
    from best as b
    inner join readings as r on r.kind = 'mlperf' and b.accelerator = r.accelerator_id and b.kind <> 'mlperf'
    order by r.tpot_limit_ms, r.place
    limit 1
),

aside as (
    select list({
        'standing': x.standing, 'frontier': x.frontier, 'result_id': x.result_id, 'basis': x.basis,
        'output_tokens_per_s_per_accelerator': x.output_tokens_per_s_per_accelerator,
        'guaranteed_tokens_per_s_per_user': x.guaranteed_tokens_per_s_per_user,
        'ttft_limit_ms': x.ttft_limit_ms, 'tpot_limit_ms': x.tpot_limit_ms,
        'requests_per_accelerator': x.requests_per_accelerator, 'ttft_ms': x.ttft_ms,
        {%- for cost in costs %}
        '{{ cost }}': x.{{ cost }},
        {%- endfor %}
        'j_per_output_token_measured': x.j_per_output_token_measured, 'energy_scope': x.energy_scope, 'reason': x.reason
    } order by x.rank, x.place) as apart
    from (
        select '{{ outside }}' as standing, r.* exclude (result_id)
        from best as b
        inner join readings as r
            on r.kind = 'frontier'
                and case b.kind when 'mlperf' then b.accelerator = r.accelerator_id when 'nothing' then r.is_reached else false end
        union all by name
        select
            'MLPerf ' || t.scenario || ': guarantees less than the speed asked for.' as standing,
            t.* exclude (frontier, {{ costs | join(', ') }})
        from best as b
        inner join tightest as t on b.kind = 'frontier'
    ) as x
),

none as (
    select
        string_agg(r.frontier || ' is ' || r.reason, '; ' order by r.place) filter (r.kind = 'frontier') as reasons,
        string_agg(distinct r.accelerator_id, ', ' order by r.accelerator_id) filter (r.is_guaranteed) as guaranteeing
    from readings as r
)

select
    cast(model as varchar) as model,
    b.accelerator,
    b.benchmark_id,
    case when tokens_per_day is not null then cast(tokens_per_day as double) end as tokens_per_day,
    case when tokens_per_day is not null then cast(utilisation as double) end as utilisation_pct,
    h.usd_per_accelerator_hour,
    h.usd_per_accelerator_hour_low,
    h.usd_per_accelerator_hour_high,
    h.price_basis,
    b.output_tokens_per_s_per_accelerator,
    {{ function('accelerators_for_load') }}(
        cast({{ argument('tokens_per_day') }} as double), b.output_tokens_per_s_per_accelerator, {{ argument('utilisation') }}
    ) as accelerators_busy,
    {{ usd_per_output_mtok('h.usd_per_accelerator_hour', 'b.output_tokens_per_s_per_accelerator') }} as usd_per_output_mtok_at_full_use,
    case b.kind
        when 'mlperf' then 'one result; range of prices'
        when 'frontier' then 'one frontier; range of prices'
        else 'high is MLPerf ' || t.scenario || ', under a wider limit on latency'
    end as uncertainty_basis,
    {
        'tokens_per_s_per_user': cast(tokens_per_s_per_user as double), 'model_id': b.model_id, 'number_format': b.number_format,
        'scenario': b.scenario, 'framework': b.framework, 'workload': b.workload, 'input_tokens': b.input_tokens,
        'output_tokens_low': b.output_tokens_low, 'output_tokens_high': b.output_tokens_high, 'source': b.source,
        'basis': coalesce(b.basis, 'MLPerf ' || b.scenario), 'guaranteed_tokens_per_s_per_user': b.guaranteed_tokens_per_s_per_user,
        'ttft_limit_ms': b.ttft_limit_ms, 'tpot_limit_ms': b.tpot_limit_ms, 'requests_per_accelerator': b.requests_per_accelerator,
        'ttft_ms': b.ttft_ms,
        {%- for cost in costs %}
        '{{ cost }}': b.{{ cost }},
        {%- endfor %}
        'j_per_output_token_measured': b.j_per_output_token_measured, 'energy_scope': b.energy_scope,
        'output_tokens_per_s_per_accelerator_high': case b.kind when 'nothing' then t.output_tokens_per_s_per_accelerator end,
        'reason': case b.kind when 'nothing' then format(
            'no MLPerf result{} guarantees {:g} tokens/s per user; {}', case when b.part is null then '' else ' of the accelerator' end,
            cast(tokens_per_s_per_user as double), coalesce(n.reasons, b.missing)
        ) end
    } as at_speed,
    [x for x in [
        case b.kind
            when 'mlperf' then b.official
            when 'frontier' then '{{ outside }} Source ' || b.source || ' (' || b.source_url || ').'
            when 'nothing' then 'High is measured under a wider limit on latency: ' || t.official
        end,
        case
            when b.kind = 'nothing' then 'MLPerf results that guarantee the speed are of ' || n.guaranteeing || '.'
            when b.n_alike > 1 then format('The cheapest per token by rent of {} ', b.n_alike) || case b.kind
                when 'mlperf' then 'MLPerf results with such a limit.'
                else 'frontiers that reach the speed, of the accelerators, number formats and frameworks asked for.'
            end
        end,
        format(
            'Frontier of {} points from {:.1f} to {:.1f} tokens/s per user, number format {}, framework {}: {}.', b.n_frontier_points,
            b.lowest_tokens_per_s_per_user, b.highest_tokens_per_s_per_user, coalesce(b.number_format, 'not stated'),
            coalesce(b.framework, 'not stated by the source'),
            case b.basis when 'measured' then 'a measured point' else 'interpolated between two measured neighbours' end
        ),
        format(
            'Workload {}: {} input tokens, {:,.0f} to {:,.0f} output tokens (mean of a point).', b.workload,
            coalesce(format('{:,.0f}', b.input_tokens), 'not stated'), b.output_tokens_low, b.output_tokens_high
        ),
        case when b.kind <> 'nothing' then format(
            'Costs are at full use, their range is that of the price alone. Rent: {}. Ownership: {}.',
            coalesce(b.rent_reason, format('{}; {} sellers on demand (oldest price {})', b.rent_basis, b.n_sellers, b.oldest_price_on)),
            coalesce(b.owned_reason, '{{ var("default_owner") }} (mart_tco)')
        ) end,
        case when b.kind = 'frontier' then coalesce(
            'Joules are measured, before PUE; power scope: ' || b.energy_scope || '.', 'No joules were measured at this speed.'
        ) end,
        case when b.kind = 'mlperf' then 'There is no measured frontier to compare it with: ' || b.missing || '.' end,
        h.basis
    ] if x is not null] as basis,
    case b.kind when 'mlperf' then [b.result_id] else [] end as rests_on,
    [x for x in [b.result_id, case b.kind when 'nothing' then t.result_id end] if x is not null] as results,
    case when b.kind <> 'frontier' then [] when b.basis = 'measured' then [b.point_id_below] else [b.point_id_below, b.point_id_above] end
        as points,
    a.apart
from best as b
cross join aside as a
cross join none as n
left join tightest as t on true
left join {{ function('hourly_rate') }}(
    case when coalesce(cast(price as varchar), provider, scenario) is not null then (select best.part from best) end,
    price := price, provider := provider, pricing := pricing, scenario := scenario
) as h on b.part = h.accelerator_id and coalesce(cast(price as varchar), provider, scenario) is not null
