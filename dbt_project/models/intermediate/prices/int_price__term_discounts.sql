-- One discount a term and day for all accelerators: the median over a seller's offers of an accelerator, the mean of its logarithm over
-- the seller's accelerators, then over sellers; the range is that of the sellers. Held out, it predicts better than a discount of each
-- accelerator.
with

by_accelerator as (
    select as_of, pricing_model, provider, segment, accelerator_id, ln(median(ratio)) as ln_ratio, count(*) as n_cases
    from {{ ref('int_price__term_cases') }}
    group by as_of, pricing_model, provider, segment, accelerator_id
),

by_seller as (
    select as_of, pricing_model, provider, segment, avg(ln_ratio) as ln_ratio, sum(n_cases) as n_cases
    from by_accelerator
    group by as_of, pricing_model, provider, segment
)

select
    as_of,
    pricing_model,
    avg(ln_ratio) as ln_discount,
    min(ln_ratio) as ln_discount_low,
    max(ln_ratio) as ln_discount_high,
    count(*) as n_sellers,
    count(*) filter (segment = 'neocloud') as n_neoclouds,
    cast(sum(n_cases) as bigint) as n_cases,
    string_agg(format('{} {:.2f}', provider, exp(ln_ratio)), ', ' order by ln_ratio, provider) as sellers
from by_seller
group by as_of, pricing_model
