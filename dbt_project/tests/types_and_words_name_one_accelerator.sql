{{ config(severity = 'warn', meta = {'dagster': {'ref': {'name': 'int_price__checked'}}}) }}
select
    offers.provider,
    intervals.instance_type,
    intervals.accelerator_published,
    offers.accelerator_id,
    offers.accelerator_id_by_words,
    string_agg(distinct intervals.source, ',') as sources
from {{ ref('int_price__checked') }} as offers
inner join {{ ref('int_price__intervals') }} as intervals using (interval_number)
where offers.is_contradicted or intervals.accelerator_count <> offers.accelerator_count_of_type
group by all
order by all
