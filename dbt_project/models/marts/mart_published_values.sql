-- Every value printed in three published texts beside ours, with the difference and its cause, or why it cannot be checked.
with

printed as (select * from {{ ref('int_published_values__stated') }}),

found as (
    select * from {{ ref('int_published_values__specs') }}
    union all by name
    select * from {{ ref('int_published_values__prices') }}
    union all by name
    select * from {{ ref('int_published_values__formulas') }}
),

compared as (
    select
        printed.*,
        found.ours,
        found.ours_low,
        found.ours_high,
        found.ours_text,
        found.basis,
        found.days_apart,
        found.evidence,
        {{ change_pct('printed.printed', 'found.ours') }} as difference_pct,
        {{ half_digit_pct('printed.value_printed', 'printed.printed') }} as rounding_pct
    from printed
    left join found using (value_id)
),

judged as (
    select
        *,
        case
            when ours_text is not null then
                case when ours_text = value_printed then 'agrees' else coalesce(nullif(cause, 'cannot be checked'), 'unexplained') end
            when ours is null or printed is null then 'cannot be checked'
            when abs(difference_pct) <= {{ var('published_table_agreement_pct', 1) }} then 'agrees'
            when ours between printed and printed_high then 'agrees'
            when printed_high is null and abs(difference_pct) <= rounding_pct then 'rounding'
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
    unit,
    ours,
    ours_low,
    ours_high,
    coalesce(ours_text, case when kind = 'spec' and attribute = 'year' then cast(cast(ours as bigint) as varchar) end) as ours_text,
    difference_pct,
    basis,
    days_apart,
    cause_found as cause,
    nullif(concat_ws('; ',
        case
            when cause_found = 'cannot be checked'
                then coalesce(cause_note, 'the warehouse holds no figure to compare it with')
            when cause_found <> 'agrees' then cause_note
        end,
        evidence), '') as cause_note,
    method,
    note,
    source_url
from judged
