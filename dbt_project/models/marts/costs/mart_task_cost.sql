-- One row per MLPerf task and accelerator: its best result, an hour of it, and what the task costs. A task is a benchmark in a scenario
-- and unit, or a training benchmark at a class of sizes (a power of two). Without an available system, a preview or research one.
with

training as (
    select
        'training' as suite_kind,
        benchmark_id,
        benchmark_version,
        cast(null as varchar) as scenario,
        cast(round(log2(accelerator_count)) as bigint) as size_class,
        accelerator_id,
        accelerator_count,
        availability,
        case
            when availability = 'unknown' then 'availability of the system is not stated'
            when availability <> 'available' then availability || ' system'
        end as apart_reason,
        release,
        submitter,
        number_format,
        result_id,
        is_round_incomplete,
        case when trained_tokens_per_s_per_accelerator is null then 'samples/s' else 'trained tokens/s' end as result_unit,
        coalesce(trained_tokens_per_s_per_accelerator, samples_per_s / accelerator_count) as throughput_per_accelerator,
        score_minutes,
        accelerator_hours as hours_per_task
    from {{ ref('fct_training_result') }}
    where division = 'closed' and {{ trained_to_target() }} and accelerator_hours is not null
    qualify row_number() over (
        partition by benchmark_id, benchmark_version, size_class, accelerator_id
        order by availability <> 'available', availability, accelerator_hours, result_id
    ) = 1
),

inference as (
    select
        'inference' as suite_kind,
        best.benchmark_id,
        best.benchmark_version,
        best.scenario,
        best.accelerator_id,
        results.accelerator_count,
        best.availability,
        best.apart_reason,
        best.release,
        best.best_submitter as submitter,
        best.best_number_format as number_format,
        best.best_result_id as result_id,
        best.is_round_incomplete,
        best.result_unit,
        best.throughput_per_accelerator_max as throughput_per_accelerator,
        {{ usd_per_output_mtok(1, 'best.throughput_per_accelerator_max') }} as hours_per_task
    from {{ ref('mart_inference_throughput') }} as best
    left join {{ ref('fct_inference_result') }} as results on best.best_result_id = results.result_id
    where best.division = 'closed' and best.suite = 'datacenter' and best.variant = 'standard'
        and best.throughput_per_accelerator_max > 0 and {{ is_mapped('best.accelerator_id') }}
    qualify row_number() over (
        partition by best.benchmark_id, best.benchmark_version, best.scenario, best.result_unit, best.accelerator_id
        order by best.is_representative desc, best.throughput_per_accelerator_max desc, best.best_result_id asc
    ) = 1
),

measured as (
    select * from training
    union all by name
    select * from inference
),

rents as (
    select * from {{ ref('mart_accelerator_hour') }} where price_basis = 'rent'
)

select
    measured.suite_kind,
    concat_ws(
        ' ', measured.benchmark_id, case when measured.benchmark_version > 1 then '(version ' || measured.benchmark_version || ')' end,
        measured.scenario, 'on about ' || cast(pow(2, measured.size_class) as bigint) || ' accelerators',
        case when measured.scenario is not null then 'in ' || measured.result_unit end
    ) as task,
    measured.* exclude (measured.suite_kind, measured.hours_per_task),
    measured.hours_per_task,
    case
        when measured.suite_kind = 'training' then 'USD to the target'
        when measured.result_unit = 'tokens/s' then 'USD per million output tokens'
        else 'USD per million ' || replace(measured.result_unit, '/s', '')
    end as cost_unit,
    {%- for end in ['', '_low', '_high'] %}
    on_demand.usd_per_accelerator_hour{{ end }},
    measured.hours_per_task * on_demand.usd_per_accelerator_hour{{ end }} as usd_per_task{{ end }},
    measured.hours_per_task * spot.usd_per_accelerator_hour{{ end }} as usd_per_task_at_spot{{ end }},
    {%- endfor %}
    on_demand.rent_basis,
    on_demand.n_sellers
from measured
left join rents as on_demand
    on measured.accelerator_id = on_demand.accelerator_id and on_demand.price_terms = 'on_demand'
left join rents as spot
    on measured.accelerator_id = spot.accelerator_id and spot.price_terms = 'spot'
