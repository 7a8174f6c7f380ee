-- What providers ask for tokens, by interval. Of each provider one list price of a model that a benchmark uses counts: of its
-- listings on the newest day of a current list that of the newest list, then the one whose price changed last, else the one that
-- was listed last, its own before another's.
with

listings as (select * from {{ ref('int_token_market__listings') }}),

newest as (select max(as_of) as newest_day from listings),

judged as (
    select
        listings.*,
        case
            when listings.exclusion_reason is not null then listings.exclusion_reason
            when listings.price_kind = 'discounted' then 'a price after the discount of the day'
            when listings.price_kind <> 'list' then 'a price of some hours of the day'
            when listings.provider is null then 'the list names no provider'
            when listings.is_router then 'a router: the price is that of one of its hosts'
            when listings.last_seen < listings.as_of
                or listings.as_of < newest.newest_day - {{ var('price_current_days') }} then 'not listed on the newest day'
            when listings.model_id is null then 'no benchmark uses the model'
        end as reason
    from listings
    cross join newest
),

ordered as (
    select
        judged.*,
        case
            when reason is not null then reason
            when row_number() over (
                partition by model, provider, reason is null
                order by
                    as_of desc, changed_on desc nulls last, first_seen desc, sold_through is not null asc, model_published asc,
                    source asc, series asc, terms asc, last_seen desc, usd_per_output_mtok asc, usd_per_input_mtok asc
            ) > 1 then 'another listing of the same provider is newer'
        end as uncounted_reason
    from judged
)

select
    ordered.model,
    benchmarks.benchmark_id,
    ordered.is_same_model,
    ordered.provider,
    ordered.sold_through,
    ordered.price_kind,
    ordered.terms,
    ordered.usd_per_input_mtok,
    ordered.usd_per_cached_input_mtok,
    ordered.usd_per_output_mtok,
    {{ token_price_per_total_mtok(
        'ordered.usd_per_input_mtok', 'ordered.usd_per_output_mtok', 'benchmarks.mean_input_length', 'benchmarks.mean_output_length'
    ) }} as usd_per_total_mtok,
    ordered.discount_pct,
    ordered.first_seen,
    ordered.last_seen,
    date_diff('day', ordered.first_seen, ordered.last_seen) as days_unchanged,
    ordered.as_of,
    ordered.uncounted_reason,
    ordered.model_published,
    ordered.provider_published,
    ordered.source,
    ordered.series,
    ordered.source_url,
    ordered.licence
from ordered
left join {{ ref('dim_benchmark') }} as benchmarks on ordered.model_id = benchmarks.model_id
