-- One row per value of a published text, with ours where it follows from the inputs which the seed names: numbers, and names of
-- int_published__quantities. `ours` is null where an input is not held, or is a word.
with

stated as (select * from {{ ref('published_values') }}),

names as (select * from {{ ref('int_published__quantities') }}),

terms as (
    select value_id, document, false as is_divisor, unnest({{ listed('inputs') }}) as name,
        generate_subscripts({{ listed('inputs') }}, 1) as place
    from stated
    union all
    select value_id, document, true as is_divisor, unnest({{ listed('divided_by') }}) as name,
        generate_subscripts({{ listed('divided_by') }}, 1) as place
    from stated
),

valued as (
    select
        terms.*,
        names.value_text,
        case
            when try_cast(terms.name as double) is not null then cast(terms.name as double)
            -- not every price is held
            when names.name is null and not regexp_matches(terms.name, '\.(rent|purchase_usd)$')
                then error(format('published_values, {}: nothing is named {}', terms.value_id, terms.name))
            else names.value
        end as value
    from terms
    left join names on terms.name = names.name and terms.document = coalesce(names.document, terms.document)
),

-- nothing follows where an input is missing
inputs as (
    select
        value_id,
        any_value(value_text) as value_text,
        count(value) = count(*) as is_known,
        count(*) > count(distinct row(is_divisor, place)) as is_ambiguous,
        product(value order by place) filter (not is_divisor) / coalesce(product(value order by place) filter (is_divisor), 1) as quotient,
        sum(value) as total,
        avg(value) as mean,
        max(value) as highest,
        arg_min(value, place) as first_value,
        arg_max(value, place) as last_value
    from valued
    group by value_id
)

select
    stated.* exclude (stated.formula, stated.inputs, stated.divided_by),
    case
        when inputs.is_ambiguous then error(format('published_values, {}: an input has two meanings', stated.value_id))
        when inputs.is_known then case stated.formula
            when 'product' then inputs.quotient
            when 'rounded up' then ceil(inputs.quotient)
            when 'rounded down' then floor(inputs.quotient)
            when 'sum' then inputs.total
            when 'mean' then inputs.mean
            when 'greatest' then inputs.highest
            when 'share' then 100 * inputs.first_value / inputs.total
            when 'change' then {{ change_pct('inputs.first_value', 'inputs.last_value') }}
            else error(format('published_values, {}: there is no formula {}', stated.value_id, stated.formula))
        end
    end as ours,
    low.value as ours_low,
    high.value as ours_high,
    inputs.value_text as ours_text,
    case when stated.inputs is not null then concat(
        case when stated.formula <> 'product' then stated.formula || ': ' end,
        replace(stated.inputs, ';', case when stated.formula in ('product', 'rounded up', 'rounded down') then ' × ' else ', ' end),
        ' ÷ ' || replace(stated.divided_by, ';', ' ÷ ')
    ) end as method
from stated
left join inputs using (value_id)
left join names as low on stated.inputs || '_low' = low.name
left join names as high on stated.inputs || '_high' = high.name
