-- One submitter's results on the same accelerator, scale and number format from round to round: what changed is the
-- software. The best result of the submitter in each round stands for it.
with

ordered as (
    select
        *,
        lag(release) over rounds as previous_release,
        lag(value) over rounds as previous_value,
        lag(best_result_id) over rounds as previous_result_id
    from {{ ref('int_software__rounds') }}
    window rounds as (partition by comparison order by {{ release_number('release') }})
)

select
    suite_kind,
    release,
    previous_release,
    submitter_id,
    benchmark_id,
    benchmark_version,
    scenario,
    accelerator_id,
    accelerator_count,
    number_format,
    availability,
    unit,
    value,
    previous_value,
    {{ gain_ratio('unit', 'value', 'previous_value') }} as gain_ratio,
    n_results,
    best_result_id,
    previous_result_id
from ordered
where previous_release is not null
