select {{ in_whole_machines('accelerators', machine_size('one_bought.scale_up_domain_size', 'node_size')) }}::bigint
from {{ ref('dim_accelerator') }} as one_bought
where one_bought.accelerator_id = accelerator
