-- One row per figure of the published training tables, with two named expressions: what other figures of its table make it, and what
-- measurements or independent inputs make it. They are evaluated on the table as printed, at two PUEs, and once for every
-- figure moved by half of its last digit, up and down: how far rounding alone can move what follows from it.
with

printed_rows as (select * from {{ ref('int_published_tables__rows') }}),

pues as (
    select
        {{ latest_constant(ref('energy_constants'), var('energy_pue_constant')) }} as industry_pue,
        {{ latest_constant(ref('energy_constants'), 'us_household_kwh') }} as household_kwh,
        max(site_pue) filter (accelerator_id = 'nvidia-h100-sxm-80gb') as site_pue
    from printed_rows
),

moved as (
    select null as moved_row_id, 0 as direction, 'industry' as site
    union all
    select null, 0, 'hyperscaler'
    union all
    select printed_rows.row_id, directions.direction, 'industry'
    from printed_rows
    cross join (values (1), (-1)) as directions (direction)
    where printed_rows.half_digit > 0
),

tables as (
    select
        moved.moved_row_id,
        moved.direction,
        moved.site,
        map_from_entries(
            list((
                printed_rows.row_id,
                printed_rows.value
                + case when printed_rows.row_id = moved.moved_row_id then moved.direction * printed_rows.half_digit else 0 end
            ))
            || list((printed_rows.row_id || '.gpus', printed_rows.gpu_count))
        ) as printed
    from moved
    cross join printed_rows
    group by all
),

facts as (
    select
        map_from_entries(list((row_id, {mfu_pct: measured_mfu_pct, tokens_per_s: measured_trained_tokens_per_s}))) as measured,
        map_from_entries(list(distinct row(model, flops_per_token)) filter (flops_per_token is not null)) as flops,
        map_from_entries(list(distinct row(model, {parameters: parameters, sequence_length: sequence_length}))
            filter (flops_per_token is not null)) as parameters_and_sequence,
        map_from_entries(list(distinct row(accelerator_id, {
            usd_per_accelerator_hour: tco_usd_per_accelerator_hour, it_power_w: it_power_w
        })) filter (accelerator_id is not null)) as owned
    from printed_rows
),

named as (
    select
        tables.*,
        facts.*,
        known.part['nvidia-h100-sxm-80gb'] as h100,
        known.part['nvidia-gb200-186gb'] as gb200,
        pues.household_kwh,
        case tables.site when 'hyperscaler' then pues.site_pue else pues.industry_pue end as pue
    from tables
    cross join facts
    cross join pues
    inner join {{ ref('int_published__known') }} as known on known.document = 'training_benchmarks_2025-08'
),

-- speeds that printed MFUs mean, and the watts of an H100 at the meter of the site
paced as (
    select
        *,
        {{ with_pue("owned['nvidia-h100-sxm-80gb'].it_power_w", 'pue') }} as h100_watts,
        {{ trained_tokens_per_s("printed['P02']", "flops['gpt3-175b']", 'h100.bf16_dense_tflops') }} as p02_tokens_per_s,
        {{ trained_tokens_per_s("printed['P04']", "flops['gpt3-175b']", 'h100.fp8_dense_tflops') }} as p04_tokens_per_s,
        {{ trained_tokens_per_s("printed['P05']", "flops['gpt3-175b']", 'h100.fp8_dense_tflops') }} as p05_tokens_per_s,
        {{ trained_tokens_per_s("printed['P24']", "flops['llama3-405b']", 'h100.bf16_dense_tflops') }} as p24_tokens_per_s,
        {{ trained_tokens_per_s("printed['P36']", "flops['llama3-70b']", 'h100.fp8_dense_tflops') }} as p36_tokens_per_s,
        {{ trained_tokens_per_s("printed['P37']", "flops['llama3-70b']", 'h100.fp8_dense_tflops') }} as p37_tokens_per_s,
        {{ trained_tokens_per_s("printed['P40']", "flops['llama3-70b']", 'h100.bf16_dense_tflops') }} as p40_tokens_per_s
    from named
),

evaluated as (
    select moved_row_id, direction, site, unnest([
        -- gpt3-175b bf16 128: mfu_pct
        {{ recomputed_row('P01', own_cells="printed['P02'] / (1 + printed['P03'] / 100)") }},
        -- gpt3-175b bf16 128: mfu_pct
        {{ recomputed_row('P02', own_cells="printed['P01'] * (1 + printed['P03'] / 100)") }},
        -- gpt3-175b bf16 128: throughput_improvement_pct
        {{ recomputed_row('P03', own_cells=change_pct("printed['P01']", "printed['P02']")) }},
        -- gpt3-175b fp8 128: mfu_pct
        {{ recomputed_row('P04',
            own_cells=mfu_pct(usd_per_trained_mtok("printed['P16']", "printed['P07']"), "flops['gpt3-175b']", 'h100.fp8_dense_tflops'),
            basis='measured', own="measured['P04'].mfu_pct") }},
        -- gpt3-175b fp8 128: mfu_pct
        {{ recomputed_row('P05',
            own_cells=mfu_pct(usd_per_trained_mtok("printed['P16']", "printed['P08']"), "flops['gpt3-175b']", 'h100.fp8_dense_tflops'),
            basis='measured', own="measured['P05'].mfu_pct") }},
        -- gpt3-175b fp8 128: throughput_improvement_pct
        {{ recomputed_row('P06', own_cells=change_pct("printed['P04']", "printed['P05']")) }},
        -- gpt3-175b fp8 128: usd_per_mtok
        {{ recomputed_row('P07',
            own_cells=usd_per_trained_mtok("printed['P16']", 'p04_tokens_per_s'),
            basis='measured', own=usd_per_trained_mtok("printed['P16']", "measured['P07'].tokens_per_s")) }},
        -- gpt3-175b fp8 128: usd_per_mtok
        {{ recomputed_row('P08',
            own_cells=usd_per_trained_mtok("printed['P16']", 'p05_tokens_per_s'),
            basis='measured', own=usd_per_trained_mtok("printed['P16']", "measured['P08'].tokens_per_s")) }},
        -- gpt3-175b fp8 128: total_training_cost_usd
        {{ recomputed_row('P09',
            own_cells=run_cost_usd("printed['P07']", '3e11'),
            basis='measured', own=run_cost_usd(usd_per_trained_mtok("printed['P16']", "measured['P09'].tokens_per_s"), '3e11')) }},
        -- gpt3-175b fp8 128: total_training_cost_usd
        {{ recomputed_row('P10',
            own_cells=run_cost_usd("printed['P08']", '3e11'),
            basis='measured', own=run_cost_usd(usd_per_trained_mtok("printed['P16']", "measured['P10'].tokens_per_s"), '3e11')) }},
        -- gpt3-175b fp8 128: j_per_token
        {{ recomputed_row('P11',
            own_cells=tokens_per_household_year("printed['P13']", 'household_kwh'),
            basis='modelled', own=j_per_unit('h100_watts', 'p05_tokens_per_s')) }},
        -- gpt3-175b bf16 128: j_per_token
        {{ recomputed_row('P12',
            own_cells="printed['P15'] / " ~ household_years('3e11', '1', 'household_kwh'),
            basis='modelled', own=j_per_unit('h100_watts', 'p02_tokens_per_s')) }},
        -- gpt3-175b fp8 128: tokens_per_household_year
        {{ recomputed_row('P13',
            own_cells=tokens_per_household_year("printed['P11']", 'household_kwh'),
            basis='modelled', own=tokens_per_household_year(j_per_unit('h100_watts', 'p05_tokens_per_s'), 'household_kwh')) }},
        -- gpt3-175b fp8 128: household_years_for_run
        {{ recomputed_row('P14',
            own_cells=household_years('3e11', "printed['P11']", 'household_kwh'),
            basis='modelled', own=household_years('3e11', j_per_unit('h100_watts', 'p05_tokens_per_s'), 'household_kwh')) }},
        -- gpt3-175b bf16 128: household_years_for_run
        {{ recomputed_row('P15',
            own_cells=household_years('3e11', "printed['P12']", 'household_kwh'),
            basis='modelled', own=household_years('3e11', j_per_unit('h100_watts', 'p02_tokens_per_s'), 'household_kwh')) }},
        -- gpt3-175b 128: tco_usd_per_gpu_hour
        {{ recomputed_row('P16', basis='calibrated', own="owned['nvidia-h100-sxm-80gb'].usd_per_accelerator_hour") }},
        -- gpt3-175b 128: sequence_length
        {{ recomputed_row('P17', basis='model', own="parameters_and_sequence['gpt3-175b'].sequence_length") }},
        -- gpt3-175b 128: data_replicas
        {{ recomputed_row('P20', own_cells="printed['P20.gpus'] / 32") }},
        -- llama3-405b fp8 576: mfu_pct
        {{ recomputed_row('P21', basis='measured', own="measured['P21'].mfu_pct") }},
        -- llama3-405b bf16 576: mfu_pct
        {{ recomputed_row('P22',
            own_cells=mfu_pct(usd_per_trained_mtok("printed['P16']", "printed['P25']"), "flops['llama3-405b']", 'h100.bf16_dense_tflops')) }},
        -- llama3-405b fp8 2304: mfu_pct
        {{ recomputed_row('P23', basis='measured', own="measured['P23'].mfu_pct") }},
        -- llama3-405b bf16 2304: mfu_pct
        {{ recomputed_row('P24',
            own_cells=mfu_pct(usd_per_trained_mtok("printed['P16']", "printed['P25']"), "flops['llama3-405b']", 'h100.bf16_dense_tflops')) }},
        -- llama3-405b bf16 2304: usd_per_mtok
        {{ recomputed_row('P25', own_cells=usd_per_trained_mtok("printed['P16']", 'p24_tokens_per_s')) }},
        -- llama3-405b bf16 2304: total_training_cost_usd
        {{ recomputed_row('P26', own_cells=run_cost_usd("printed['P25']", '1.5e13')) }},
        -- llama3-405b bf16 : j_per_token
        {{ recomputed_row('P27',
            own_cells="printed['P32'] / " ~ household_years('1.5e13', '1', 'household_kwh'),
            basis='modelled', own=j_per_unit('h100_watts', 'p24_tokens_per_s')) }},
        -- gpt3-175b bf16 : j_per_token
        {{ recomputed_row('P28',
            own_cells="printed['P12']",
            basis='modelled', own=j_per_unit('h100_watts', 'p02_tokens_per_s')) }},
        -- llama3-405b bf16 : j_per_token_ratio_vs_gpt3
        {{ recomputed_row('P29',
            own_cells="printed['P27'] / printed['P28']",
            basis='modelled', own='p02_tokens_per_s' ~ ' / ' ~ 'p24_tokens_per_s') }},
        -- llama3-405b : size_ratio_vs_gpt3
        {{ recomputed_row('P30',
            basis='model', own="parameters_and_sequence['llama3-405b'].parameters / parameters_and_sequence['gpt3-175b'].parameters") }},
        -- llama3-405b bf16 : tokens_per_household_year
        {{ recomputed_row('P31',
            own_cells=tokens_per_household_year("printed['P27']", 'household_kwh'),
            basis='modelled', own=tokens_per_household_year(j_per_unit('h100_watts', 'p24_tokens_per_s'), 'household_kwh')) }},
        -- llama3-405b bf16 : household_years_for_run
        {{ recomputed_row('P32',
            own_cells=household_years('1.5e13', "printed['P27']", 'household_kwh'),
            basis='modelled', own=household_years('1.5e13', j_per_unit('h100_watts', 'p24_tokens_per_s'), 'household_kwh')) }},
        -- deepseek : total_training_cost_usd
        {{ recomputed_row('P35', basis='stated by the developer', own='2.788e6 * 2') }},
        -- llama3-70b fp8 64: mfu_pct
        {{ recomputed_row('P36', own_cells="printed['P37'] * printed['P45'] / printed['P44']") }},
        -- llama3-70b fp8 2048: mfu_pct
        {{ recomputed_row('P37', own_cells="printed['P36'] * printed['P44'] / printed['P45']") }},
        -- llama3-70b fp8 64 to 2048: performance_drop_pct
        {{ recomputed_row('P38', own_cells='-' ~ change_pct("printed['P36']", "printed['P37']")) }},
        -- llama3-70b bf16 64: mfu_pct
        {{ recomputed_row('P39', own_cells="printed['P40'] / (1 - (printed['P41'] + printed['P42']) / 2 / 100)") }},
        -- llama3-70b bf16 2408: mfu_pct
        {{ recomputed_row('P40', own_cells="printed['P39'] * (1 - (printed['P41'] + printed['P42']) / 2 / 100)") }},
        -- llama3-70b bf16 64 to 2048: performance_drop_pct_low
        {{ recomputed_row('P41', own_cells='-' ~ change_pct("printed['P39']", "printed['P40']")) }},
        -- llama3-70b bf16 64 to 2048: performance_drop_pct_high
        {{ recomputed_row('P42', own_cells='-' ~ change_pct("printed['P39']", "printed['P40']")) }},
        -- llama3-70b fp8 2408: energy_per_token_increase_pct
        {{ recomputed_row('P43', own_cells=change_pct("printed['P44']", "printed['P45']")) }},
        -- llama3-70b fp8 64: household_years_for_run
        {{ recomputed_row('P44',
            own_cells=household_years('1.5e13',
            "printed['P11'] * " ~ 'p05_tokens_per_s'
            ~ ' / ' ~ 'p36_tokens_per_s', 'household_kwh'),
            basis='modelled', own=household_years('1.5e13', j_per_unit('h100_watts', 'p36_tokens_per_s'), 'household_kwh')) }},
        -- llama3-70b fp8 2048: household_years_for_run
        {{ recomputed_row('P45',
            own_cells="printed['P44'] * printed['P36'] / printed['P37']",
            basis='modelled', own=household_years('1.5e13', j_per_unit('h100_watts', 'p37_tokens_per_s'), 'household_kwh')) }},
        -- llama3-405b bf16 2000: usd_per_mtok_ratio_vs_70b
        {{ recomputed_row('P46',
            own_cells="printed['P25'] / " ~ usd_per_trained_mtok("printed['P16']", 'p40_tokens_per_s')) }},
        -- llama3-405b : size_ratio_vs_70b
        {{ recomputed_row('P47',
            basis='model', own="parameters_and_sequence['llama3-405b'].parameters / parameters_and_sequence['llama3-70b'].parameters") }},
        -- GB200 NVL72 vs H100 per GPU : all_in_capex_ratio_low
        {{ recomputed_row('P55',
            own_cells="(printed['P54'] / printed['P54.gpus']) / (printed['P52'] / printed['P52.gpus'])") }},
        -- GB200 NVL72 vs H100 per GPU : all_in_capex_ratio_high
        {{ recomputed_row('P56',
            own_cells="(printed['P54'] / printed['P54.gpus']) / (printed['P52'] / printed['P52.gpus'])") }},
        -- GB200 NVL72 vs H100 per GPU : tco_ratio
        {{ recomputed_row('P57',
            basis='calibrated',
            own="owned['nvidia-gb200-186gb'].usd_per_accelerator_hour / owned['nvidia-h100-sxm-80gb'].usd_per_accelerator_hour") }},
        -- GB200 : chip_power_w
        {{ recomputed_row('P58', basis='specification', own='gb200.tdp_w') }},
        -- H100 : chip_power_w
        {{ recomputed_row('P59', basis='specification', own='h100.tdp_w') }}
    ], recursive := true)
    from paced
),

-- the greater of both moves of each figure it follows from
rounding as (
    select row_id, sum(moved_by) as rounding
    from (
        select evaluated.row_id, evaluated.moved_row_id, max(abs(evaluated.consistent_value - as_printed.consistent_value)) as moved_by
        from evaluated
        inner join evaluated as as_printed
            on evaluated.row_id = as_printed.row_id and as_printed.moved_row_id is null and as_printed.site = 'industry'
        where evaluated.moved_row_id is not null
        group by evaluated.row_id, evaluated.moved_row_id
    ) as moves
    group by row_id
)

select
    printed.row_id,
    printed.consistent_value,
    printed.own_value,
    least(printed.own_value, at_site.own_value) as own_value_low,
    greatest(printed.own_value, at_site.own_value) as own_value_high,
    printed.own_basis,
    printed.method,
    printed.own_method,
    rounding.rounding
from evaluated as printed
inner join evaluated as at_site
    on printed.row_id = at_site.row_id and at_site.moved_row_id is null and at_site.site = 'hyperscaler'
left join rounding on printed.row_id = rounding.row_id
where printed.moved_row_id is null and printed.site = 'industry'
