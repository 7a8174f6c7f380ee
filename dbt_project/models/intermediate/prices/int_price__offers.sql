{{ config(materialized = 'ephemeral') }}
-- Ephemeral: int_price__checked keeps what it finds.
-- Every interval with what it is a price of: seller, accelerator, country, dollars. Without the texts that only prove it.
with

intervals as (
    select * exclude (
        price_published, price_min, price_max, vcpus, memory_gb, last_poll, ended_because,
        source_url, payload_key, payload_url, payload_sha256, payload_member, payload_record, licence, parser_version
    )
    from {{ ref('int_price__intervals') }}
),

-- a purchase option is one of a parser's words or several, joined by ", "
options as (
    select words.purchase_option, arg_min(meanings.comparability, meanings.priority) as comparability
    from (select distinct purchase_option from intervals where purchase_option is not null) as words
    inner join {{ ref('purchase_option_comparability') }} as meanings
        on list_contains(string_split(words.purchase_option, ', '), meanings.purchase_option)
    group by words.purchase_option
),

identified as (
    select
        intervals.*,
        options.comparability as option_comparability,
        providers.provider,
        providers.is_override as is_provider_override,
        instance_types.accelerator_id,
        instance_types.mapping_rule,
        instance_types.mapping_basis,
        instance_types.is_contradicted,
        instance_types.is_override as is_instance_type_override,
        instance_types.accelerator_id_by_words,
        -- per-accelerator prices without a stated size are prices of one
        case
            when instance_types.mapping_rule in ('fraction', 'no_id', 'unmapped') then instance_types.accelerator_count_of_type
            else coalesce(
                instance_types.accelerator_count_of_type,
                intervals.accelerator_count,
                case when intervals.price_unit = 'accelerator_hour' then 1 end
            )
        end as accelerators,
        instance_types.accelerator_count_of_type,
        -- a price per accelerator may leave open how many the machine has
        coalesce(instance_types.accelerator_count_of_type, intervals.accelerator_count) is not null as is_size_stated,
        specs.node_accelerators,
        countries.country,
        coalesce(countries.is_override, false) as is_region_override,
        coalesce(countries.is_known, intervals.region is null) as is_region_known
    from intervals
    left join options using (purchase_option)
    left join {{ ref('int_price__providers') }} as providers using (source, provider_published)
    left join {{ ref('int_price__instance_types') }} as instance_types
        on providers.provider = instance_types.provider
        and intervals.instance_type = instance_types.instance_type
        and intervals.accelerator_published is not distinct from instance_types.accelerator_published
        and intervals.accelerator_memory_gb is not distinct from instance_types.accelerator_memory_gb
    left join {{ ref('stg_reference__accelerator_specs') }} as specs on instance_types.accelerator_id = specs.accelerator_id
    left join {{ ref('int_price__countries') }} as countries
        on providers.provider = countries.provider and intervals.region = countries.region
),

quoted as (
    select rate_date, currency, per_eur from {{ ref('stg_prices__exchange_rates') }}
    union all
    select distinct rate_date, 'EUR', 1.0 from {{ ref('stg_prices__exchange_rates') }}
),

dollars as (select rate_date, per_eur as usd_per_eur from quoted where currency = 'USD'),

-- a currency that the ECB no longer quotes (RUB since March 2022) has no rate from then on: its last one would be years old
ends as (
    select currency, max(rate_date) + 7 as rate_date
    from quoted
    group by currency
    having max(rate_date) + 7 < (select max(dollars.rate_date) from dollars)
),

-- dollars for one unit of a currency on a day, from the ECB's rates against the euro
usd_rates as (
    select
        quoted.rate_date,
        quoted.currency,
        dollars.usd_per_eur / quoted.per_eur as usd_per_unit
    from quoted
    inner join dollars using (rate_date)
    union all
    select rate_date, currency, null from ends
),

-- the last rate on or before the day the price was last seen
exchanged as (
    select
        identified.*,
        case when identified.currency = 'USD' then 1.0 else rates.usd_per_unit end as usd_per_unit,
        case when identified.currency <> 'USD' then rates.rate_date end as usd_rate_date
    from identified
    asof left join usd_rates as rates
        on identified.currency = rates.currency
        and cast(identified.last_seen_at as date) >= rates.rate_date
)

select
    * exclude (node_accelerators),
    -- a part that is only built into nodes is rented from a node
    case
        when is_size_stated then 'stated'
        when node_accelerators is not null then 'assumed'
        else 'unknown'
    end as size_basis,
    case when is_size_stated then accelerators else coalesce(node_accelerators, accelerators) end as machine_accelerators,
    -- a purchase is no price of an hour
    case
        when price_unit = 'accelerator' then null
        when price_unit = 'instance_hour' then hourly_price * usd_per_unit
        else hourly_price * accelerators * usd_per_unit
    end as usd_per_instance_hour,
    case
        when price_unit = 'accelerator' then null
        when price_unit = 'accelerator_hour' then hourly_price * usd_per_unit
        else hourly_price * usd_per_unit / nullif(accelerators, 0)
    end as usd_per_accelerator_hour
from exchanged
