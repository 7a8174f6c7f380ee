-- What providers ask for tokens of the models that benchmarks use, by interval. One price of each provider counts: of its
-- listings on the newest day the one whose price changed last, else the one that was listed last, its own before another's.
with

listings as (select * from {{ ref('int_token_market__listings') }}),

newest as (select max(last_seen) as as_of from listings),

judged as (
    select
        listings.*,
        newest.as_of,
        case
            when listings.exclusion_reason is not null then listings.exclusion_reason
            when listings.provider is null then 'the list names no provider'
            when listings.is_router then 'a router: the price is that of one of its hosts'
            when listings.last_seen < newest.as_of then 'not listed on the newest day'
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
                    changed_on desc nulls last, first_seen desc, sold_through is not null asc, model_published asc, source asc
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
    ordered.usd_per_input_mtok,
    ordered.usd_per_output_mtok,
    ordered.first_seen,
    ordered.last_seen,
    date_diff('day', ordered.first_seen, ordered.last_seen) as days_unchanged,
    ordered.as_of,
    ordered.uncounted_reason,
    ordered.model_published,
    ordered.provider_published,
    ordered.source,
    ordered.source_url,
    ordered.licence
from ordered
inner join {{ ref('dim_benchmark') }} as benchmarks using (model_id)
