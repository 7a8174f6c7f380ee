-- The newest dated purchase price of each accelerator, not older than 36 months at the day of the newest price, made
-- all-in by the form it was sold in (seed purchase_forms). A year is no date. A price of unknown form has a row as a
-- server and one as a module.
with

prices as (select * from {{ ref('int_price__hardware') }}),

newest_price as (select cast({{ newest_price_at('prices', 'now()') }} as date) as price_day),

forms as (select * from {{ ref('purchase_forms') }}),

purchases as (
    select
        prices.accelerator_id,
        prices.offer_id,
        prices.purchase_form,
        prices.price * prices.usd_per_unit as usd,
        cast(prices.last_seen_at as date) as last_seen_on,
        prices.source_url,
        newest_price.price_day
    from prices
    cross join newest_price
    where prices.pricing_model = 'purchase'
        and {{ is_mapped('prices.accelerator_id') }}
        and {{ is_mapped('prices.provider') }}
        and prices.observed_precision <> 'year'
        and cast(prices.last_seen_at as date) between newest_price.price_day - interval 36 month and newest_price.price_day
),

-- a price of unknown form stands only where no other is known
newest as (
    select * from purchases
    window part as (partition by accelerator_id)
    qualify (purchase_form = 'unknown') = (bool_and(purchase_form = 'unknown') over part)
        and last_seen_on = coalesce(
            max(last_seen_on) filter (purchase_form <> 'unknown') over part, max(last_seen_on) over part
        )
)

select
    newest.accelerator_id,
    newest.offer_id,
    newest.last_seen_on,
    newest.price_day,
    newest.last_seen_on < newest.price_day - interval 18 month as is_old,
    newest.purchase_form,
    forms.purchase_form as assumed_form,
    newest.usd as purchase_usd,
    newest.usd / forms.share_of_server as server_capex_usd,
    {{ all_in_capex_usd('newest.usd', 'forms') }} as all_in_capex_usd,
    newest.source_url
from newest
inner join forms
    on newest.purchase_form = forms.purchase_form
    or (newest.purchase_form = 'unknown' and forms.purchase_form in ('server', 'module'))
