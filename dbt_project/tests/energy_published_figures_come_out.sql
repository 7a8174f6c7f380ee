with

figures as (
    select 'GPT-3 FP8, MFU 39.5 %: trained tokens/s' as figure, 724.5 as published,
        {{ trained_tokens_per_s('39.5', model_flops_per_token('175e9', '96', '12288', '2048'), '1979') }} as ours
    union all select '405B BF16, MFU 54 %: trained tokens/s', 202.5,
        {{ trained_tokens_per_s('54', model_flops_per_token('405.85e9', '126', '16384', '8192'), '989.4') }}
    union all select 'GPT-3 FP8 at $1.42: $/M tokens', 0.544,
        {{ usd_per_output_mtok('1.42', trained_tokens_per_s('39.5', model_flops_per_token('175e9', '96', '12288', '2048'), '1979')) }}
    union all select '405B BF16 at $1.42: $/M tokens', 1.948,
        {{ usd_per_output_mtok('1.42', trained_tokens_per_s('54', model_flops_per_token('405.85e9', '126', '16384', '8192'), '989.4')) }}
    union all select '405B: dollars of 15e12 tokens', 29.2e6,
        1.42 * {{ accelerator_hours_for('15e12', trained_tokens_per_s('54', model_flops_per_token('405.85e9', '126', '16384', '8192'), '989.4')) }}
    union all select 'GPT-3, 2.46 J: tokens a household-year', 15.8e9,
        {{ tokens_per_household_year('2.46', latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
    union all select 'GPT-3, 2.46 J: household-years of 300e9 tokens', 19.0,
        {{ household_years('300e9', '2.46', latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
    union all select 'GPT-3 BF16, 3.63 J: household-years of 300e9 tokens', 28.0,
        {{ household_years('300e9', '3.63', latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
    union all select '405B, 8.8 J: tokens a household-year', 4.4e9,
        {{ tokens_per_household_year('8.8', latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
    union all select '405B, 8.8 J: household-years of 15e12 tokens', 3400,
        {{ household_years('15e12', '8.8', latest_constant(ref('energy_constants'), 'us_household_kwh')) }}
    union all select 'joules of a household-year', 38847600000,
        {{ latest_constant(ref('energy_constants'), 'us_household_kwh') }}
        * {{ latest_constant(ref('energy_constants'), 'joules_per_kwh') }}
)

select * from figures where ours is null or abs(ours / published - 1) > 0.01
