{{ config(severity = 'warn') }}
-- An instance type known to hold one accelerator is not sold with the words for another: SXM as PCIe, 40 GB as 80 GB.
select
    offers.provider,
    offers.instance_type,
    offers.accelerator_published,
    offers.accelerator_id,
    offers.accelerator_id_by_words,
    string_agg(distinct offers.source, ',') as sources
from {{ ref('int_price__judged') }} as offers
where offers.is_contradicted or offers.accelerator_count <> offers.accelerator_count_of_type
group by all
order by all
