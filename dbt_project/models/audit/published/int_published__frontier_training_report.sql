-- What the values of the report on frontier training (2023-08) are recomputed from.
-- Each is a named expression; names are those of int_published__known.
with

known as (
    select * from {{ ref('int_published__known') }} where document = 'frontier_training_report_2023-08'
),

-- commitments of three years to an A100 that were in force on the day of the text
commitments as (
    select {
        low: min(usd_per_accelerator_hour), middle: median(usd_per_accelerator_hour), high: max(usd_per_accelerator_hour)
    } as a100_committed
    from {{ ref('fct_price_interval') }}
    where accelerator_id in ('nvidia-a100-sxm-40gb', 'nvidia-a100-sxm-80gb') and pricing_model = 'reserved_3y'
        and is_comparable and coalesce(country, 'US') = 'US'
        and valid_from <= date '2023-08-31' and coalesce(valid_to, last_seen_at) >= date '2023-08-31'
),

-- the server in the all-in capital of an H100
capital as (
    select
        100 * any_value(value) filter (parameter = 'server_capex_usd')
            / any_value(value) filter (parameter = 'all_in_capex_usd') as server_share
    from {{ ref('tco_hardware') }}
    where accelerator_id = 'nvidia-h100-sxm-80gb'
    group by price_level
    having server_share is not null
    qualify price_level = max(price_level) over ()
),

parts as (
    select
        known.*,
        commitments.*,
        capital.*,
        known.part['nvidia-a100-sxm-80gb'] as a100,
        known.part['nvidia-h100-sxm-80gb'] as h100,
        known.part['nvidia-rtx-4090'] as rtx4090
    from known
    cross join commitments
    cross join capital
),

named as (
    select
        *,
        -- a run of the compute printed on A100 at 40 % MFU
        printed['V072'] / (0.4 * a100.bf16_dense_tflops * 1e12) / 3600 as run_hours,
        -- electricity of that run against the outlay of which its hardware is a share
        100 * owned['nvidia-a100-sxm-80gb'].electricity_usd_per_accelerator_hour * run_hours / printed['V073']
            / {{ creation_outlay_usd("owned['nvidia-a100-sxm-80gb'].capex_usd_per_accelerator",
                "(select value from " ~ ref('estimate_constants') ~ " where constant_id = 'creation_hardware_pct')") }}
            as power_share
    from parts
)

select unnest([
    -- frontier model 2023: hardware share of the cost of a frontier model
    {{ recomputed('V042', 'their own cells',
        "100 * printed['V069'] / (printed['V069'] + printed['V070'] + printed['V071'])") }},
    -- frontier model 2023: personnel share
    {{ recomputed('V043', 'their own cells',
        "100 * printed['V070'] / (printed['V069'] + printed['V070'] + printed['V071'])") }},
    -- frontier model 2023: power share
    {{ recomputed('V044', 'ownership scenario', 'power_share') }},
    -- ML supercomputer: accelerator share of hardware cost
    {{ recomputed('V045', 'ownership scenario', "server_share * (1 - printed['V047'] / 100)",
        "server_share * (1 - printed['V047'] / 100)",
        'server_share') }},
    -- H100 node: non-accelerator components, share of cost
    {{ recomputed('V047', 'their own cells', "100 * (1 - printed['V340'] / (printed['V341'] - printed['V342']))") }},
    -- nvidia-a100-sxm-80gb: cost per TFLOP/s without INT8 training
    {{ recomputed('V052', 'their own cells', "printed['V048'] / printed['V350']") }},
    -- nvidia-a100-sxm-80gb: ml_processing_power
    {{ recomputed('V054', 'specification', 'a100.int8_dense_tops') }},
    -- nvidia-a100-sxm-80gb: memory
    {{ recomputed('V055', 'specification', 'a100.memory_gb') }},
    -- nvidia-a100-sxm-80gb: memory_bandwidth
    {{ recomputed('V056', 'specification', 'a100.memory_bandwidth_gb_s / 1e3') }},
    -- nvidia-a100-sxm-80gb: interconnect_bandwidth
    {{ recomputed('V057', 'specification', 'a100.interconnect_bandwidth_gb_s') }},
    -- nvidia-a100-sxm-80gb: power
    {{ recomputed('V058', 'specification', 'a100.tdp_w') }},
    -- nvidia-h100-sxm-80gb: ml_processing_power
    {{ recomputed('V059', 'specification', 'h100.fp8_dense_tflops') }},
    -- nvidia-h100-sxm-80gb: memory
    {{ recomputed('V060', 'specification', 'h100.memory_gb') }},
    -- nvidia-h100-sxm-80gb: memory_bandwidth
    {{ recomputed('V061', 'specification', 'h100.memory_bandwidth_gb_s / 1e3') }},
    -- nvidia-h100-sxm-80gb: interconnect_bandwidth
    {{ recomputed('V062', 'specification', 'h100.interconnect_bandwidth_gb_s') }},
    -- nvidia-h100-sxm-80gb: power
    {{ recomputed('V063', 'specification', 'h100.tdp_w') }},
    -- nvidia-rtx-4090: ml_processing_power
    {{ recomputed('V064', 'specification', 'rtx4090.int8_dense_tops') }},
    -- nvidia-rtx-4090: memory
    {{ recomputed('V065', 'specification', 'rtx4090.memory_gb') }},
    -- nvidia-rtx-4090: memory_bandwidth
    {{ recomputed('V066', 'specification', 'rtx4090.memory_bandwidth_gb_s / 1e3') }},
    -- nvidia-rtx-4090: interconnect_bandwidth
    {{ recomputed('V067', 'specification', 'rtx4090.interconnect_bandwidth_gb_s') }},
    -- nvidia-rtx-4090: power
    {{ recomputed('V068', 'specification', 'rtx4090.tdp_w') }},
    -- GPT-4: cost
    {{ recomputed('V325', 'their own cells', "printed['V048'] * printed['V073'] / (printed['V045'] / 100) / 1e6") }},
    -- GPT-4: accelerators alone
    {{ recomputed('V326', 'their own cells', "printed['V048'] * printed['V073'] / 1e6") }},
    -- OpenAI 2022: compute and data, over
    {{ recomputed('V329', 'their own cells', "printed['V069']") }},
    -- GPT-4, final run, rented for years: cost, about
    {{ recomputed('V335', 'formula', 'run_hours * a100_committed.middle / 1e6',
        'run_hours * a100_committed.low / 1e6',
        'run_hours * a100_committed.high / 1e6') }},
    -- GPT-4, final run, after SemiAnalysis: cost
    {{ recomputed('V336', 'formula', 'run_hours * a100_committed.middle / 1e6',
        'run_hours * a100_committed.low / 1e6',
        'run_hours * a100_committed.high / 1e6') }},
    -- GPT-4, final run, after Epoch: cost
    {{ recomputed('V337', 'formula', 'run_hours * a100_committed.middle / 1e6',
        'run_hours * a100_committed.low / 1e6',
        'run_hours * a100_committed.high / 1e6') }},
    -- ML supercomputer: share of other hardware
    {{ recomputed('V338', 'their own cells',
        "100 * (1 - printed['V340'] / ((printed['V341'] - printed['V342']) * 5 / 4))") }},
    -- ML supercomputer: share of other hardware by the formula of the footnote
    {{ recomputed('V339', 'their own cells',
        "100 * (1 - printed['V340'] / ((printed['V341'] - printed['V342']) * 5 / 4))") }},
    -- ML supercomputer: accelerator share of hardware cost, plausible low
    {{ recomputed('V343', 'their own cells', "printed['V345']") }},
    -- cheap power: price
    {{ recomputed('V347', 'specification', "energy['us_electricity_price_industrial 2022']") }},
    -- RTX 4090 against A100: price
    {{ recomputed('V348', 'their own cells', "printed['V051'] / printed['V048']") }},
    -- RTX 4090 against A100: 8-bit rate, above
    {{ recomputed('V349', 'specification', 'rtx4090.int8_dense_tops / a100.int8_dense_tops') }},
    -- nvidia-a100-sxm-80gb: rate without INT8 training
    {{ recomputed('V350', 'specification', 'a100.bf16_dense_tflops') }},
    -- nvidia-a100-sxm-80gb: cost per TOP/s
    {{ recomputed('V351', 'their own cells', "printed['V048'] / printed['V054']") }},
    -- nvidia-h100-sxm-80gb: cost per TFLOP/s
    {{ recomputed('V352', 'purchase', "bought['nvidia-h100-sxm-80gb'].usd / printed['V059']") }},
    -- nvidia-rtx-4090: cost per TFLOP/s
    {{ recomputed('V353', 'their own cells', "printed['V051'] / printed['V064']") }},
    -- nvidia-h100-sxm-80gb: cost per TFLOP/s at the price of the discussion
    {{ recomputed('V355', 'their own cells', "printed['V354'] / printed['V059']") }},
    -- H100 against RTX 4090: cost to make, over
    {{ recomputed('V356', 'their own cells',
        "(1 - printed['V358'] / 100) * printed['V354'] / (printed['V051'] * (1 - printed['V359'] / 100))") }},
    -- H100 against RTX 4090: 8-bit rate
    {{ recomputed('V361', 'specification', 'h100.fp8_dense_tflops / rtx4090.int8_dense_tops') }},
    -- NVIDIA GPUs: price ÷ cost to make
    {{ recomputed('V362', 'their own cells', "1 / (1 - printed['V358'] / 100)") }},
    -- H100 FP8 against TF32: rate
    {{ recomputed('V364', 'specification', 'h100.fp8_dense_tflops / h100.tf32_dense_tflops') }},
    -- nvidia-h100-sxm-80gb: fp32_tflops
    {{ recomputed('V365', 'specification', 'h100.fp32_tflops') }},
    -- nvidia-h100-sxm-80gb: tf32_tflops
    {{ recomputed('V366', 'specification', 'h100.tf32_dense_tflops') }},
    -- GPT-4: training data
    {{ recomputed('V374', 'their own cells', "printed['V369'] * printed['V373'] / 1e12") }},
    -- GPT-4: laptops that hold the data, before rounding
    {{ recomputed('V376', 'their own cells', "printed['V374'] * 1e3 / printed['V375']") }},
    -- GPT-4: laptops that hold the data
    {{ recomputed('V377', 'their own cells', "printed['V374'] * 1e3 / printed['V375']") }},
    -- GPT-4: PlayStation 5 of three months, before rounding
    {{ recomputed('V379', 'their own cells',
        "printed['V072'] / (printed['V378'] * 1e12 * printed['V383'] * 86400)") }},
    -- GPT-4: PlayStation 5 of three months
    {{ recomputed('V380', 'their own cells',
        "printed['V072'] / (printed['V378'] * 1e12 * printed['V383'] * 86400)") }},
    -- GPT-4: share of all PlayStation 5, under
    {{ recomputed('V382', 'their own cells', "100 * printed['V379'] / (printed['V381'] * 1e6)") }},
    -- GPT-4: aggregate interconnect bandwidth, at least
    {{ recomputed('V384', 'formula', "printed['V073'] * a100.interconnect_bandwidth_gb_s / 1e6") }},
    -- GPT-4: interconnect bandwidth used
    {{ recomputed('V385', 'their own cells', "printed['V384'] / 2") }},
    -- GPT-4: traffic between accelerators
    {{ recomputed('V386', 'their own cells', "printed['V385'] * printed['V383'] * 86400 / 1e6") }},
    -- GPT-4: traffic against the internet, above
    {{ recomputed('V388', 'their own cells', "printed['V386'] / printed['V387']") }},
    -- ML supercomputer: power, low tens of
    {{ recomputed('V389', 'ownership scenario',
        "printed['V073'] * owned['nvidia-a100-sxm-80gb'].it_power_w / 1e6") }},
    -- supercomputer of 1e11 USD: power, at least
    {{ recomputed('V391', 'ownership scenario',
        "1e11 / owned['nvidia-h100-sxm-80gb'].capex_usd_per_accelerator * owned['nvidia-h100-sxm-80gb'].it_power_w / 1e9") }},
    -- accelerators: share of US electricity, under
    {{ recomputed('V393', 'formula', "100 * printed['V334'] * 4e9 / printed['V048'] * a100.tdp_w * 8.76 / 4e12") }},
    -- GPT-4: total cost against the final run
    {{ recomputed('V396', 'their own cells', "printed['V069'] / printed['V335']") }},
    -- GPT-4: share of testing
    {{ recomputed('V397', 'their own cells', "100 * (1 - 1 / printed['V396'])") }},
    -- GPT-4: half of the accelerators
    {{ recomputed('V398', 'their own cells', "printed['V326'] / 2") }},
    -- GPT-4: months of use of the accelerators
    {{ recomputed('V399', 'their own cells', '6 + 3 + 9') }},
    -- ChatGPT: inference of a year
    {{ recomputed('V402', 'their own cells', "52 * printed['V401'] / 1e3") }},
    -- GPT-4: curation, share of the cost, under
    {{ recomputed('V403', 'their own cells', "100 * printed['V404'] / printed['V325']") }},
    -- GPT-4, bought: share of staff
    {{ recomputed('V409', 'their own cells', "100 * printed['V070'] / (printed['V069'] + printed['V070'])") }},
    -- GPT-4: bought against rented
    {{ recomputed('V412', 'their own cells', "printed['V408'] / printed['V407']") }},
    -- FP32: bits
    {{ recomputed('V415', 'formula', '1 + 8 + 23') }}
], recursive := true)
from named
