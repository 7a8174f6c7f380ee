{{ config(severity = 'warn') }}
select accelerator_id, attribute, agreement, is_unpublished, n_sources, n_sources_with_recorded, curated_value
from {{ ref('mart_spec_agreement') }}
where is_datacenter
    and attribute in ('bf16_dense_tflops', 'memory_gb', 'memory_bandwidth_gb_s', 'tdp_w')
    and agreement <> 'not applicable'
    and n_sources < 2
order by accelerator_id, attribute
