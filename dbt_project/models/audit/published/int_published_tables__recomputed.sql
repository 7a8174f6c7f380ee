-- One row per figure of the published training tables: what other figures of its table make it, and what measurements or independent
-- inputs do. The seed names a formula and the rows it takes for each. They are computed on the table as printed, at two PUEs, and
-- once for every figure moved by half of its last digit, up and down: how far rounding alone can move what follows from it.
with

printed as (select * from {{ ref('int_published_tables__rows') }}),

constants as (
    select
        {{ latest_constant(ref('energy_constants'), var('energy_pue_constant')) }} as industry_pue,
        {{ latest_constant(ref('energy_constants'), 'us_household_kwh') }} as household_kwh,
        max(site_pue) filter (accelerator_id = 'nvidia-h100-sxm-80gb') as site_pue
    from printed
),

trials as (
    select 'as printed' as trial, null as moved_row_id, 0 as direction, industry_pue as pue from constants
    union all
    select 'as printed, PUE of a hyperscaler', null, 0, site_pue from constants
    union all
    select 'moved', printed.row_id, directions.direction, constants.industry_pue
    from printed
    cross join (values (1), (-1)) as directions (direction)
    cross join constants
    where printed.half_digit > 0
),

tried as (
    select
        trials.*,
        printed.* replace (
            printed.value + case when printed.row_id = trials.moved_row_id then trials.direction * printed.half_digit else 0 end as value
        )
    from trials
    cross join printed
),

-- an MFU means a speed
figures as (
    select
        *,
        {{ trained_tokens_per_s('value', 'flops_per_token', 'dense_peak_tflops') }} as tokens_per_s,
        {{ with_pue('it_power_w', 'pue') }} as watts
    from tried
),

ways as (
    select *, 'table' as way, formula as rule, {{ listed('inputs') }} as takes from figures where formula is not null
    union all
    select *, 'own' as way, own_formula as rule, {{ listed('own_inputs') }} as takes from figures where own_formula is not null
),

-- `a`, `b` and `c` are the figures that a formula takes, in this order
computed as (
    select
        ways.row_id, ways.way, ways.trial, ways.moved_row_id,
        case ways.rule
            when 'the same' then a.value
            when 'ratio' then a.value / b.value
            when 'product' then cast(ways.takes[1] as double) * cast(ways.takes[2] as double)
            when 'scaled' then a.value * b.value / c.value
            when 'change' then {{ change_pct('a.value', 'b.value') }}
            when 'drop' then -{{ change_pct('a.value', 'b.value') }}
            when 'after growth' then a.value * (1 + b.value / 100)
            when 'before growth' then a.value / (1 + b.value / 100)
            when 'after drop' then a.value * (1 - (b.value + c.value) / 2 / 100)
            when 'before drop' then a.value / (1 - (b.value + c.value) / 2 / 100)
            when 'ratio per accelerator' then (a.value / a.gpu_count) / (b.value / b.gpu_count)
            when 'replicas' then ways.gpu_count / 32
            when 'MFU at this cost' then {{ mfu_pct(
                usd_per_trained_mtok('a.value', 'b.value'), 'ways.flops_per_token', 'ways.dense_peak_tflops') }}
            when 'cost at this MFU' then {{ usd_per_trained_mtok('a.value', 'b.tokens_per_s') }}
            when 'ratio to the cost at this MFU' then a.value / {{ usd_per_trained_mtok('b.value', 'c.tokens_per_s') }}
            when 'cost of the run' then {{ run_cost_usd('a.value', 'ways.trained_tokens') }}
            when 'J of the run' then a.value / {{ household_years('ways.trained_tokens', 1, 'constants.household_kwh') }}
            when 'per household-year' then {{ tokens_per_household_year('a.value', 'constants.household_kwh') }}
            when 'household-years' then {{ household_years('ways.trained_tokens', 'a.value', 'constants.household_kwh') }}
            when 'household-years at these MFUs' then {{ household_years(
                'ways.trained_tokens', 'a.value * b.tokens_per_s / c.tokens_per_s', 'constants.household_kwh') }}
            -- measured
            when 'measured MFU' then ways.measured_mfu_pct
            when 'cost as measured' then {{ usd_per_trained_mtok('a.value', 'ways.measured_trained_tokens_per_s') }}
            when 'cost of the run as measured' then {{ run_cost_usd(
                usd_per_trained_mtok('a.value', 'ways.measured_trained_tokens_per_s'), 'ways.trained_tokens') }}
            -- modelled: the watts of the ownership scenario at the printed speed
            when 'J at this MFU' then {{ j_per_unit('ways.watts', 'a.tokens_per_s') }}
            when 'per household-year at this MFU' then {{ tokens_per_household_year(
                j_per_unit('ways.watts', 'a.tokens_per_s'), 'constants.household_kwh') }}
            when 'household-years at this MFU' then {{ household_years(
                'ways.trained_tokens', j_per_unit('ways.watts', 'a.tokens_per_s'), 'constants.household_kwh') }}
            when 'ratio of speeds' then a.tokens_per_s / b.tokens_per_s
            -- of the part, the model and the ownership scenario
            when 'power limit' then ways.tdp_w
            when 'sequence length' then ways.sequence_length
            when 'ratio of parameters' then a.parameters / b.parameters
            when 'ownership cost' then ways.tco_usd_per_accelerator_hour
            when 'ratio of ownership costs' then a.tco_usd_per_accelerator_hour / b.tco_usd_per_accelerator_hour
            else error(format('published_training_tables, {}: there is no formula {}', ways.row_id, ways.rule))
        end as value
    from ways
    cross join constants
    {% for figure in ['a', 'b', 'c'] -%}
    left join figures as {{ figure }}
        on ways.takes[{{ loop.index }}] = {{ figure }}.row_id and ways.trial = {{ figure }}.trial
        and ways.moved_row_id is not distinct from {{ figure }}.moved_row_id and ways.direction = {{ figure }}.direction
    {% endfor %}
),

as_printed as (
    select
        row_id,
        any_value(value) filter (way = 'table' and trial = 'as printed') as consistent_value,
        any_value(value) filter (way = 'own' and trial = 'as printed') as own_value,
        any_value(value) filter (way = 'own' and trial = 'as printed, PUE of a hyperscaler') as own_value_at_site
    from computed
    group by row_id
),

-- the greater of both moves of each figure it follows from
moves as (
    select row_id, computed.moved_row_id, max(abs(computed.value - as_printed.consistent_value)) as moved_by
    from computed
    inner join as_printed using (row_id)
    where computed.way = 'table' and computed.trial = 'moved'
    group by row_id, computed.moved_row_id
),

rounding as (select row_id, sum(moved_by) as rounding from moves group by row_id)

select
    printed.*,
    as_printed.consistent_value,
    as_printed.own_value,
    least(as_printed.own_value, as_printed.own_value_at_site) as own_value_low,
    greatest(as_printed.own_value, as_printed.own_value_at_site) as own_value_high,
    rounding.rounding
from printed
left join as_printed using (row_id)
left join rounding using (row_id)
