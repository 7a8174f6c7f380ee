with

costs as (select * from {{ ref('mart_tco') }})

select scenario_id, accelerator_id
from costs
group by scenario_id, accelerator_id
having count(*) filter (where is_default) <> 1
    or (count(usd_per_accelerator_hour) > 0 and count(usd_per_accelerator_hour) filter (where is_default) = 0)
