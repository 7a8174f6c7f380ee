-- cost of each accelerator, one row; the price of each provider that counts; apart: discounts, prices of some hours, related models
with costs as (
    select
        'cost' as row_kind,
        t.submitter,
        t.system_name,
        t.submission_id,
        t.source_url,
        c.* exclude (is_representative, is_same_model)
    from {{ ref('mart_token_cost_and_price') }} as c
    left join {{ ref('mart_token_throughput') }} as t on c.result_id = t.result_id
    where list_contains(benchmark_ids, c.benchmark_id)
        and c.pricing_model = 'on_demand' and c.is_representative and coalesce(c.is_same_model, true)
),

prices as (
    select
        case when p.uncounted_reason is null and p.is_same_model then 'price' else 'price apart' end as row_kind,
        p.benchmark_id,
        p.model as market_model,
        p.provider,
        p.sold_through,
        p.price_kind,
        p.terms,
        p.usd_per_input_mtok,
        p.usd_per_output_mtok,
        p.usd_per_total_mtok as usd_per_total_mtok_charged,
        p.discount_pct,
        p.last_seen as charged_as_of,
        p.days_unchanged,
        p.source_url,
        case when p.usd_per_total_mtok is null then 'the mean lengths of the data set are not published' end as reason,
        coalesce(p.uncounted_reason, case when not p.is_same_model then 'another model of the same architecture' end) as apart_reason
    from {{ ref('mart_token_market_price') }} as p
    where list_contains(benchmark_ids, p.benchmark_id)
        -- listed on the newest day of its list
        and p.last_seen = p.as_of and p.provider is not null
        and (p.uncounted_reason is null or p.price_kind <> 'list')
)

select
    r.benchmark_id,
    r.scenario,
    r.row_kind,
    r.accelerator_id,
    r.market_model,
    r.provider,
    {%- for use in ['full', 'low'] %}
    {%- for side in ['', '_low', '_high'] %}
    r.usd_per_total_mtok_at_{{ use }}_use{{ side }},
    {%- endfor %}
    {%- endfor %}
    r.low_use_pct,
    r.usd_per_total_mtok_charged,
    r.usd_per_total_mtok_charged_low,
    r.usd_per_total_mtok_charged_high,
    case
        when r.usd_per_total_mtok_charged >= r.usd_per_total_mtok_at_low_use then 'above_cost_at_low_use'
        when r.usd_per_total_mtok_charged >= r.usd_per_total_mtok_at_full_use then 'between_costs'
        when r.usd_per_total_mtok_charged < r.usd_per_total_mtok_at_full_use then 'below_cost_at_full_use'
    end as charged_against_cost,
    r.price_as_of,
    r.charged_as_of,
    r.n_sellers,
    r.n_providers,
    r.n_providers_unchanged_for_a_year,
    r.providers,
    r.price_kind,
    r.terms,
    r.sold_through,
    r.discount_pct,
    r.days_unchanged,
    r.usd_per_input_mtok,
    r.usd_per_output_mtok,
    r.mean_input_length,
    r.mean_output_length,
    r.usd_per_accelerator_hour,
    r.release,
    r.number_format,
    r.submitter,
    r.system_name,
    r.submission_id,
    r.result_id,
    r.source_url,
    r.apart_reason,
    r.reason
from (
    select * from costs
    union all by name
    select * from prices
) as r
order by
    r.benchmark_id, r.row_kind, r.scenario, r.usd_per_total_mtok_at_full_use, r.usd_per_total_mtok_charged, r.accelerator_id, r.provider,
    r.price_kind, r.terms, r.source_url, r.charged_as_of
