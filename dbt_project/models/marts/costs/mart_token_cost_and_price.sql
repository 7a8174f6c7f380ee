-- Cost of a million tokens on accelerators rented at their price level, at full and at low use, beside what providers ask for them.
with

costs as (select * from {{ ref('mart_cost_headline') }} where usd_per_output_mtok_at_level is not null),

benchmarks as (select benchmark_id, mean_input_length, mean_output_length from {{ ref('dim_benchmark') }}),

prices as (
    select
        prices.*,
        -- What a request of so many input and output tokens is priced, per million tokens of it.
        (prices.usd_per_input_mtok * benchmarks.mean_input_length + prices.usd_per_output_mtok * benchmarks.mean_output_length)
        / nullif(benchmarks.mean_input_length + benchmarks.mean_output_length, 0) as usd_per_total_mtok
    from {{ ref('mart_token_market_price') }} as prices
    inner join benchmarks using (benchmark_id)
    where prices.uncounted_reason is null
),

asked as (
    select
        benchmark_id,
        model as market_model,
        any_value(is_same_model) as is_same_model,
        min(as_of) as asked_as_of,
        count(*) as n_providers,
        count(*) filter (days_unchanged >= 365) as n_providers_unchanged_for_a_year,
        string_agg(provider, ', ' order by usd_per_output_mtok, provider) as providers,
        median(usd_per_input_mtok) as usd_per_input_mtok_asked_median,
        min(usd_per_output_mtok) as usd_per_output_mtok_asked_low,
        median(usd_per_output_mtok) as usd_per_output_mtok_asked_median,
        max(usd_per_output_mtok) as usd_per_output_mtok_asked_high,
        min(usd_per_total_mtok) as usd_per_total_mtok_asked_low,
        median(usd_per_total_mtok) as usd_per_total_mtok_asked_median,
        max(usd_per_total_mtok) as usd_per_total_mtok_asked_high
    from prices
    group by benchmark_id, model
)

select
    costs.benchmark_id,
    costs.scenario,
    costs.release,
    costs.accelerator_id,
    costs.pricing_model,
    costs.number_format,
    costs.n_sellers_of_level as n_sellers,
    costs.price_as_of,
    costs.usd_per_output_mtok_at_level_low as usd_per_output_mtok_at_full_use_low,
    costs.usd_per_output_mtok_at_level as usd_per_output_mtok_at_full_use,
    costs.usd_per_output_mtok_at_level_high as usd_per_output_mtok_at_full_use_high,
    costs.usd_per_output_mtok_at_level / ({{ var('token_low_use_pct') }} / 100.0) as usd_per_output_mtok_at_low_use,
    costs.usd_per_total_mtok_at_level as usd_per_total_mtok_at_full_use,
    costs.usd_per_total_mtok_at_level / ({{ var('token_low_use_pct') }} / 100.0) as usd_per_total_mtok_at_low_use,
    {{ var('token_low_use_pct') }}::double as low_use_pct,
    benchmarks.mean_input_length,
    benchmarks.mean_output_length,
    asked.* exclude (benchmark_id) replace (
        coalesce(asked.n_providers, 0) as n_providers,
        coalesce(asked.n_providers_unchanged_for_a_year, 0) as n_providers_unchanged_for_a_year
    ),
    nullif(
        concat_ws(
            '; ',
            case when asked.market_model is null then 'no provider lists this model on the newest day' end,
            case
                when benchmarks.mean_input_length is null or benchmarks.mean_output_length is null
                    then 'the mean lengths of the data set are not published: no figure for tokens of all kinds'
            end
        ),
        ''
    ) as reason
from costs
inner join benchmarks using (benchmark_id)
left join asked using (benchmark_id)
