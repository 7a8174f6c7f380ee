-- The best measured output tokens/s of an accelerator, closed and datacenter, on plain systems: what a price is
-- divided by. A result is named with all MLCommons asks for.
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

-- total parameters of the model, all experts counted
models as (
    select
        benchmarks.benchmark_id,
        coalesce(architectures.parameters, seed.parameters) as model_parameters
    from {{ ref('stg_reference__mlperf_benchmarks') }} as benchmarks
    inner join {{ ref('benchmark_models') }} as seed using (benchmark_family)
    left join {{ ref('model_architectures') }} as architectures using (model_id)
),

counted as ({{ without_reference('results', 'benchmark_id, scenario, release, accelerator_id') }})

select
    benchmark_id,
    scenario,
    release,
    accelerator_id,
    count(*) as n_results,
    bool_or(is_round_incomplete) as is_round_incomplete,
    any_value(models.model_parameters)::double as model_parameters,
    max(output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator,
    min(output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator_min,
    median(output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator_median,
    {%- for column in ['result_id', 'submission_id', 'submitter', 'system_name', 'accelerator_count', 'availability', 'source_url', 'number_format'] %}
    arg_max({{ column }}, (output_tokens_per_s_per_accelerator, result_id)) as {{ column }},
    {%- endfor %}
    {{ release_number('release') }} = max({{ release_number('release') }}) over (
        partition by benchmark_id, scenario, accelerator_id
    ) as is_latest_of_accelerator
from counted
left join models using (benchmark_id)
group by benchmark_id, scenario, release, accelerator_id
