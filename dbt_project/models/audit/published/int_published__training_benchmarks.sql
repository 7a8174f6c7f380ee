-- What the values of the text on training benchmarks (2025-08) beside its tables are recomputed from.
-- Each is a named expression; names are those of int_published__known.
with

known as (
    select * from {{ ref('int_published__known') }} where document = 'training_benchmarks_2025-08'
),

named as (
    select
        *,
        part['nvidia-h100-sxm-80gb'] as h100
    from known
)

select unnest([
    -- H100 runs: accelerators, over
    {{ recomputed('V178', 'their own cells', "greatest(printed['P23.gpus'], printed['P37.gpus'])") }},
    -- H100 runs: smallest cluster of the series
    {{ recomputed('V179', 'their own cells', "printed['P01.gpus']") }},
    -- H100 runs: largest cluster of the series
    {{ recomputed('V180', 'their own cells', "printed['P45.gpus']") }},
    -- DeepSeek MoE: parameters
    {{ recomputed('V182', 'specification', "architecture['deepseek_r1'].parameters / 1e9") }},
    -- GB200 NVL72 against H100: speed at which performance per ownership cost breaks even
    {{ recomputed('V188', 'their own cells', "printed['P57']") }},
    -- GCP a3-mega H100: price below the average for equal performance per dollar
    {{ recomputed('V192', 'their own cells', "printed['V189']",
        "printed['V189']",
        "printed['V191']") }},
    -- GPT-3 175B: length of the period
    {{ recomputed('V203', 'their own cells', "date_diff('month', date '2024-01-01', date '2025-01-01')") }},
    -- H100 mass deployment: years before December 2024
    {{ recomputed('V205', 'their own cells', "printed['V204'] + printed['V203'] / 12") }},
    -- H100 mass deployment: months before April 2025
    {{ recomputed('V206', 'their own cells',
        "12 * printed['V204'] + date_diff('month', date '2024-01-01', date '2025-04-01')") }},
    -- GPT-3 175B: GPUs of a data replica
    {{ recomputed('V207', 'their own cells', "printed['P01.gpus'] / printed['P20']") }},
    -- H100: accelerators of an NVLink domain
    {{ recomputed('V208', 'specification', 'h100.scale_up_domain_size') }},
    -- GPT-3 175B: hidden size
    {{ recomputed('V209', 'specification', "architecture['gpt3'].hidden_size") }},
    -- GPT-3 175B: hidden size of a part at TP=8
    {{ recomputed('V210', 'formula', "architecture['gpt3'].hidden_size / 8") }},
    -- GPT-3 175B: hidden size of a part at TP=4
    {{ recomputed('V211', 'formula', "architecture['gpt3'].hidden_size / 4") }},
    -- GPT-3 175B: tokens of an optimiser step
    {{ recomputed('V212', 'their own cells', "printed['P18'] * printed['P17']") }},
    -- 60 W light bulb: energy of a second
    {{ recomputed('V214', 'formula', '60 * 1') }},
    -- 60 W light bulb: energy of an hour
    {{ recomputed('V215', 'formula', '60 * 3600 / 1e3') }},
    -- US household: electricity of a year, 2022
    {{ recomputed('V216', 'specification', "energy['us_household_kwh_eia 2022']") }},
    -- US household: electricity of a year, 2022
    {{ recomputed('V217', 'formula', "energy['us_household_kwh_eia 2022'] * 3.6e6") }},
    -- US household: hours of a year
    {{ recomputed('V218', 'formula', '365 * 24') }},
    -- US household: average power
    {{ recomputed('V219', 'formula', "energy['us_household_kwh_eia 2022'] / 8760 * 1e3") }},
    -- Llama 3 405B: sequence length of pre-training
    {{ recomputed('V220', 'specification', "architecture['llama31_405b'].context_length") }},
    -- Llama 3 405B: nodes of context parallelism
    {{ recomputed('V222', 'their own cells', "printed['V221'] / printed['V220']") }},
    -- Llama 3 8B: sequence length
    {{ recomputed('V224', 'specification', "architecture['llama31_8b'].context_length") }}
], recursive := true)
from named
