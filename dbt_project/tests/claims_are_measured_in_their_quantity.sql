{{ config(meta = {'dagster': {'ref': {'name': 'mart_claim_check'}}}) }}
with

checked as (
    select
        *,
        coalesce(claimed_low, claimed_value) * (1 - tolerance_pct / 100) as least_allowed,
        coalesce(claimed_high, claimed_value) * (1 + tolerance_pct / 100) as most_allowed
    from {{ ref('mart_claim_check') }}
    where verdict in ('holds', 'overstated', 'understated', 'refuted')
),

problems as (
    select
        claim_id,
        case
            when contains(measured_quantity, 'equivalent') then 'another quantity: ' || measured_quantity
            when verdict = 'holds' and measured_value < least_allowed and bound <> 'at_most' then 'holds below its tolerance'
            when verdict = 'holds' and measured_value > most_allowed and bound <> 'at_least' then 'holds above its tolerance'
            when verdict <> 'holds' and measured_value between least_allowed and most_allowed then 'within its tolerance'
        end as problem
    from checked
)

select * from problems where problem is not null
