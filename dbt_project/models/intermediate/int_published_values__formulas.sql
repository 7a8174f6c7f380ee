-- Printed memory sizes, durations, costs, shares and claims against our formulas and marts.
with

printed as (select * from {{ ref('int_published_values__stated') }}),

specs as (select * from {{ ref('stg_reference__accelerator_specs') }}),

prices as (select * from {{ ref('int_published_values__prices') }}),

claims as (
    select claim_id, measured_value, measured_lowest, measured_highest, verdict from {{ ref('mart_claim_check') }}
),

-- what an owner pays: the price level at which capital is broken down, else the newest
ownership as (
    select *
    from {{ ref('mart_tco') }}
    where scenario_id = 'hyperscaler' and not starts_with(accelerator_id, 'unmapped:')
    qualify row_number() over (
        partition by accelerator_id order by capex_server_usd_per_accelerator is null, price_level desc
    ) = 1
),

days as (
    select
        printed.value_id,
        {{ accelerator_hours_for('printed.trained_tokens', trained_tokens_per_s(
            'printed.mfu_pct',
            model_flops_per_token('printed.parameters', 'printed.layers', 'printed.hidden_size', 'printed.sequence_length'),
            'specs.bf16_dense_tflops')) }} / printed.accelerator_count / 24 as days
    from printed
    inner join specs using (accelerator_id)
    where printed.method = 'training_days'
),

sized as (
    select
        printed.value_id,
        case printed.method
            when 'weights_gb' then {{ weight_bytes('printed.parameters', ref('estimate_constants')) }} / 1e9
            when 'training_state_gb' then {{ training_state_bytes('printed.parameters', ref('estimate_constants')) }} / 1e9
            when 'accelerators_needed'
                then {{ accelerators_that_hold(training_state_bytes('printed.parameters', ref('estimate_constants')), 'specs.memory_gb') }}
        end as ours,
        case printed.method
            when 'weights_gb' then '2 bytes a parameter'
            when 'training_state_gb' then '16 bytes a parameter: weights, gradients and optimiser states of Adam'
            else '16 bytes a parameter in the memory of one ' || printed.accelerator_id
        end as evidence
    from printed
    left join specs using (accelerator_id)
    where printed.method in ('weights_gb', 'training_state_gb', 'accelerators_needed')
),

costs as (
    select
        printed.value_id,
        days.days * 24 * rent.ours
            * case when printed.method = 'run_spot' then 1 - saving.ours / 100 else 1 end as ours,
        format('{:.1f} days at {:.2f} USD an hour', days.days, rent.ours)
            || case when printed.method = 'run_spot' then format(', {:.0f} % off for spot', saving.ours) else '' end as evidence
    from printed
    inner join days on printed.input_1 = days.value_id
    inner join prices as rent on printed.input_2 = rent.value_id
    left join (
        select (ours_low + ours_high) / 2 as ours from prices
        where value_id in (select value_id from printed where method = 'spot_saving_low')
    ) as saving on true
    where printed.method in ('run_rent', 'run_spot')
),

-- a figure as a share of the rows of its own table
shares as (
    select
        printed.value_id,
        100 * part.printed / sum(whole.printed) as ours,
        format('{} of {} printed beside it', part.printed, sum(whole.printed)) as evidence
    from printed
    inner join printed as part on printed.input_1 = part.value_id
    inner join printed as whole on part.document = whole.document and part.subject = whole.subject
    where printed.method = 'printed_share'
    group by printed.value_id, part.printed
),

-- electricity of one run against the outlay of which its hardware is a share
powered as (
    select
        printed.value_id,
        100 * ownership.electricity_usd_per_accelerator_hour
            * compute.printed / (number.printed * printed.mfu_pct / 100 * specs.bf16_dense_tflops * 1e12) / 3600
            / {{ creation_outlay_usd('ownership.capex_usd_per_accelerator',
                "(select value from " ~ ref('estimate_constants') ~ " where constant_id = 'creation_hardware_pct')") }}
            as ours,
        format('{:.0f} hours on {:.0f} accelerators', compute.printed
            / (number.printed * printed.mfu_pct / 100 * specs.bf16_dense_tflops * 1e12) / 3600, number.printed) as evidence
    from printed
    inner join specs using (accelerator_id)
    inner join ownership using (accelerator_id)
    inner join printed as compute on printed.input_1 = compute.value_id
    inner join printed as number on printed.input_2 = number.value_id
    where printed.method = 'power_share'
),

capital as (
    select
        printed.value_id,
        100 * case printed.method
            when 'server_share' then ownership.capex_server_usd_per_accelerator
            else ownership.capex_network_usd_per_accelerator
        end / ownership.capex_usd_per_accelerator as ours,
        format('{} of {}, price level {}', case printed.method when 'server_share' then 'server' else 'network' end,
            printed.accelerator_id, ownership.price_level) as evidence
    from printed
    inner join ownership using (accelerator_id)
    where printed.method in ('server_share', 'network_share')
)

select value_id, ours, 'formula' as basis, evidence from sized
union all by name
select value_id, days as ours, 'formula' as basis, format('{:.1f} days at an MFU of {:.0f} %', days, mfu_pct) as evidence
from days
inner join printed using (value_id)
union all by name
select value_id, ours, 'formula' as basis, evidence from costs
union all by name
select value_id, ours, 'their own cells' as basis, evidence from shares
union all by name
select value_id, ours, 'formula' as basis, evidence from powered
union all by name
select value_id, ours, 'ownership scenario' as basis, evidence from capital
union all by name
select printed.value_id, claims.measured_value as ours, claims.measured_lowest as ours_low,
    claims.measured_highest as ours_high, 'claim' as basis,
    concat('claim ', claims.claim_id, ': ', claims.verdict) as evidence
from printed
inner join claims using (claim_id)
where printed.method = 'claim'
