-- Purchases that say what a buyer of servers pays, made all-in by the form they were sold in (seed purchase_forms): of each
-- accelerator the newest purchase and the newest published estimate, and every order of several accelerators at one price. None is
-- older than 36 months at the day of the newest price. A year is no date; grey markets and forecasts of parts not yet delivered are no
-- purchases. A price of unknown form has a row as a server and one as a module.
with

prices as (select * from {{ ref('int_price__hardware') }}),

newest_price as (select {{ newest_price_on('prices', 'now()') }} as price_day),

forms as (select * from {{ ref('purchase_forms') }}),

purchases as (
    select
        prices.accelerator_id,
        prices.offer_id,
        prices.purchase_form,
        prices.purchase_basis,
        coalesce(prices.accelerator_count, 1) as accelerators,
        prices.price * prices.usd_per_unit as usd,
        cast(prices.last_seen_at as date) as last_seen_on,
        prices.source_url,
        newest_price.price_day
    from prices
    cross join newest_price
    where prices.pricing_model = 'purchase'
        and prices.purchase_basis in ('listing', 'list_price', 'company_order', 'published_estimate')
        and {{ is_mapped('prices.accelerator_id') }}
        and {{ is_mapped('prices.provider') }}
        and prices.observed_precision <> 'year'
        and cast(prices.last_seen_at as date) between newest_price.price_day - interval 36 month and newest_price.price_day
),

named as (
    select
        *,
        case
            when count(distinct accelerator_id) over (partition by purchase_basis, source_url, last_seen_on, usd) > 1
                then 'order/' || source_url || '/' || last_seen_on
            when purchase_basis = 'published_estimate' then 'estimate/' || accelerator_id
            else 'purchase/' || accelerator_id
        end as purchase_id
    from purchases
),

-- a price of unknown form stands only where no other is known
newest as (
    select * from named
    window purchase as (partition by purchase_id)
    qualify (purchase_form = 'unknown') = (bool_and(purchase_form = 'unknown') over purchase)
        and last_seen_on = coalesce(
            max(last_seen_on) filter (purchase_form <> 'unknown') over purchase, max(last_seen_on) over purchase
        )
)

select
    newest.purchase_id,
    newest.accelerator_id,
    newest.offer_id,
    newest.last_seen_on,
    newest.price_day,
    newest.last_seen_on < newest.price_day - interval 18 month as is_old,
    newest.purchase_basis,
    newest.accelerators,
    newest.purchase_form,
    forms.purchase_form as assumed_form,
    -- whole machines stand before bare modules; an unknown form gives a range, no value
    newest.purchase_form <> 'unknown' and (
        forms.purchase_form <> 'module' or bool_and(forms.purchase_form = 'module') over (partition by newest.purchase_id)
    ) as is_value,
    newest.usd as purchase_usd,
    newest.usd / forms.share_of_server as server_capex_usd,
    {{ all_in_capex_usd('newest.usd', 'forms') }} as all_in_capex_usd,
    newest.source_url
from newest
inner join forms
    on newest.purchase_form = forms.purchase_form
    or (newest.purchase_form = 'unknown' and forms.purchase_form in ('server', 'module'))
