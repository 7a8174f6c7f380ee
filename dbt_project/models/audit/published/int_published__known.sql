-- What the values printed in a published text are recomputed from, by name: one row per text, in which `part['…']` is the
-- specification of an accelerator, `architecture['…']` a model, `owned['…']` the ownership cost of a hyperscaler,
-- `energy['… year']` a constant, `rent['…']` and `bought['…']` the price nearest to the day of the text, `printed['…']`
-- another value of the same text. What is not held is null, and so is what follows from it.
with

printed as (
    select document, value_id, printed from {{ ref('published_values') }}
    union all
    select 'training_benchmarks_2025-08', row_id, value
    from {{ ref('published_training_tables') }}
    union all
    select 'training_benchmarks_2025-08', row_id || '.gpus', try_cast(gpus as double)
    from {{ ref('published_training_tables') }}
),

printed_maps as (
    select document, map_from_entries(list((value_id, printed))) as printed from printed group by document
),

price_maps as (
    select
        document,
        map_from_entries(list((price_key, {usd: usd, usd_low: usd_low, usd_high: usd_high})) filter (basis = 'rent')) as rent,
        map_from_entries(list((price_key, {usd: usd, usd_low: usd_low, usd_high: usd_high})) filter (basis = 'purchase'))
            as bought
    from {{ ref('int_published__prices') }}
    group by document
),

part_map as (
    select map_from_entries(list((accelerator_id, {
        architecture: architecture,
        memory_type: memory_type,
        memory_gb: memory_gb,
        memory_bandwidth_gb_s: memory_bandwidth_gb_s,
        tdp_w: tdp_w,
        fp32_tflops: fp32_tflops,
        tf32_dense_tflops: tf32_dense_tflops,
        bf16_dense_tflops: bf16_dense_tflops,
        fp16_dense_tflops: fp16_dense_tflops,
        fp8_dense_tflops: fp8_dense_tflops,
        fp4_dense_tflops: fp4_dense_tflops,
        int8_dense_tops: int8_dense_tops,
        formats_with_a_rate: concat_ws(', ',
            case when fp16_dense_tflops > 0 or bf16_dense_tflops > 0 then 'FP16' end,
            case when bf16_dense_tflops > 0 then 'BF16' end,
            case when tf32_dense_tflops > 0 then 'TF32' end,
            case when fp8_dense_tflops > 0 then 'FP8' end,
            case when fp4_dense_tflops > 0 then 'FP4' end,
            case when int8_dense_tops > 0 then 'INT8' end),
        interconnect: interconnect,
        interconnect_bandwidth_gb_s: interconnect_bandwidth_gb_s,
        scale_up_domain_size: scale_up_domain_size,
        release_year: try_cast(left(cast(release_date as varchar), 4) as double)
    }))) as part
    from {{ ref('stg_reference__accelerator_specs') }}
),

architecture_map as (
    select map_from_entries(list((model_id, {
        parameters: parameters, layers: layers, hidden_size: hidden_size, kv_heads: kv_heads, head_dim: head_dim,
        context_length: context_length
    }))) as architecture
    from {{ ref('model_architectures') }}
),

owned_map as (
    select map_from_entries(list((accelerator_id, {
        capex_usd_per_accelerator: capex_usd_per_accelerator,
        electricity_usd_per_accelerator_hour: electricity_usd_per_accelerator_hour,
        it_power_w: it_power_w
    }))) as owned
    from (
        select *
        from {{ ref('mart_tco') }}
        where scenario_id = 'hyperscaler' and is_default and not starts_with(accelerator_id, 'unmapped:')
    )
),

energy_map as (
    select map_from_entries(list((constant_id || ' ' || year, value))) as energy
    from {{ ref('energy_constants') }}
    where year is not null
),

-- on demand and spot of one seller, instance type and region, as held last
pairs as (
    select
        provider, instance_type, region, source, accelerator_count,
        min(usd_per_accelerator_hour) filter (where pricing_model = 'on_demand') as on_demand_usd,
        min(usd_per_accelerator_hour) filter (where pricing_model = 'spot') as spot_usd
    from {{ ref('fct_price_interval') }}
    where is_comparable and pricing_model in ('on_demand', 'spot') and valid_to is null
    group by all
),

saving as (
    select {
        low: quantile_cont(100 * (1 - spot_usd / nullif(on_demand_usd, 0)), 0.1),
        high: quantile_cont(100 * (1 - spot_usd / nullif(on_demand_usd, 0)), 0.9)
    } as saving
    from pairs
    where on_demand_usd is not null and spot_usd is not null
)

select
    documents.document,
    documents.published_on,
    part_map.part,
    architecture_map.architecture,
    owned_map.owned,
    energy_map.energy,
    saving.saving,
    printed_maps.printed,
    price_maps.rent,
    price_maps.bought
from {{ ref('published_documents') }} as documents
cross join part_map
cross join architecture_map
cross join owned_map
cross join energy_map
cross join saving
left join printed_maps using (document)
left join price_maps using (document)
