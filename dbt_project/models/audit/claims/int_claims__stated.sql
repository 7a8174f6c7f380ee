-- One row per claim, in words a query understands: lists instead of cells, a day instead of a month, defaults instead of blanks.
with

claims as (select * from {{ ref('claims') }}),

checks as (select * from {{ ref('claim_checks') }}),

parts as (select accelerator_id, vendor from {{ ref('stg_reference__accelerator_specs') }}),

stated as (
    select
        claims.claim_id,
        claims.claimed_by,
        claims.claim_date,
        -- of a month or a year the last day: a round published in it was known
        case length(claims.claim_date)
            when 4 then cast(claims.claim_date || '-12-31' as date)
            when 7 then last_day(cast(claims.claim_date || '-01' as date))
            else cast(claims.claim_date as date)
        end as claim_day,
        claims.statement_short,
        claims.metric,
        claims.subject_accelerator_id,
        claims.baseline_accelerator_id,
        -- the maker of the other side, where the claim compares accelerators of two makers
        case when baselines.vendor <> subjects.vendor then baselines.vendor end as rival,
        claims.workload,
        claims.scale,
        claims.claimed_value,
        coalesce(claims.claimed_low, claims.claimed_value) as claimed_low,
        coalesce(claims.claimed_high, claims.claimed_value) as claimed_high,
        claims.unit,
        claims.source_url,
        claims.suite_kind,
        {{ listed('claims.benchmark_ids') }} as benchmark_ids,
        {{ listed('claims.scenarios') }} as scenarios,
        {{ listed('claims.release') }} as releases,
        {{ listed('coalesce(claims.baseline_release, claims.release)') }} as baseline_releases,
        -- two sides of one round, unless the claim says it compares rounds
        claims.baseline_release is null as is_same_release,
        claims.precision,
        coalesce(claims.baseline_precision, claims.precision) as baseline_precision,
        claims.subject_count,
        claims.baseline_count,
        coalesce(claims.subject_variant, 'standard') as subject_variant,
        claims.subject_provider,
        claims.baseline_provider,
        coalesce(claims.bound, 'about') as bound,
        coalesce(claims.basis, 'best') as basis,
        claims.usd_per_accelerator_hour,
        claims.trained_tokens,
        -- what the site draws for each watt of the equipment, where the claim counts at the utility meter
        case when claims.power_scope = 'utility' then {{ latest_constant(ref('energy_constants'),
            var('energy_pue_constant')) }} else 1 end as pue,
        claims.unmet_condition,
        claims.assumption,
        -- how results of several nodes scale is read from the suite the claim is about
        case
            when checks.method = 'scaling' and claims.suite_kind = 'inference' then 'inference_ratio'
            else coalesce(checks.method, 'none')
        end as method,
        coalesce(checks.claim_grows, 'higher') as claim_grows,
        coalesce(checks.has_direction, false) as has_direction,
        checks.tolerance_pct,
        checks.unchecked_verdict,
        case when checks.metric is null then 'no rule says how to check ' || claims.metric else checks.unchecked_reason end
            as unchecked_reason
    from claims
    left join checks using (metric)
    left join parts as subjects on claims.subject_accelerator_id = subjects.accelerator_id
    left join parts as baselines on claims.baseline_accelerator_id = baselines.accelerator_id
)

select
    *,
    -- what its counterparts are chosen by
    {method: method, suite_kind: suite_kind, day: claim_day, is_release_open: releases is null} as choice
from stated
