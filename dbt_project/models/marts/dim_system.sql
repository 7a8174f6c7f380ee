-- One row per system of a round, as its results describe it.
with

results as (select * from {{ ref('fct_inference_result') }})

select
    concat_ws('/', 'inference', release, division, submitter, platform) as system_id,
    'inference' as suite_kind,
    release,
    division,
    submitter,
    platform,
    min(system_name) as system_name,
    min(availability) as availability,
    min(accelerator_name_published) as accelerator_name_published,
    min(accelerator_id) as accelerator_id,
    string_agg(distinct variant, ', ' order by variant) as variants,
    min(number_of_nodes) as number_of_nodes,
    min(accelerators_per_node) as accelerators_per_node,
    min(accelerator_count) as accelerator_count,
    min(host_processor_name) as host_processor_name,
    min(operating_system) as operating_system,
    string_agg(distinct software, ' | ' order by software) as software,
    count(*) as n_results
from results
group by release, division, submitter, platform
