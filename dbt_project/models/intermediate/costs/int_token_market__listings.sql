{{ config(materialized = 'ephemeral') }}
-- Listed prices of models that benchmarks use: which model, which provider, and the day of a change of price, if one was seen.
with

prices as (select * from {{ ref('token_market_prices') }}),

models as (select * from {{ ref('token_market_models') }}),

-- early rows name no provider: it stands before the first slash of the model's name
named as (
    select
        prices.*,
        models.model,
        models.model_id,
        models.is_same_model,
        coalesce(
            lower(prices.provider_published),
            nullif(lower(regexp_extract(prices.model_published, '^([^/]+)/', 1)), '')
        ) as provider_word
    from prices
    inner join models on regexp_full_match(prices.model_published, models.name_regex, 'i')
)

select
    named.* exclude (named.provider_word),
    coalesce(providers.provider, named.provider_word) as provider,
    providers.sold_through,
    coalesce(providers.is_router, false) as is_router,
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
    partition by named.source, named.provider_published, named.model_published order by named.first_seen
)
