with measured as (
    select t.*, t.best_result_id as result_id
    from {{ ref('mart_inference_throughput') }} as t
    where t.benchmark_id = {{ function('benchmark_named') }}(model)
        and t.scenario = scenario
        and t.division = 'closed'
        and t.suite = 'datacenter'
        and t.variant = 'standard'
        and t.throughput_per_accelerator_max is not null
        and (release is null or t.release = release)
),

best as (
    select
        m.*,
        case
            when release is null and m.apart_reason is not null
                then format(
                    'no available result; {} in {}: {:.1f} {}', m.apart_reason, m.release,
                    m.throughput_per_accelerator_max, m.result_unit
                )
            else m.apart_reason
        end as reason,
        release is not null or m.apart_reason is null as is_shown
    from measured as m
    qualify {{ is_best_of_accelerator('m', 'throughput_per_accelerator_max', ['result_unit']) }}
)

select
    b.accelerator_id,
    {%- for column, name in [
        ('release', 'release'),
        ('throughput_per_accelerator_max', 'throughput_per_accelerator'),
        ('result_unit', 'result_unit'),
        ('n_results', 'n_results'),
        ('n_submitters', 'n_submitters'),
        ('best_submitter', 'submitter'),
        ('best_system_name', 'system_name'),
        ('availability', 'availability'),
        ('best_number_format', 'number_format'),
        ('throughput_per_accelerator_median', 'throughput_per_accelerator_median'),
        ('newest_release', 'newest_release'),
        ('newest_release_median', 'newest_release_median'),
        ('newest_release_n_results', 'newest_release_n_results'),
        ('is_round_incomplete', 'is_round_incomplete'),
        ('best_submission_id', 'submission_id'),
        ('best_source_url', 'source_url'),
        ('best_result_id', 'result_id'),
    ] %}
    case when b.is_shown then b.{{ column }} end as {{ name }},
    {%- endfor %}
    b.benchmark_version,
    b.reason
from best as b
where accelerator is null or b.accelerator_id = {{ function('accelerator_named') }}(accelerator)
order by b.apart_reason is not null, b.result_unit, b.throughput_per_accelerator_max desc, b.accelerator_id
