-- The price of an offer in every month from one observation to the next, with its change from the month before. Between two
-- observations at most so many months apart the earlier price is carried forward; a change over a longer gap is not known, and
-- after its last observation an offer has no price.
{% set months_to_next = "date_diff('month', price_month, next_month)" %}
with

seen as (
    select
        price_month,
        accelerator_id,
        pricing_model,
        seller,
        what_is_sold,
        ln_usd,
        lead(price_month) over of_offer as next_month,
        lag(price_month) over of_offer as previous_month,
        lag(ln_usd) over of_offer as previous_ln_usd
    from {{ ref('int_price__monthly') }}
    window of_offer as (partition by accelerator_id, pricing_model, what_is_sold order by price_month)
),

carried as (
    select
        seen.*,
        unnest(range(
            case
                when {{ months_to_next }} <= {{ var('price_index_carried_months') }} then {{ months_to_next }} else 1
            end
        )) as months_carried
    from seen
)

select
    cast(price_month + to_months(months_carried) as date) as price_month,
    accelerator_id,
    pricing_model,
    seller,
    what_is_sold,
    ln_usd,
    months_carried > 0 as is_carried,
    case
        when months_carried > 0 then 0
        when date_diff('month', previous_month, price_month) <= {{ var('price_index_carried_months') }} then ln_usd - previous_ln_usd
    end as ln_change
from carried
