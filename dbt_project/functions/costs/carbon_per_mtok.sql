with throughput as (
    from {{ function('token_throughput') }}(model, scenario, release := release) as t where t.is_best_of_accelerator
),

offers as (
    select o.*
    from {{ function('price_on') }}(coalesce(cast(as_of as date), {{ function('newest_price_day') }}())) as o
    where o.pricing_model = coalesce(pricing, error('pricing is missing: cost and carbon are compared under one pricing model, such as on_demand'))
        and (provider is null or o.provider = {{ function('provider_named') }}(provider))
        and (region is null or {{ function('in_region') }}(o.region, o.country, region))
),

costs as ({{ token_costs('throughput', 'offers', ref('dim_accelerator'), is_per_region=true) }}),

carbon as ({{ with_carbon('costs', ref('dim_region_grid'), ref('dim_grid'), ref('mart_energy')) }}),

compared as (
    select
        k.*,
        min(k.usd_per_output_mtok) filter (k.rank_reason is null and k.carbon_reason is null) over ()
            as usd_per_output_mtok_cheapest
    from carbon as k
),

reasoned as (
    select
        x.*,
        (x.usd_per_output_mtok / x.usd_per_output_mtok_cheapest - 1) * 100 as extra_cost_pct,
        coalesce(
            x.rank_reason,
            x.carbon_reason,
            case
                when x.usd_per_output_mtok > x.usd_per_output_mtok_cheapest * (1 + {{ argument('max_extra_cost_pct') }} / 100)
                    then format('costs more than {:g} % above the cheapest', cast(max_extra_cost_pct as double))
            end
        ) as carbon_rank_reason
    from compared as x
)

select
    case
        when q.carbon_rank_reason is null
            then rank() over (partition by q.carbon_rank_reason is null order by q.kg_co2e_per_output_mtok)
    end as carbon_rank,
    q.kg_co2e_per_output_mtok,
    q.kg_co2e_per_output_mtok_low,
    q.kg_co2e_per_output_mtok_high,
    q.usd_per_output_mtok,
    q.extra_cost_pct,
    q.accelerator_id,
    q.provider,
    q.pricing_model,
    q.region,
    q.country,
    q.grid_id,
    q.grid_level,
    q.grid_place,
    q.grid_year,
    q.grid_basis,
    q.grid_kg_co2e_per_kwh,
    q.carbon_uncertainty_basis,
    q.carbon_rank_reason,
    q.usd_per_accelerator_hour,
    q.output_tokens_per_s_per_accelerator,
    q.instance_type,
    least({{ utc_day('q.price_observed_at') }}, q.price_as_of) as price_seen_on,
    q.price_as_of,
    q.price_standing,
    q.benchmark_version,
    q.release,
    q.availability,
    q.number_format,
    q.result_id,
    q.submission_id,
    q.submitter,
    q.system_name,
    q.offer_id,
    q.price_source,
    q.price_source_url,
    q.fit,
    q.size_note
from reasoned as q
order by
    q.carbon_rank_reason is not null, q.kg_co2e_per_output_mtok, q.usd_per_output_mtok, q.accelerator_id, q.provider,
    q.pricing_model, q.region
