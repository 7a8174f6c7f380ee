{{ config(severity = 'warn') }}
-- Every offer names a seller and an accelerator we know, or one we know that is not compared. A name listed here
-- wants a line in seeds/cloud_provider_aliases.csv, instance_accelerators.csv or gpu_name_accelerators.csv; until
-- then its prices stand in fct_price_interval and in no comparison.
select
    coalesce(provider, provider_published) as provider,
    instance_type,
    accelerator_published,
    string_agg(distinct source, ',') as sources,
    count(distinct offer_id) as n_offers
from {{ ref('fct_price_interval') }}
where provider is null or mapping_rule = 'unmapped'
group by all
order by all
