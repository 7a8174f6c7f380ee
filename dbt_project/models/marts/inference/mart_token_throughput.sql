-- Best measured output tokens/s of an accelerator by round and availability, closed and datacenter, on plain systems;
-- and which of these rows stands for the accelerator: what a price is divided by. A result is named with all MLCommons asks for.
with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    where division = 'closed'
        and suite = 'datacenter'
        and variant = 'standard'
        and {{ stands_for_accelerator() }}
        and output_tokens_per_s_per_accelerator > 0
),

models as (select benchmark_id, model_parameters from {{ ref('dim_benchmark') }}),

counted as ({{ without_reference('results', 'benchmark_id, scenario, release, accelerator_id, availability') }}),

cells as (
    select
        benchmark_id,
        counted.benchmark_version,
        counted.scenario,
        counted.release,
        counted.accelerator_id,
        counted.availability,
        any_value(counted.apart_reason) as apart_reason,
        count(*) as n_results,
        count(distinct submitter) as n_submitters,
        bool_or(counted.is_round_incomplete) as is_round_incomplete,
        any_value(models.model_parameters) as model_parameters,
        max(counted.output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator,
        min(output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator_min,
        median(output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator_median,
        {%- for column in ['result_id', 'submission_id', 'submitter', 'system_name', 'accelerator_count', 'source_url', 'number_format'] %}
        arg_max_null({{ column }}, (output_tokens_per_s_per_accelerator, counted.result_id)) as {{ column }}{{ ',' if not loop.last }}
        {%- endfor %}
    from counted
    left join models using (benchmark_id)
    group by benchmark_id, counted.benchmark_version, counted.scenario, counted.release, counted.accelerator_id, counted.availability
)

select
    cells.*,
    {{ is_best_of_accelerator('cells', 'output_tokens_per_s_per_accelerator') }} as is_best_of_accelerator,
    is_best_of_accelerator and cells.apart_reason is null as is_representative,
    {{ newest_round_columns('cells', 'output_tokens_per_s_per_accelerator_median') }}
from cells
