{{ config(materialized = 'ephemeral') }}
-- Listed prices of tokens: which model, which provider, and the day of a change of price, if one was seen.
with

prices as (
    select *, source as series, '' as terms, 'list' as price_kind from {{ ref('token_market_prices') }}
    union all by name
    select
        source, series, terms, price_kind, provider_published, sold_through, model_published, usd_per_input_mtok,
        usd_per_output_mtok, usd_per_cached_input_mtok, discount_pct, first_seen::date as first_seen, last_seen::date as last_seen,
        exclusion_reason
    from {{ ref('stg_tokens__prices') }}
),

models as (select * from {{ ref('token_market_models') }}),

-- early rows name no provider: it stands before the first slash of the model's name
named as (
    select
        prices.*,
        coalesce(models.model, prices.model_published) as model,
        models.model_id,
        models.is_same_model,
        coalesce(
            lower(prices.provider_published),
            nullif(lower(regexp_extract(prices.model_published, '^([^/]+)/', 1)), '')
        ) as provider_word
    from prices
    left join models on regexp_full_match(prices.model_published, models.name_regex, 'i')
)

select
    named.* exclude (named.provider_word) replace (coalesce(named.sold_through, providers.sold_through) as sold_through),
    coalesce(providers.provider, named.provider_word) as provider,
    coalesce(providers.is_router, false) as is_router,
    max(named.last_seen) over (partition by named.source, named.series) as as_of,
    -- the prices of a series are comparable in time
    case
        when lag(named.usd_per_input_mtok) over listing <> named.usd_per_input_mtok
            or lag(named.usd_per_output_mtok) over listing <> named.usd_per_output_mtok
            then named.first_seen
    end as changed_on,
    lists.licence,
    lists.source_url
from named
left join {{ ref('token_market_providers') }} as providers on named.provider_word = providers.provider_published
left join {{ ref('token_market_lists') }} as lists using (source)
window listing as (
    partition by
        named.source, named.series, named.provider_published, named.model_published, named.terms, named.price_kind
    order by named.first_seen, named.usd_per_input_mtok, named.usd_per_output_mtok
)
