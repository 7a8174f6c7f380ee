-- The chain without one of its sellers, for the range of the index. In a month in which only that one was matched the chain
-- stands still. ln_index_of_all: the chain of all sellers. Where both are equal, the seller does not move the index.
with

months as (select * from {{ ref('int_price__index_months') }} where base_month is not null),

sellers as (
    select distinct months.accelerator_id, months.pricing_model, months.chain_from, moves.seller
    from months
    inner join {{ ref('int_price__index_moves') }} as moves using (accelerator_id, pricing_model, price_month)
),

changes as (
    select
        months.accelerator_id,
        months.pricing_model,
        months.chain_from,
        months.base_month,
        months.price_month,
        sellers.seller,
        months.ln_change as ln_change_of_all,
        case
            when moves.seller is null then months.ln_change
            when months.n_sellers > 1
                then (months.ln_change * months.n_sellers - moves.ln_change) / (months.n_sellers - 1)
            else 0
        end as ln_change
    from months
    inner join sellers using (accelerator_id, pricing_model, chain_from)
    left join {{ ref('int_price__index_moves') }} as moves using (accelerator_id, pricing_model, price_month, seller)
),

chained as (
    select
        *,
        sum(ln_change) over to_month as ln_chained,
        sum(ln_change_of_all) over to_month as ln_chained_of_all
    from changes
    window to_month as (partition by accelerator_id, pricing_model, chain_from, seller order by price_month)
)

select
    accelerator_id,
    pricing_model,
    price_month,
    seller,
    ln_chained - max(ln_chained) filter (price_month = base_month) over of_seller as ln_index,
    ln_chained_of_all - max(ln_chained_of_all) filter (price_month = base_month) over of_seller as ln_index_of_all
from chained
window of_seller as (partition by accelerator_id, pricing_model, chain_from, seller)
