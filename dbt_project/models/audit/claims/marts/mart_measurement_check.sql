-- One row per pair of figures of the same model on the same part, measured by MLPerf and by others, with their ratio and known
-- causes of the difference. Both figures are the best of their source; they are never averaged or ranked together.
with

benchmarks as (select benchmark_id, benchmark_family from {{ ref('dim_benchmark') }}),

throughput as (
    select
        'output tokens/s per accelerator' as quantity,
        benchmarks.benchmark_family, benchmark_id, throughput.scenario, throughput.release,
        throughput.accelerator_id,
        throughput.output_tokens_per_s_per_accelerator as mlperf_figure,
        throughput.number_format as mlperf_number_format,
        null as mlperf_energy_scope,
        throughput.accelerator_count as mlperf_accelerators,
        throughput.submitter, throughput.system_name, throughput.result_id, throughput.source_url
    from {{ ref('mart_token_throughput') }} as throughput
    inner join benchmarks using (benchmark_id)
    where throughput.is_representative
),

energy as (
    select
        'measured J per output token' as quantity,
        benchmarks.benchmark_family, benchmark_id, energy.scenario, energy.release, energy.accelerator_id,
        energy.j_per_output_token_before_pue as mlperf_figure,
        energy.number_format as mlperf_number_format,
        'wall' as mlperf_energy_scope,
        energy.accelerator_count as mlperf_accelerators,
        energy.submitter, energy.system_name, energy.result_id, energy.source_url
    from {{ ref('mart_energy') }} as energy
    inner join benchmarks using (benchmark_id)
    where energy.power_basis = 'measured' and energy.suite_kind = 'inference' and energy.j_per_output_token_before_pue is not null
        and energy.variant = 'standard' and not energy.is_derived
    qualify row_number() over (
        partition by benchmark_id, energy.scenario, energy.accelerator_id
        order by {{ release_number('release') }} desc, energy.j_per_output_token_before_pue, energy.result_id
    ) = 1
),

ours as (
    select * from throughput
    union all
    select * from energy
),

points as (
    select * from {{ ref('fct_serving_point') }} where is_newest_run and exclusion_reason is null and benchmark_family is not null
),

{% for name, quantity, figure, best in [
    ('fastest', 'output tokens/s per accelerator', 'output_tokens_per_s_per_accelerator', 'desc'),
    ('thriftiest', 'measured J per output token', 'j_per_output_token_measured', 'asc'),
] %}
{{ name }} as (
    select '{{ quantity }}' as quantity, {{ figure }} as other_figure, *
    from points
    where {{ figure }} is not null
    qualify row_number() over (
        partition by source, model_id, accelerator_id, number_format, framework, workload order by {{ figure }} {{ best }}, point_id
    ) = 1
),
{% endfor %}
theirs as (
    select * from fastest
    union all
    select * from thriftiest
)

select
    md5(concat_ws('|', ours.quantity, ours.result_id, ours.benchmark_id, ours.scenario, theirs.point_id)) as check_id,
    ours.quantity,
    theirs.model_id,
    ours.accelerator_id,
    ours.benchmark_id,
    ours.scenario,
    ours.release,
    ours.submitter,
    ours.system_name,
    ours.result_id,
    ours.mlperf_number_format,
    ours.mlperf_accelerators,
    ours.mlperf_energy_scope,
    ours.mlperf_figure,
    theirs.source as other_source,
    theirs.number_format as other_number_format,
    theirs.workload as other_workload,
    theirs.n_accelerators_all as other_accelerators,
    theirs.energy_scope as other_energy_scope,
    theirs.other_figure,
    theirs.other_figure / ours.mlperf_figure as other_to_mlperf_ratio,
    concat_ws('; ',
        case when theirs.number_format is distinct from ours.mlperf_number_format
            then printf('number format: %s against %s', theirs.number_format, coalesce(ours.mlperf_number_format, 'not known')) end,
        printf('lengths: %s against those of %s', theirs.workload, ours.benchmark_id),
        case ours.scenario
            when 'Offline' then 'scenario: Offline sends all requests at once, without a limit on latency'
            else printf('scenario: %s has limits on latency, the other figure has none', ours.scenario)
        end,
        printf('batch: %g requests in flight, MLPerf states none', theirs.concurrency),
        case when ours.quantity = 'measured J per output token'
            then printf('power scope: %s against %s', theirs.energy_scope, ours.mlperf_energy_scope) end,
        case when theirs.n_accelerators_all <> ours.mlperf_accelerators
            then printf('size: %d against %d accelerators', theirs.n_accelerators_all, ours.mlperf_accelerators) end,
        case when theirs.speculation <> 'none' then 'speculative decoding: ' || theirs.speculation end
    ) as known_causes,
    theirs.point_id,
    ours.source_url,
    theirs.source_url as other_source_url
from ours
inner join theirs using (quantity, benchmark_family, accelerator_id)
