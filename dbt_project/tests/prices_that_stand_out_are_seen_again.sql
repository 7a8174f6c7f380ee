{{ config(severity = 'warn') }}
-- Prices in force that moved far or lie far from the others, and were seen only once: kept, shown, not compared until
-- a second observation says the same.
select provider, instance_type, region, pricing_model, accelerator_id,
    round(usd_per_accelerator_hour, 4) as usd_per_accelerator_hour, last_seen_at::date as seen_on, source
from {{ ref('int_price__judged') }}
inner join {{ ref('int_price__intervals') }} using (interval_number)
where valid_to is null and comparability like 'unconfirmed%'
order by all
