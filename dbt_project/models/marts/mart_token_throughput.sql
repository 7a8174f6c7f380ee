-- The best measured output tokens/s of an accelerator, closed and datacenter, on plain systems: what a price is
-- divided by. A result is named with all MLCommons asks for.
with

results as (
    select *
    from {{ ref('fct_inference_result') }}
    where division = 'closed'
        and suite = 'datacenter'
        and variant = 'standard'
        and is_per_accelerator_valid
        and not coalesce(is_derived, true)
        and output_tokens_per_s_per_accelerator > 0
)

select
    benchmark_id,
    scenario,
    release,
    accelerator_id,
    count(*) as n_results,
    max(output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator,
    median(output_tokens_per_s_per_accelerator) as output_tokens_per_s_per_accelerator_median,
    {%- for column in ['result_id', 'submission_id', 'submitter', 'system_name', 'accelerator_count', 'availability', 'source_url'] %}
    arg_max({{ column }}, (output_tokens_per_s_per_accelerator, result_id)) as {{ column }},
    {%- endfor %}
    {{ release_number('release') }} = max({{ release_number('release') }}) over (
        partition by benchmark_id, scenario, accelerator_id
    ) as is_latest_of_accelerator
from results
group by benchmark_id, scenario, release, accelerator_id
