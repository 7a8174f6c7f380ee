{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'int_price__checked'}}}) }}
select
    judged.provider,
    intervals.instance_type,
    intervals.region,
    intervals.pricing_model,
    judged.accelerator_id,
    round(judged.usd_per_accelerator_hour, 4) as usd_per_accelerator_hour,
    intervals.last_seen_at::date as seen_on,
    intervals.source
from {{ ref('int_price__checked') }} as judged
inner join {{ ref('int_price__intervals') }} as intervals using (interval_number)
where intervals.valid_to is null and judged.comparability like 'unconfirmed%'
order by all
