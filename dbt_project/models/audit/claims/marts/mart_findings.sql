-- One row per finding on new accelerators: who found what when, what follows, which measurements agree, which contradict, and what
-- remains open. The seed findings names the claims and holds the wording; every figure is a column of mart_claim_check or
-- mart_perf_per_tco.
with

findings as (select * from {{ ref('findings') }}),

-- each claim of a finding: whether what was measured agrees, and what remains open of it
evidence as (
    select
        stated.finding_id,
        claims.*,
        case
            when claims.verdict in ('holds', 'understated') then 'agrees'
            when claims.verdict in ('overstated', 'refuted') then 'contradicts'
            else 'open'
        end as relation,
        case when relation = 'open'
            then coalesce('missing ' || claims.missing_kind || ': ' || claims.missing, claims.not_comparable_reason)
        end as remains_open
    from (select finding_id, unnest({{ listed('claim_ids') }}) as claim_id from findings) as stated
    inner join {{ ref('mart_claim_check') }} as claims using (claim_id)
),

said as (
    select
        *,
        case when verdict = 'no data' then format('{}: {}', claim_id, remains_open)
            when measured_value is null then format('{}: {} ({})', claim_id, verdict, remains_open)
            else format('{}: {} measured, {} claimed ({}){}', claim_id, {{ readable('measured_value') }},
                {{ readable('claimed_value') }}, verdict, case when relation = 'open' then ': ' || remains_open else '' end)
        end as words
    from evidence
),

summed as (
    select
        finding_id,
        min(claim_date) as found_on,
        string_agg(distinct claimed_by, ', ' order by claimed_by) as found_by,
        string_agg(statement_short, '; ' order by claim_id) as statements,
        list(distinct source_url order by source_url) as source_urls,
        count(*) as n_claims,
        count(*) filter (relation = 'agrees') as n_agree,
        count(*) filter (relation = 'contradicts') as n_contradict,
        count(*) filter (relation = 'open') as n_open,
        string_agg(words, '; ' order by claim_id) filter (relation = 'agrees') as agreement,
        string_agg(words, '; ' order by claim_id) filter (relation = 'contradicts') as contradiction,
        string_agg(words, '; ' order by claim_id) filter (relation = 'open') as gaps,
        list(claim_id order by claim_id) as claim_ids
    from said
    group by finding_id
),

-- what the gain in speed is worth to the default owner, on the default basis of capital
valued as (
    select
        findings.finding_id,
        median(perf.perf_per_tco_ratio) as perf_per_tco_ratio,
        case when count(*) > 1 then min(perf.perf_per_tco_ratio) end as perf_per_tco_ratio_low,
        case when count(*) > 1 then max(perf.perf_per_tco_ratio) end as perf_per_tco_ratio_high,
        median(perf.throughput_ratio) as throughput_ratio,
        median(perf.tco_ratio) as tco_ratio,
        count(*) as n_cases,
        any_value(replace(perf.capex_basis, '_', ' ')) as capex_basis,
        any_value(perf.price_level) as price_level
    from findings
    inner join {{ ref('mart_perf_per_tco') }} as perf
        on findings.economics = perf.suite_kind
        and findings.accelerator_id = perf.accelerator_id
        and findings.baseline_accelerator_id = perf.baseline_accelerator_id
    where perf.scenario_id = '{{ var('default_owner') }}' and perf.is_default and perf.perf_per_tco_ratio is not null
    group by findings.finding_id
)

select
    findings.finding_id,
    findings.accelerator_id,
    findings.baseline_accelerator_id,
    findings.finding,
    summed.found_on,
    summed.found_by,
    summed.statements,
    findings.impact,
    case
        when summed.n_contradict > 0 and summed.n_agree > 0 then 'agreement and contradiction'
        when summed.n_contradict > 0 then 'contradiction'
        when summed.n_agree > 0 then 'agreement'
        else 'gap'
    end as stands,
    summed.agreement,
    summed.contradiction,
    concat_ws('; ', rtrim(findings.open_question, '.'), summed.gaps) as open,
    summed.n_claims,
    summed.n_agree,
    summed.n_contradict,
    summed.n_open,
    valued.perf_per_tco_ratio,
    case when valued.n_cases > 1 then valued.perf_per_tco_ratio_low end as perf_per_tco_ratio_low,
    case when valued.n_cases > 1 then valued.perf_per_tco_ratio_high end as perf_per_tco_ratio_high,
    case when valued.n_cases > 1 then 'spread of cases' when valued.n_cases = 1 then 'one case' end as uncertainty_basis,
    valued.throughput_ratio,
    valued.tco_ratio,
    valued.price_level,
    valued.n_cases as n_economic_cases,
    case when valued.finding_id is not null
        then format('{:.2f} times the work per dollar: {:.2f} times the speed at {:.2f} times the cost of ownership '
            || '({{ var('default_owner') | replace('_', ' ') }}, {} as of {}; {}, {})',
            valued.perf_per_tco_ratio, valued.throughput_ratio, valued.tco_ratio, valued.capex_basis, valued.price_level, findings.economics,
            case valued.n_cases when 1 then '1 case' else format('median of {} cases', valued.n_cases) end)
    end as economics,
    summed.claim_ids,
    summed.source_urls
from findings
left join summed using (finding_id)
left join valued using (finding_id)
