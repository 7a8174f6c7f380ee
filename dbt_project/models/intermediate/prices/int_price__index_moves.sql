-- The change of a seller's prices of an accelerator from the month before: the mean over its matched offers.
select
    accelerator_id,
    pricing_model,
    price_month,
    seller,
    avg(ln_change) as ln_change,
    count(*) as n_matched
from {{ ref('int_price__index_panel') }}
where ln_change is not null
group by accelerator_id, pricing_model, price_month, seller
