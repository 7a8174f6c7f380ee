-- One row per value printed in five published texts, beside ours, with the difference, its cause and a status, or why it cannot
-- be checked. Rows of their tables of results stand in mart_published_tables and mart_published_analysis_check.
with

printed as (
    select
        stated.* exclude (stated.basis, stated.ours, stated.ours_low, stated.ours_high, stated.ours_text, stated.method),
        documents.published_on,
        documents.title as document_title,
        documents.source_url
    from {{ ref('int_published__recomputed') }} as stated
    left join {{ ref('published_documents') }} as documents using (document)
),

-- a rent stands under its own key, a purchase under its accelerator
priced as (
    select
        printed.value_id,
        prices.basis,
        prices.usd * purchased.accelerator_count as ours,
        prices.usd_low * purchased.accelerator_count as ours_low,
        prices.usd_high * purchased.accelerator_count as ours_high,
        prices.basis as method,
        prices.uncertainty_basis,
        prices.days_apart,
        prices.evidence
    from printed
    cross join lateral (
        select case when printed.kind = 'purchase' then coalesce(printed.accelerator_count, 1) else 1 end as accelerator_count
    ) as purchased
    inner join {{ ref('int_published__prices') }} as prices
        on printed.document = prices.document
        and prices.price_key = case printed.kind when 'rent' then printed.value_id when 'purchase' then printed.accelerator_id end
),

claimed as (
    select
        printed.value_id,
        'claim' as basis,
        claims.measured_value as ours,
        case when claims.measured_lowest < claims.measured_highest then claims.measured_lowest end as ours_low,
        case when claims.measured_lowest < claims.measured_highest then claims.measured_highest end as ours_high,
        'claim ' || claims.claim_id as method,
        claims.verdict,
        concat('claim ', claims.claim_id, ': ', claims.verdict, '; ', claims.reason) as evidence
    from printed
    inner join {{ ref('mart_claim_check') }} as claims using (claim_id)
),

-- what a claim on the same measures goes before a formula
found as (
    select *
    from (
        select value_id, basis, ours, ours_low, ours_high, ours_text, method
        from {{ ref('int_published__recomputed') }}
        where method is not null
        union all by name
        select * from priced
        union all by name
        select * from claimed
    ) as candidates
    qualify row_number() over (partition by value_id order by ours is null, basis <> 'claim') = 1
),

compared as (
    select
        printed.*,
        found.ours,
        found.ours_low,
        found.ours_high,
        found.ours_text,
        found.basis,
        found.method,
        found.verdict,
        found.days_apart,
        found.evidence,
        coalesce(found.uncertainty_basis, case
            when found.basis is null then 'nothing held'
            when found.basis = 'claim' and found.ours_low is not null then 'cases of the claim'
            when found.ours_low is not null then 'range of the inputs'
            when found.basis = 'their own cells' then 'cells of the text'
            when found.basis = 'claim' then 'see the claim'
            else 'one basis'
        end) as uncertainty_basis,
        {{ change_pct('printed.printed', 'found.ours') }} as difference_pct,
        -- Half of the last digit of a printed number, as a share of it in per cent; an integer is exact to its last
        -- place, words (half, comparable) have no digits.
        (case when regexp_matches(printed.value_printed, '[0-9]')
            then 50 * pow(10, -len(regexp_extract(printed.value_printed, '\.([0-9]+)', 1))) / nullif(abs(printed.printed), 0) end) as rounding_pct
    from printed
    left join found using (value_id)
),

judged as (
    select
        *,
        case
            when cause = 'not quantitative' then cause
            when verdict in ('no data', 'not comparable') then 'cannot be checked'
            when verdict = 'holds' then 'agrees'
            when verdict is not null then coalesce(cause, verdict)
            when ours_text is not null then
                case when ours_text = value_printed then 'agrees' else coalesce(nullif(cause, 'cannot be checked'), 'unexplained') end
            when ours is null or printed is null then 'cannot be checked'
            when bound = 'at least' and ours >= printed or bound = 'at most' and ours <= printed then 'agrees'
            when ours = printed or abs(difference_pct) <= {{ var('published_table_agreement_pct') }} then 'agrees'
            when ours between printed and printed_high then 'agrees'
            -- the range of a price is that of all days, not of the day of the text
            when basis not in ('rent', 'purchase') and printed between ours_low and ours_high then 'agrees'
            when printed_high is null and bound is null and abs(difference_pct) <= rounding_pct then 'rounding'
            else coalesce(nullif(cause, 'cannot be checked'), 'unexplained')
        end as cause_found
    from compared
)

select
    value_id,
    document,
    document_title,
    published_on,
    kind,
    subject,
    instance,
    attribute,
    value_printed,
    printed as printed_value,
    printed_high,
    bound,
    unit,
    ours,
    ours_low,
    ours_high,
    coalesce(ours_text, case when attribute = 'year' then cast(cast(ours as bigint) as varchar) end) as ours_text,
    uncertainty_basis,
    difference_pct,
    basis,
    days_apart,
    case
        when cause_found = 'not quantitative' then 'not quantitative'
        when cause_found = 'cannot be checked' then 'cannot be checked'
        when cause_found not in ('agrees', 'rounding') then 'not reproduced'
        when basis = 'their own cells' then 'consistent'
        else 'reproduced'
    end as status,
    cause_found as cause,
    nullif(concat_ws('; ',
        case
            when cause_found = 'cannot be checked'
                then coalesce(cause_note, case when verdict is null then 'the warehouse holds no figure to compare it with' end)
            when cause_found <> 'agrees' then cause_note
        end,
        evidence), '') as cause_note,
    coalesce(method, 'none') as method,
    claim_id,
    note,
    source_url
from judged
