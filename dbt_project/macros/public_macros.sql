{#- Comparable prices in force at a moment. Where several sources tell a seller's price of an accelerator, one speaks: the
    freshest, and among those equally fresh the seller's own list before catalogs and collections. -#}
{% macro prices_in_force(offers, providers, at) -%}
    with offers as (
        select offers.*, providers.segment, least(offers.last_seen_at, {{ at }}) as seen_at
        from {{ offers }} as offers
        inner join {{ providers }} as providers using (provider)
        where offers.is_comparable
            and providers.segment <> 'aggregate'
            and offers.valid_from <= {{ at }}
            and (offers.valid_to is null or offers.valid_to > {{ at }})
    ),

    sources as (
        select accelerator_id, provider, pricing_model, source, source_rank, max(seen_at) as source_seen_at
        from offers
        group by accelerator_id, provider, pricing_model, source, source_rank
    ),

    fresh as (
        select
            *,
            max(source_seen_at) over (partition by accelerator_id, provider, pricing_model) - source_seen_at
            <= to_days({{ var('price_freshness_days') }}) as is_fresh
        from sources
    ),

    speaking as (
        select accelerator_id, provider, pricing_model, source
        from fresh
        where is_fresh
        qualify row_number() over (
            partition by accelerator_id, provider, pricing_model
            order by source_rank, source_seen_at desc, source
        ) = 1
    )

    select offers.* exclude (seen_at)
    from offers
    inner join speaking using (accelerator_id, provider, pricing_model, source)
{%- endmacro %}

{#- Questions people ask again and again, as macros in the published file. -#}
{% macro create_price_on() -%}
    create or replace macro main.price_on(day) as table (
        {{ prices_in_force('fct_price_interval', 'dim_provider', "(cast(day as timestamptz) + interval 1 day - interval 1 microsecond)") }}
    )
{%- endmacro %}

{% macro create_usd_per_output_mtok() -%}
    create or replace macro main.usd_per_output_mtok(usd_per_accelerator_hour, output_tokens_per_s_per_accelerator) as (
        {{ usd_per_output_mtok('usd_per_accelerator_hour', 'output_tokens_per_s_per_accelerator') }}
    )
{%- endmacro %}
