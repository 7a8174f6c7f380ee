-- One row per figure of the published training tables, in two columns of our own: what a figure's own table makes it (is it consistent?), and what
-- measurements and independent inputs make it (is it reproduced?).
with

compared as (
    select
        *,
        -- what follows from nothing of its table is compared with our own value
        coalesce(consistent_value, own_value) as ours,
        {{ change_pct('value', 'coalesce(consistent_value, own_value)') }} as difference_pct,
        {{ change_pct('value', 'own_value') }} as own_difference_pct,
        -- how far the last digits can move it: its own, and those of what it follows from
        100 * (relative_half_digit + coalesce(rounding / nullif(abs(consistent_value), 0), 0)) as rounding_pct
    from {{ ref('int_published_tables__recomputed') }}
),

judged as (
    select
        *,
        case
            when ours is null then coalesce(cause, 'needs data we lack')
            when value is null then coalesce(cause, 'unexplained')
            when abs(difference_pct) <= {{ var('published_table_agreement_pct') }} then 'agrees'
            when abs(difference_pct) <= rounding_pct then 'rounding'
            else coalesce(cause, 'unexplained')
        end as cause_found,
        case
            when consistent_value is null or value is null then 'nothing to follow from'
            when abs(difference_pct) <= greatest({{ var('published_table_agreement_pct') }}, rounding_pct) then 'yes'
            else 'no'
        end as consistent,
        case
            when own_value is null or value is null then 'no own value'
            when own_basis = 'calibrated' then 'circular'
            when abs(own_difference_pct) <= greatest(
                {{ var('published_table_reproduction_pct') }}, 100 * relative_half_digit) then 'yes'
            when value between own_value_low and own_value_high then 'within our range'
            else 'no'
        end as reproduced
    from compared
)

select
    row_id,
    table_id,
    model,
    precision,
    software_date,
    gpus,
    metric,
    value as theirs,
    ours,
    unit,
    difference_pct,
    rounding_pct,
    case
        when value is null then 'not quantitative'
        when reproduced in ('yes', 'within our range') then 'reproduced'
        when reproduced = 'no' or consistent = 'no' then 'not reproduced'
        when consistent = 'yes' then 'consistent'
        else 'cannot be checked'
    end as status,
    cause_found as cause,
    nullif(concat_ws('; ', check_note, cause_note,
        case when consistent_value is null and measured_result_id is not null
            then format('measured on {} accelerators', cast(measured_accelerator_count as bigint)) end), '') as cause_note,
    consistent,
    consistent_value,
    reproduced,
    own_value,
    -- one measured or stated figure has no range
    case when own_value_low < own_value_high then own_value_low end as own_value_low,
    case when own_value_low < own_value_high then own_value_high end as own_value_high,
    case
        when own_value is null then 'no own value'
        when own_value_low < own_value_high then 'PUE of a hyperscaler and of the industry'
        when own_basis = 'measured' then 'one result'
        else 'one basis'
    end as uncertainty_basis,
    own_basis,
    own_difference_pct,
    concat_ws('; ', case when measured_result_id is not null
        then format('{} on {} accelerators', measured_release, cast(measured_accelerator_count as bigint)) end,
        own_reason) as own_note,
    coalesce(formula || coalesce(' (' || replace(inputs, ';', ', ') || ')', ''),
        own_formula || coalesce(' (' || replace(own_inputs, ';', ', ') || ')', ''), 'none') as method,
    list_sort(coalesce({{ listed('inputs') }}, cast([] as varchar[]))) as input_row_ids,
    measured_result_id,
    context,
    -- what a printed MFU means
    case when metric = 'mfu_pct'
        then {{ trained_tokens_per_s('value', 'flops_per_token', 'dense_peak_tflops') }} end
        as trained_tokens_per_s_per_accelerator,
    flops_per_token,
    source_url
from judged
