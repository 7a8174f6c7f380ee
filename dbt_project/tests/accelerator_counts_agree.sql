{{ config(severity = 'warn') }}
select
    release, submitter, platform,
    accelerator_count, accelerator_count_basis, total_accelerators_published,
    accelerator_count_nodes_x_per_node, accelerator_count_in_accelerator_name, accelerator_count_in_platform,
    accelerator_count_in_system_name, count(*) as n_results
from {{ ref('fct_inference_result') }}
where do_accelerator_counts_disagree
group by all
