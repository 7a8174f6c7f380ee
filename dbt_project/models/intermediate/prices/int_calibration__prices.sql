-- How far price levels and indices were off, one row a kind of case. Held-out prices come with the range that the others give; the
-- change of a seller's prices is compared with the index without the seller.
with

held_out as (
    select
        'price level' as estimator,
        case
            when kind = 'newcomer' then 'a neocloud never seen'
            when memory_group = 'hbm' then 'level × seller factor, accelerators with HBM'
            else 'level × seller factor, other accelerators'
        end as case_kind,
        case kind when 'newcomer' then 'each neocloud' else 'each price of an accelerator at a seller' end as held_out,
        as_of as case_on,
        other_names as vote,
        ln_error as error,
        case kind when 'newcomer' then ln_seller_margin else ln_margin end as margin,
        abs(error) <= margin as is_inside,
        2 * margin as ln_width
    from {{ ref('int_price__level_fits') }}
    where ln_error is not null
),

matched as (
    select
        accelerator_id,
        seller,
        min(price_month) - interval 1 month as month_from,
        max(price_month) as month_to,
        sum(ln_change) as ln_change
    from {{ ref('int_price__index_moves') }}
    where pricing_model = 'on_demand'
    group by accelerator_id, seller
    having date_diff('month', month_from, month_to) >= {{ var('calibration_index_months') }}
),

index_cases as (
    select
        'price index' as estimator,
        'change of a seller over five months and more' as case_kind,
        'each seller' as held_out,
        matched.month_to as case_on,
        matched.seller as vote,
        matched.ln_change - newer.ln_index + older.ln_index as error
    from matched
    inner join {{ ref('int_price__index_replicates') }} as newer
        on matched.accelerator_id = newer.accelerator_id and matched.seller = newer.seller and matched.month_to = newer.price_month
        and newer.pricing_model = 'on_demand'
    inner join {{ ref('int_price__index_replicates') }} as older
        on matched.accelerator_id = older.accelerator_id and matched.seller = older.seller and matched.month_from = older.price_month
        and older.pricing_model = 'on_demand'
),

-- the range of a change is that of the other sellers' errors
other_errors as (
    select
        mine.vote,
        quantile_cont(rest.error, (1 - {{ calibration_nominal() }}) / 2) as low,
        quantile_cont(rest.error, (1 + {{ calibration_nominal() }}) / 2) as high
    from (select distinct vote from index_cases) as mine
    inner join index_cases as rest on mine.vote <> rest.vote
    group by mine.vote
),

cases as (
    select * from held_out
    union all by name
    select
        index_cases.*,
        index_cases.error between other_errors.low and other_errors.high as is_inside,
        other_errors.high - other_errors.low as ln_width
    from index_cases
    left join other_errors using (vote)
)

{{ calibration_of('cases') }}
