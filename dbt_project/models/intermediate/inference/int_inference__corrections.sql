-- Results of systems whose description is known to be wrong: the right size, or why there is no figure per
-- accelerator. A correction holds only while the published value is the one it was made for.
with

results as (
    select result_number, release, submitter_published, platform, number_of_nodes, accelerators_per_node_published
    from {{ ref('int_inference__in_force') }}
),

corrections as (
    select * from {{ ref('mlperf_system_corrections') }} where suite_kind = 'inference'
),

matched as (
    select results.result_number, corrections.*
    from results
    inner join corrections
        on results.release = corrections.release
        and results.submitter_published = corrections.submitter
        and results.platform = corrections.platform
        and corrections.published_value is not distinct from
            case corrections.field
                when 'number_of_nodes' then results.number_of_nodes::varchar
                when 'accelerators_per_node' then results.accelerators_per_node_published
            end
)

select
    result_number,
    max(try_cast(corrected_value as bigint)) filter (field = 'number_of_nodes') as number_of_nodes,
    max(try_cast(corrected_value as bigint)) filter (field = 'accelerators_per_node') as accelerators_per_node,
    max(reason) filter (not is_per_accelerator_valid) as invalid_reason
from matched
group by result_number
