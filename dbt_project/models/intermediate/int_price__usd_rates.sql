-- Dollars for one unit of a currency on a day, from the ECB's rates against the euro.
with

rates as (
    select rate_date, currency, per_eur from {{ ref('stg_prices__exchange_rates') }}
    union all
    select distinct rate_date, 'EUR', 1.0 from {{ ref('stg_prices__exchange_rates') }}
),

dollars as (select rate_date, per_eur as usd_per_eur from rates where currency = 'USD')

select
    rates.rate_date,
    rates.currency,
    dollars.usd_per_eur / rates.per_eur as usd_per_unit
from rates
inner join dollars using (rate_date)
