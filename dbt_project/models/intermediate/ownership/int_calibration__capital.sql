-- Each purchase behind the capital factor, forecast as the capital implied by a rate × the factor of the other purchases.
with

purchases as (
    select unnest(purchase_ratios, recursive := true)
    from {{ ref('int_tco__capital_factor') }}
),

cases as (
    select
        'capital' as estimator,
        'what a buyer of servers pays' as case_kind,
        'each purchase' as held_out,
        mine.purchase_id as vote,
        mine.last_seen_on as case_on,
        ln(mine.ratio) - avg(ln(rest.ratio)) as error,
        mine.ratio between min(rest.ratio) and max(rest.ratio) as is_inside,
        ln(max(rest.ratio) / min(rest.ratio)) as ln_width
    from purchases as mine
    inner join purchases as rest on mine.purchase_id <> rest.purchase_id
    group by mine.purchase_id, mine.last_seen_on, mine.ratio
)

{{ calibration_of('cases') }}
