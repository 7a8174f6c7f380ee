-- What a figure per accelerator of a training result rests on, and why there is none.
with

systems as (
    select
        results.result_id,
        results.is_system_described,
        results.accelerators_per_node,
        accelerators.accelerator_id,
        accelerators.is_name_absent,
        accelerators.is_mixed,
        accelerators.is_override,
        {{ possible_count('results.accelerator_count') }} as accelerator_count,
        -- a product beyond 64 bits has no accelerator_count
        case when {{ is_impossible_count('results.number_of_nodes::hugeint * results.accelerators_per_node') }}
                or {{ is_impossible_count('results.accelerator_count') }}
            then 'impossible' end as accelerator_count_basis
    from {{ ref('stg_mlperf_training__results') }} as results
    left join {{ ref('int_mlperf__accelerators') }} as accelerators on {{ is_of_system('accelerators', 'results') }}
)

select
    result_id,
    accelerator_id,
    is_override,
    accelerator_count,
    case
        {{ reasons_of_system() }}
        {{ reasons_of_count() }}
    end as invalid_reason
from systems
