-- Dollars for one unit of a currency on a day, from the ECB's rates against the euro.
with

rates as (
    select rate_date, currency, per_eur from {{ ref('stg_prices__exchange_rates') }}
    union all
    select distinct rate_date, 'EUR', 1.0 from {{ ref('stg_prices__exchange_rates') }}
),

dollars as (select rate_date, per_eur as usd_per_eur from rates where currency = 'USD'),

-- a currency that the ECB no longer quotes (RUB since March 2022) has no rate from then on: its last one would be years old
ends as (
    select currency, max(rate_date) + 7 as rate_date
    from rates
    group by currency
    having max(rate_date) + 7 < (select max(dollars.rate_date) from dollars)
)

select
    rates.rate_date,
    rates.currency,
    dollars.usd_per_eur / rates.per_eur as usd_per_unit
from rates
inner join dollars using (rate_date)
union all
select rate_date, currency, null from ends
