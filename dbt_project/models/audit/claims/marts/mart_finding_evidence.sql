-- Evidence for a finding on new accelerators, what contradicts it and what remains open: one row per finding and claim.
with

findings as (
    select *, unnest({{ listed('claim_ids') }}) as claim_id from {{ ref('findings') }}
),

claims as (select * from {{ ref('mart_claim_check') }})

select
    findings.finding_id,
    claims.claim_id,
    findings.finding,
    case
        when claims.verdict in ('holds', 'understated') then 'agrees'
        when claims.verdict in ('overstated', 'refuted') then 'contradicts'
        else 'open'
    end as relation,
    claims.claim_date as found_on,
    claims.claimed_by as found_by,
    claims.statement_short,
    findings.impact,
    claims.metric,
    claims.subject_accelerator_id,
    claims.baseline_accelerator_id,
    claims.workload,
    claims.release,
    claims.baseline_release,
    claims.claimed_value,
    claims.measured_value,
    claims.ratio,
    claims.unit,
    claims.verdict,
    case when relation = 'contradicts' then format('{} measured instead of {} ({})',
        {{ readable('claims.measured_value') }}, {{ readable('claims.claimed_value') }}, claims.cases) end
        as contradicted_by,
    case when relation = 'open' then coalesce('missing ' || claims.missing_kind || ': ' || claims.missing,
        claims.not_comparable_reason) else findings.open_question end as remains_open,
    claims.source_url
from findings
inner join claims using (claim_id)
