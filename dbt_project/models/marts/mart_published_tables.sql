-- Published training tables in two columns of our own: what a figure's own table makes it (is it consistent?), and what
-- measurements and independent inputs make it (is it reproduced?).
with

printed as (select * from {{ ref('int_published_tables__rows') }}),

recomputed as (
    select
        *,
        -- the speed behind a printed MFU, of which modelled energies are
        {{ trained_tokens_per_s('own_value_1', 'own_flops_per_token_1', 'own_dense_peak_tflops_1') }} as own_tokens_per_s,
        case method
            when 'change' then {{ change_pct('value_1', 'value_2') }}
            when 'drop' then -{{ change_pct('value_1', 'value_2') }}
            when 'before_change' then value_1 / (1 + value_2 / 100)
            when 'after_change' then value_1 * (1 + value_2 / 100)
            when 'before_drop' then value_1 / (1 - (value_2 + value_3) / 2 / 100)
            when 'after_drop' then value_1 * (1 - (value_2 + value_3) / 2 / 100)
            -- dollars per million tokens are dollars per hour ÷ millions of tokens an hour, so both ways are one formula
            when 'mfu_from_usd' then {{ mfu_pct(
                usd_per_trained_mtok('value_2', 'value_1'), 'flops_per_token', 'dense_peak_tflops') }}
            when 'usd_from_mfu' then {{ usd_per_trained_mtok(
                'value_2', trained_tokens_per_s('value_1', 'flops_per_token', 'dense_peak_tflops')) }}
            when 'run_cost' then {{ run_cost_usd('value_1', 'trained_tokens') }}
            -- joules of a household-year ÷ tokens it buys are joules per token: the same formula again
            when 'j_from_household_tokens' then {{ tokens_per_household_year('value_1', 'household_kwh') }}
            when 'j_from_household_years' then value_1 / {{ household_years('trained_tokens', '1', 'household_kwh') }}
            when 'household_tokens' then {{ tokens_per_household_year('value_1', 'household_kwh') }}
            when 'household_years' then {{ household_years('trained_tokens', 'value_1', 'household_kwh') }}
            when 'household_years_at_watts' then {{ household_years(
                'trained_tokens',
                'value_1 * ' ~ trained_tokens_per_s('value_2', 'flops_per_token_2', 'dense_peak_tflops_2')
                ~ ' / ' ~ trained_tokens_per_s('value_3', 'flops_per_token_3', 'dense_peak_tflops_3'),
                'household_kwh') }}
            when 'ratio' then value_1 / value_2
            when 'ratio_per_gpu' then (value_1 / gpu_count_1) / (value_2 / gpu_count_2)
            when 'size_ratio' then parameters / parameters_1
            when 'usd_ratio' then value_1 / {{ usd_per_trained_mtok(
                'value_3', trained_tokens_per_s('value_2', 'flops_per_token_2', 'dense_peak_tflops_2')) }}
            when 'scaled' then value_1 * value_2 / value_3
            when 'as_printed' then value_1
            when 'parts' then gpu_count / part_size
            when 'sequence_length' then sequence_length
            when 'measured_mfu' then measured_mfu_pct
            when 'tdp' then tdp_w
            when 'tco_rate' then tco_usd_per_accelerator_hour
            when 'tco_ratio' then tco_usd_per_accelerator_hour / tco_usd_per_accelerator_hour_1
        end as ours
    from printed
),

-- from measurements or independent inputs, at a PUE where energy is concerned
owned as (
    select
        *,
        {{ own_value('industry_pue') }} as own_value,
        least({{ own_value('industry_pue') }}, {{ own_value('site_pue') }}) as own_value_low,
        greatest({{ own_value('industry_pue') }}, {{ own_value('site_pue') }}) as own_value_high,
        case
            when starts_with(own_method, 'measured_') then 'measured'
            when starts_with(own_method, 'modelled_') then 'modelled'
            when own_method <> 'none' then own_method
        end as own_basis
    from recomputed
),

compared as (
    select
        *,
        {{ change_pct('value', 'ours') }} as difference_pct,
        {{ change_pct('value', 'own_value') }} as own_difference_pct,
        method in ('none', 'measured_mfu', 'tdp', 'size_ratio', 'sequence_length', 'tco_rate', 'tco_ratio')
            as is_not_from_its_table,
        -- how far the last digits can move it: its own, and those of what it follows from. A small change between
        -- large figures magnifies theirs; a change applied to a figure counts as a share of the whole.
        100 * (relative_half_digit + case
            when method in ('change', 'drop')
                then (relative_half_digit_1 + relative_half_digit_2) * abs(value_2 / nullif(value_2 - value_1, 0))
            when method in ('before_change', 'after_change')
                then relative_half_digit_1 + half_digit_2 / (100 + value_2)
            when method in ('before_drop', 'after_drop')
                then relative_half_digit_1 + (half_digit_2 + half_digit_3) / (200 - value_2 - value_3)
            else coalesce(relative_half_digit_1, 0) + coalesce(relative_half_digit_2, 0)
                + coalesce(relative_half_digit_3, 0)
        end) as rounding_pct
    from owned
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
        when ours is null then coalesce(cause, 'needs data we lack')
        when value is null then coalesce(cause, 'unexplained')
        when abs(difference_pct) <= {{ var('published_table_agreement_pct', 1) }} then 'agrees'
        when abs(difference_pct) <= rounding_pct then 'rounding'
        else coalesce(cause, 'unexplained')
    end as cause,
    nullif(concat_ws('; ', check_note, cause_note,
        case when method = 'measured_mfu' and measured_result_id is not null
            then format('measured on {} accelerators', cast(measured_accelerator_count as bigint)) end), '') as cause_note,
    case
        when is_not_from_its_table or ours is null or value is null then 'nothing to follow from'
        when abs(difference_pct) <= greatest({{ var('published_table_agreement_pct', 1) }}, rounding_pct) then 'yes'
        else 'no'
    end as consistent,
    case when not is_not_from_its_table then ours end as consistent_value,
    case
        when own_value is null or value is null then 'no own value'
        when own_basis = 'calibrated' then 'circular'
        when abs(own_difference_pct) <= greatest(
            {{ var('published_table_reproduction_pct', 5) }}, 100 * relative_half_digit) then 'yes'
        when value between own_value_low and own_value_high then 'within our range'
        else 'no'
    end as reproduced,
    own_value,
    own_value_low,
    own_value_high,
    own_basis,
    own_difference_pct,
    concat_ws('; ', case when measured_result_id is not null
        then format('{} on {} accelerators', measured_release, cast(measured_accelerator_count as bigint)) end,
        own_reason) as own_note,
    method,
    list_filter([input_1, input_2, input_3], lambda row_id: row_id is not null) as input_row_ids,
    measured_result_id,
    context,
    -- what a printed MFU means
    case when metric = 'mfu_pct'
        then {{ trained_tokens_per_s('value', 'flops_per_token', 'dense_peak_tflops') }} end
        as trained_tokens_per_s_per_accelerator,
    flops_per_token,
    source_url
from compared
