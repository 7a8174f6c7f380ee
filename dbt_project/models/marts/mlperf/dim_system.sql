-- One row per system of a round, as its results describe it; null where they contradict each other.
with

results as (select * from {{ ref('fct_inference_result') }})

select
    concat_ws('/', 'inference', release, division, submitter, platform) as system_id,
    'inference' as suite_kind,
    release,
    division,
    submitter,
    platform,
    {{ agreed('system_name') }} as system_name,
    {{ agreed('availability') }} as availability,
    {{ agreed('accelerator_name_published') }} as accelerator_name_published,
    {{ agreed('accelerator_id') }} as accelerator_id,
    string_agg(distinct variant, ', ' order by variant) as variants,
    {{ agreed('number_of_nodes') }} as number_of_nodes,
    {{ agreed('accelerators_per_node') }} as accelerators_per_node,
    {{ agreed('accelerator_count') }} as accelerator_count,
    {{ agreed('host_processor_name') }} as host_processor_name,
    {{ agreed('operating_system') }} as operating_system,
    string_agg(distinct software, ' | ' order by software) as software,
    count(*) as n_results
from results
group by release, division, submitter, platform
