{{ config(severity = 'error') }}
-- Every closed datacenter result names an accelerator we know, several at once, or none. A name listed here
-- wants a line in seeds/accelerator_aliases.csv (and its part one in accelerator_specs.csv).
select accelerator_name_published, platform, release, invalid_reason, count(*) as n_results
from {{ ref('fct_inference_result') }}
where division = 'closed'
    and suite_published like '%datacenter%'
    and accelerator_id is null
    and invalid_reason not in (
        'no accelerator: CPU only',
        'mixed accelerators in one system',
        -- named by its own check below: the name is not there to be mapped
        'no system description: accelerator and count are unknown'
    )
group by all
