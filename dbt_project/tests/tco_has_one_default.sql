-- one row is the default, unless every capital price is an old purchase
with

costs as (select * from {{ ref('mart_tco') }})

select scenario_id, accelerator_id
from costs
group by scenario_id, accelerator_id
having count(*) filter (where is_default) <> (count(*) filter (where is_purchase_old is not true) > 0)::integer
    or count(*) filter (where is_default and is_purchase_old) > 0
    or (count(usd_per_accelerator_hour) filter (where is_purchase_old is not true) > 0
        and count(usd_per_accelerator_hour) filter (where is_default) = 0)
