{{ config(severity = 'warn') }}
-- A region listed here wants a line in seeds/cloud_regions.csv: its prices stand without a country.
select provider, region, count(distinct offer_id) as n_offers
from {{ ref('int_price__judged') }}
where not is_region_known and provider is not null
group by all
order by all
