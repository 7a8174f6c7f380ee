-- One row per claim on prices: the on-demand prices of both sides seen nearest to the day of the claim.
with

claims as (
    select * from {{ ref('int_claims__stated') }} where method in ('price_ratio', 'perf_per_price_ratio')
),

intervals as (
    select * from {{ ref('fct_price_interval') }} where is_comparable and pricing_model = 'on_demand'
),

sides as (
    select
        claim_id, choice, claim_day, 'subject' as side, subject_accelerator_id as accelerator_id, subject_provider as provider,
        subject_count as claimed_count
    from claims
    union all
    select
        claim_id, choice, claim_day, 'baseline' as side, baseline_accelerator_id as accelerator_id, baseline_provider as provider,
        baseline_count as claimed_count
    from claims
),

-- how many days from the day of the claim a price was seen or in force
dated as (
    select
        sides.claim_id,
        sides.choice,
        sides.side,
        intervals.provider,
        intervals.offer_id,
        intervals.usd_per_accelerator_hour,
        intervals.source,
        intervals.source_rank,
        cast(intervals.valid_from as date) as seen_from,
        cast(coalesce(intervals.valid_to, intervals.last_seen_at) as date) as seen_to,
        {{ days_apart('sides.claim_day', 'cast(intervals.valid_from as date)',
            'cast(coalesce(intervals.valid_to, intervals.last_seen_at) as date)') }} as days_apart
    from sides
    inner join intervals
        on sides.accelerator_id = intervals.accelerator_id
        and (sides.provider is null or sides.provider = intervals.provider)
        -- an instance of one costs more per accelerator than one of eight
        and (sides.claimed_count is null or sides.claimed_count = intervals.accelerator_count)
),

-- one source is used for a seller: the one nearest to that day, then the seller's own list
used_prices as (
    select *
    from dated
    qualify dense_rank() over (partition by claim_id, side, provider order by days_apart, source_rank, source) = 1
),

cheapest as (
    select
        claim_id,
        choice,
        side,
        min(usd_per_accelerator_hour) as best,
        median(usd_per_accelerator_hour) as median_value,
        {{ mean('usd_per_accelerator_hour') }} as mean_value,
        arg_min(offer_id, (usd_per_accelerator_hour, offer_id)) as offer_id,
        arg_min(provider, (usd_per_accelerator_hour, offer_id)) as provider,
        arg_min(days_apart, (usd_per_accelerator_hour, offer_id)) as days_apart,
        arg_min(concat(seen_from, ' to ', seen_to), (usd_per_accelerator_hour, offer_id)) as seen
    from used_prices
    group by claim_id, choice, side
)

select
    subjects.claim_id,
    subjects.choice,
    concat(subjects.provider, ' against ', baselines.provider, ' on demand') as cell,
    subjects.best / baselines.best as measured_best,
    subjects.median_value / baselines.median_value as measured_median,
    subjects.mean_value / baselines.mean_value as measured_mean,
    ['offer/' || subjects.offer_id] as subject_ids,
    ['offer/' || baselines.offer_id] as baseline_ids,
    case when greatest(subjects.days_apart, baselines.days_apart) > {{ var('claim_price_days') }}
        then 'no price was seen near the day of the claim' end as problem,
    format('{:.2f} against {:.2f} USD per accelerator-hour, seen {} and {}',
        subjects.best, baselines.best, subjects.seen, baselines.seen) as note
from cheapest as subjects
inner join cheapest as baselines on subjects.claim_id = baselines.claim_id and baselines.side = 'baseline'
where subjects.side = 'subject'
