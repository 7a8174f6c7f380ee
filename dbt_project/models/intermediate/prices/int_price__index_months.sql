-- The months of each chain: a run of months of which each has an offer in common with the one before. The month before
-- the first belongs to it. A chain has a base, the first month with enough matched sellers, where enough months have them.
with

changes as (
    select
        accelerator_id,
        pricing_model,
        price_month,
        avg(ln_change) as ln_change,
        count(*) as n_sellers,
        cast(sum(n_matched) as bigint) as n_matched,
        string_agg(format('{} {:+.1f} %', seller, 100 * (exp(ln_change) - 1)), ', ' order by seller)
            filter (abs(exp(ln_change) - 1) > {{ var('price_index_move_pct') }} / 100.0) as moved_by
    from {{ ref('int_price__index_moves') }}
    group by accelerator_id, pricing_model, price_month
),

linked as (
    select
        *,
        price_month - to_months(cast(row_number() over (partition by accelerator_id, pricing_model order by price_month) as integer))
            as chain_number
    from changes
),

begun as (
    select * from linked
    union all by name
    select
        accelerator_id,
        pricing_model,
        chain_number,
        min(price_month) - interval 1 month as price_month,
        0 as ln_change,
        0 as n_sellers,
        0 as n_matched
    from linked
    group by accelerator_id, pricing_model, chain_number
)

{% set is_enough = 'n_sellers >= ' ~ var('price_index_sellers') %}
select
    accelerator_id,
    pricing_model,
    cast(min(price_month) over of_chain as date) as chain_from,
    cast(price_month as date) as price_month,
    ln_change,
    n_sellers,
    n_matched,
    moved_by,
    count(*) filter ({{ is_enough }}) over of_chain as n_months,
    case
        when count(*) filter ({{ is_enough }}) over of_chain >= {{ var('price_index_months') }}
            then cast(min(price_month) filter ({{ is_enough }}) over of_chain as date)
    end as base_month
from begun
window of_chain as (partition by accelerator_id, pricing_model, chain_number)
