-- Cost of a million tokens, input and output together, on accelerators rented at their price level, at full and at low use, next to
-- the prices that providers charge for the same mix of tokens.
with

costs as (select * from {{ ref('mart_cost_headline') }} where usd_per_output_mtok_at_level is not null),

benchmarks as (select benchmark_id, mean_input_length, mean_output_length from {{ ref('dim_benchmark') }}),

charged as (
    select
        benchmark_id,
        model as market_model,
        any_value(is_same_model) as is_same_model,
        min(as_of) as charged_as_of,
        count(*) as n_providers,
        count(*) filter (days_unchanged >= 365) as n_providers_unchanged_for_a_year,
        string_agg(provider, ', ' order by usd_per_total_mtok, usd_per_output_mtok, provider) as providers,
        min(usd_per_total_mtok) as usd_per_total_mtok_charged_low,
        median(usd_per_total_mtok) as usd_per_total_mtok_charged,
        max(usd_per_total_mtok) as usd_per_total_mtok_charged_high
    from {{ ref('mart_token_market_price') }}
    where uncounted_reason is null
    group by benchmark_id, model
)

select
    costs.benchmark_id,
    costs.scenario,
    costs.release,
    costs.accelerator_id,
    costs.pricing_model,
    costs.is_representative,
    costs.number_format,
    costs.result_id,
    costs.n_sellers_of_level as n_sellers,
    costs.price_as_of,
    costs.usd_per_accelerator_hour_at_level as usd_per_accelerator_hour,
    {% for use, share in [('full', '1'), ('low', "(" ~ var('token_low_use_pct') ~ " / 100.0)")] -%}
    {% for side in ['_low', '', '_high'] -%}
    {{ usd_per_total_mtok('costs.usd_per_output_mtok_at_level' ~ side, 'benchmarks.mean_input_length', 'benchmarks.mean_output_length') }}
    / {{ share }} as usd_per_total_mtok_at_{{ use }}_use{{ side }},
    {% endfor -%}
    {% endfor -%}
    {{ var('token_low_use_pct') }}::double as low_use_pct,
    benchmarks.mean_input_length,
    benchmarks.mean_output_length,
    charged.* exclude (benchmark_id) replace (
        coalesce(charged.n_providers, 0) as n_providers,
        coalesce(charged.n_providers_unchanged_for_a_year, 0) as n_providers_unchanged_for_a_year
    ),
    nullif(
        concat_ws(
            '; ',
            case when charged.market_model is null then 'no provider lists this model on the newest day' end,
            case
                when benchmarks.mean_input_length is null or benchmarks.mean_output_length is null
                    then 'the mean lengths of the data set are not published: no cost or price of input and output together'
            end
        ),
        ''
    ) as reason
from costs
inner join benchmarks using (benchmark_id)
left join charged using (benchmark_id)
