{#- Age and size of offers: which of them may stand in a ranking or a headline. -#}

{#- A moment in UTC, without a zone. The time zone of the reader's session does not change it, and DuckDB in a browser, which
    has no extension ICU, knows it too. -#}
{% macro in_utc(moment) -%} make_timestamp(epoch_us({{ moment }})) {%- endmacro %}

{#- The day in UTC of a moment. -#}
{% macro utc_day(moment) -%} cast({{ in_utc(moment) }} as date) {%- endmacro %}

{#- Last moment of a day, in UTC. -#}
{% macro end_of_day(day) -%} (cast({{ day }} as timestamp) + interval 1 day - interval 1 microsecond) {%- endmacro %}

{#- Day of the newest comparable price that began until a moment. -#}
{% macro newest_price_on(intervals, until) -%}
    (
        select {{ utc_day('max(last_seen_at)') }}
        from {{ intervals }}
        where is_comparable and valid_from <= {{ until }}
    )
{%- endmacro %}

{#- Bytes of one weight in a number format; null for mixed and unknown formats. -#}
{% macro bytes_per_weight(number_format) -%}
    case
        when {{ number_format }} in ('fp4', 'mxfp4', 'int4', 'uint4') then 0.5
        when {{ number_format }} in ('fp8', 'int8') then 1
        when {{ number_format }} in ('fp16', 'bf16') then 2
        when {{ number_format }} in ('tf32', 'fp32') then 4
    end
{%- endmacro %}

{#- The formats whose bytes are known. -#}
{% macro weight_formats() -%} fp4, mxfp4, int4, uint4, fp8, int8, fp16, bf16, tf32, fp32 {%- endmacro %}

{#- Bytes that hold a model: the weights and a fifth more; at 16 bits where the number format is not known. -#}
{% macro bytes_to_hold(parameters, number_format) -%}
    ({{ parameters }} * coalesce({{ bytes_per_weight(number_format) }}, 2) * 1.2)
{%- endmacro %}

{#- Whether a machine holds the bytes of a model: fits, too_small or unknown. Where the size of the
    machine is neither stated nor that of the node which the part is built into, one accelerator is counted, and a model that needs more is unknown. Where the number format is
    not known, a machine fits that holds the weights at 16 bits: token models are served at that or less. -#}
{% macro offer_fit(parameters, number_format, accelerators, is_size_stated, memory_gb) -%}
    case
        when {{ parameters }} * {{ memory_gb }} is null then 'unknown'
        when {{ bytes_to_hold(parameters, number_format) }} <= {{ accelerators }} * {{ memory_gb }} * 1e9 then 'fits'
        when {{ bytes_per_weight(number_format) }} is not null and coalesce({{ is_size_stated }}, false) then 'too_small'
        else 'unknown'
    end
{%- endmacro %}

{#- Words beside a cost of tokens whose prices are of fewer accelerators than were measured: how many of the prices, of how
    many accelerators, and the size of the measured system. Null where no price is. `sizes` is a list, one entry a price. -#}
{% macro size_note(sizes, measured, what='price') -%}
    -- the smaller sizes once, as the only element of a list: DuckDB plans an expression again wherever it is written
    [
        case
            when len(smaller) > 0
                then concat(
                    case
                        when len(smaller) < len({{ sizes }})
                            then format('{:d} of {:d} {{ what }}s are', len(smaller), len({{ sizes }}))
                        else '{{ what }}'
                    end,
                    format(' of {:g}', list_min(smaller)::double),
                    case
                        when list_min(smaller) < list_max(smaller)
                            then format(' to {:g}', list_max(smaller)::double)
                    end,
                    case when list_max(smaller) > 1 then ' accelerators' else ' accelerator' end,
                    format('; measured on {:d}', {{ measured }}::bigint)
                )
        end
        for smaller in [[size for size in {{ sizes }} if size < {{ measured }}]]
    ][1]
{%- endmacro %}

{#- Why a price is too old to stand for a seller; null where it is not. -#}
{% macro old_price_reason(standing) -%}
    case {{ standing }}
        when 'undated' then 'the day of the price is not known'
        when 'old' then 'the price was last seen more than {{ var('price_recent_days') }} days before'
    end
{%- endmacro %}

{#- Why an offer `o` of current_prices has no place in a ranking of prices, so is never called the cheapest; null where it has one. -#}
{% macro unranked_reason(o) -%}
    coalesce(
        {{ old_price_reason(o ~ '.price_standing') }},
        {{ out_of_level_reason(o ~ '.days_before', o ~ '.provider', o ~ '.vote', o ~ '.segment', o ~ '.pricing_model') }},
        case when {{ price_tier(o ~ '.variant') }} <> 'standard' then 'machines of private hosts, as on a marketplace' end
    )
{%- endmacro %}

{#- Why no seller gives a cost, from how many sellers there are: with a recent offer that holds the model, with any price,
    with a recent price, and with a recent offer that may hold it. Null where there is one. -#}
{% macro no_price_reason(n_sellers, n_priced, n_seen, n_recent) -%}
    case
        when {{ n_sellers }} > 0 then null
        when {{ n_priced }} is null then 'no price of this accelerator under this pricing model'
        when {{ n_seen }} = 0
            then 'every price is undated or was last seen more than {{ var('price_recent_days') }} days before'
        when {{ n_recent }} = 0 then 'the model fits into none of the machines with a recent price'
        else 'the size of the machine or the number format is not stated'
    end
{%- endmacro %}

{#- Whether a row of token_costs counts among the sellers of a headline if its machine fits: its price is recent. -#}
{% macro has_usable_price(c) -%}
    ({{ c }}.apart_reason is null and {{ old_price_reason(c ~ '.price_standing') }} is null and {{ c }}.fit <> 'too_small')
{%- endmacro %}

{#- Of each result group, seller and pricing model the cheapest offer that is recent and holds the model; where there is
    none, the cheapest that is recent and may hold it; else the cheapest. `offers` are prices in force. With `is_per_region`
    the cheapest of each of the seller's regions. -#}
{% macro token_costs(throughput, offers, specs, is_per_region=false) -%}
    with offered as (
        select
            t.benchmark_id,
            t.benchmark_version,
            t.scenario,
            t.release,
            t.accelerator_id,
            t.availability,
            o.provider,
            o.pricing_model,
            t.number_format,
            t.output_tokens_per_s_per_accelerator,
            o.usd_per_accelerator_hour,
            {{ usd_per_output_mtok('o.usd_per_accelerator_hour', 't.output_tokens_per_s_per_accelerator') }}
                as usd_per_output_mtok,
            {{ usd_per_output_mtok('o.usd_per_accelerator_hour', 't.output_tokens_per_s_per_accelerator_median') }}
                as usd_per_output_mtok_at_median_throughput,
            case when t.n_results > 1 then
                {{ usd_per_output_mtok('o.usd_per_accelerator_hour', 't.output_tokens_per_s_per_accelerator') }}
            end as usd_per_output_mtok_low,
            case when t.n_results > 1 then
                {{ usd_per_output_mtok('o.usd_per_accelerator_hour', 't.output_tokens_per_s_per_accelerator_min') }}
            end as usd_per_output_mtok_high,
            case when t.n_results > 1 then 'spread of results' else 'one result' end as uncertainty_basis,
            t.n_results,
            t.n_submitters,
            t.is_representative,
            t.apart_reason,
            t.is_round_incomplete,
            t.result_id,
            t.submission_id,
            t.submitter,
            t.system_name,
            t.accelerator_count as result_accelerator_count,
            t.source_url as result_source_url,
            o.offer_id,
            o.instance_type,
            o.region,
            o.country,
            o.machine_accelerators as instance_accelerator_count,
            o.valid_from as price_valid_from,
            o.last_seen_at as price_observed_at,
            o.observed_precision as price_observed_precision,
            o.age_days as price_age_days,
            o.price_as_of,
            o.days_before as price_days_before,
            o.price_standing,
            o.size_basis,
            {{ offer_fit('t.model_parameters', 't.number_format', 'o.machine_accelerators', "o.size_basis = 'stated'", 's.memory_gb') }}
                as fit,
            o.machine_accelerators < t.accelerator_count as is_smaller_than_measured,
            {{ size_note('[o.machine_accelerators]', 't.accelerator_count') }} as size_note,
            o.is_unusual,
            o.vote,
            {{ unranked_reason('o') }} as unranked_reason,
            o.source as price_source,
            o.source_url as price_source_url,
            o.payload_sha256 as price_payload_sha256,
            o.payload_member as price_payload_member,
            o.payload_record as price_payload_record
        from {{ throughput }} as t
        inner join {{ offers }} as o using (accelerator_id)
        left join {{ specs }} as s on t.accelerator_id = s.accelerator_id
    ),

    reasoned as (
        select
            offered.*,
            coalesce(
                offered.apart_reason,
                case when offered.fit = 'too_small' then 'the model does not fit into the machine' end,
                offered.unranked_reason
            ) as rank_reason
        from offered
    )

    select reasoned.* exclude (unranked_reason)
    from reasoned
    qualify row_number() over (
        partition by
            reasoned.benchmark_id, reasoned.scenario, reasoned.release, reasoned.accelerator_id, reasoned.availability,
            reasoned.provider, reasoned.pricing_model{% if is_per_region %}, reasoned.region, reasoned.country{% endif %}
        order by
            not {{ has_usable_price('reasoned') }}, reasoned.fit <> 'fits', reasoned.rank_reason is not null,
            reasoned.usd_per_accelerator_hour, reasoned.offer_id
    ) = 1
{%- endmacro %}

{#- One figure per result group and pricing model: at the price level of the accelerator; beside it the median over sellers, each
    with its cheapest fitting recent offer. `levels` are the rows of mart_rental_price_level that hold on the day. -#}
{% macro cost_headlines(throughput, costs, levels) -%}
    with keys as (
        select t.benchmark_id, t.scenario, t.release, t.accelerator_id, t.availability, 'on_demand' as pricing_model
        from {{ throughput }} as t
        union
        select c.benchmark_id, c.scenario, c.release, c.accelerator_id, c.availability, c.pricing_model
        from {{ costs }} as c
    ),

    counted as (
        select
            c.benchmark_id,
            c.scenario,
            c.release,
            c.accelerator_id,
            c.availability,
            c.pricing_model,
            count(*) filter (c.does_count) as n_sellers,
            count(*) as n_sellers_priced,
            count(*) filter (c.is_usable) as n_sellers_recent,
            count(*) filter (c.price_standing in ('current', 'recent')) as n_sellers_seen,
            count(*) filter (c.does_count and c.size_basis = 'assumed') as n_sellers_of_assumed_size,
            min(c.usd_per_output_mtok) filter (c.does_count) as usd_per_output_mtok_low,
            median(c.usd_per_output_mtok) filter (c.does_count) as usd_per_output_mtok_median,
            max(c.usd_per_output_mtok) filter (c.does_count) as usd_per_output_mtok_high,
            min(c.usd_per_output_mtok) filter (c.does_count and c.rank_reason is null) as usd_per_output_mtok_cheapest,
            arg_min(c.offer_id, (c.usd_per_output_mtok, c.offer_id)) filter (c.does_count and c.rank_reason is null) as cheapest_offer_id,
            arg_min(c.provider, (c.usd_per_output_mtok, c.offer_id)) filter (c.does_count and c.rank_reason is null) as cheapest_provider,
            median(c.usd_per_accelerator_hour) filter (c.does_count)
                as usd_per_accelerator_hour_median,
            min({{ utc_day('c.price_observed_at') }}) filter (c.does_count) as oldest_price_on,
            max(c.price_days_before) filter (c.does_count) as oldest_price_days_before,
            bool_or(c.is_smaller_than_measured) filter (c.does_count) as is_smaller_than_measured,
            list(c.instance_accelerator_count) filter (c.does_count) as sizes,
            any_value(c.result_accelerator_count) as result_accelerator_count,
            max({{ utc_day('c.price_observed_at') }}) as newest_price_on,
            any_value(c.price_as_of) as price_as_of
        from (
            -- who sells on another's machines at that one's prices is no second seller
            select
                costs.*,
                {{ has_usable_price('costs') }} as is_usable,
                is_usable and costs.fit = 'fits' as does_count
            from {{ costs }} as costs
            qualify row_number() over (
                partition by
                    costs.benchmark_id, costs.scenario, costs.release, costs.accelerator_id, costs.availability,
                    costs.pricing_model, costs.vote
                order by
                    not is_usable, costs.fit <> 'fits', costs.rank_reason is not null, costs.usd_per_accelerator_hour, costs.offer_id
            ) = 1
        ) as c
        group by c.benchmark_id, c.scenario, c.release, c.accelerator_id, c.availability, c.pricing_model
    )

    select
        k.benchmark_id,
        t.benchmark_version,
        k.scenario,
        k.release,
        k.accelerator_id,
        k.availability,
        k.pricing_model,
        t.is_representative,
        t.is_best_of_accelerator,
        t.apart_reason,
        t.number_format,
        t.is_round_incomplete,
        t.output_tokens_per_s_per_accelerator,
        t.submitter,
        t.n_results,
        t.n_submitters,
        t.result_id,
        t.newest_release,
        t.newest_release_median,
        t.newest_release_n_results,
        {{ usd_per_output_mtok('l.usd_per_accelerator_hour', 't.output_tokens_per_s_per_accelerator') }}
            as usd_per_output_mtok_at_level,
        {{ usd_per_output_mtok('l.usd_per_accelerator_hour_low', 't.output_tokens_per_s_per_accelerator') }}
            as usd_per_output_mtok_at_level_low,
        {{ usd_per_output_mtok('l.usd_per_accelerator_hour_high', 't.output_tokens_per_s_per_accelerator') }}
            as usd_per_output_mtok_at_level_high,
        l.usd_per_accelerator_hour as usd_per_accelerator_hour_at_level,
        l.usd_per_accelerator_hour_low as usd_per_accelerator_hour_at_level_low,
        l.usd_per_accelerator_hour_high as usd_per_accelerator_hour_at_level_high,
        l.n_sellers as n_sellers_of_level,
        l.rests_on_few_sellers,
        l.uncertainty_basis as level_uncertainty_basis,
        case when l.is_moved_since_oldest then l.moved_since_oldest_pct end as level_moved_since_oldest_pct,
        case
            when t.apart_reason is not null then t.apart_reason
            when l.accelerator_id is null then 'no price of this accelerator under this pricing model'
            else l.reason
        end as level_reason,
        coalesce(n.n_sellers, 0) as n_sellers,
        coalesce(n.n_sellers_of_assumed_size, 0) as n_sellers_of_assumed_size,
        case when n.n_sellers > 1 then n.usd_per_output_mtok_low end as usd_per_output_mtok_low,
        n.usd_per_output_mtok_median,
        case when n.n_sellers > 1 then n.usd_per_output_mtok_high end as usd_per_output_mtok_high,
        case when n.n_sellers > 1 then 'spread of sellers' when n.n_sellers = 1 then 'one seller' end as uncertainty_basis,
        n.usd_per_accelerator_hour_median,
        n.usd_per_output_mtok_cheapest,
        n.cheapest_offer_id,
        n.cheapest_provider,
        -- a price that held before and after the day was not seen later than on it
        case when n.oldest_price_on is not null then least(n.oldest_price_on, n.price_as_of) end as oldest_price_on,
        n.oldest_price_days_before,
        least(n.newest_price_on, n.price_as_of) as newest_price_on,
        n.price_as_of,
        n.result_accelerator_count,
        n.is_smaller_than_measured,
        coalesce(len([size for size in n.sizes if size < n.result_accelerator_count]), 0) as n_sellers_smaller,
        {{ size_note('n.sizes', 'n.result_accelerator_count') }} as size_note,
        coalesce(
            t.apart_reason,
            {{ no_price_reason('n.n_sellers', 'n.n_sellers_priced', 'n.n_sellers_seen', 'n.n_sellers_recent') }}
        ) as reason
    from keys as k
    inner join {{ throughput }} as t using (benchmark_id, scenario, release, accelerator_id, availability)
    left join counted as n using (benchmark_id, scenario, release, accelerator_id, availability, pricing_model)
    -- what is listed apart has no headline
    left join {{ levels }} as l
        on k.accelerator_id = l.accelerator_id and k.pricing_model = l.pricing_model and t.apart_reason is null
{%- endmacro %}

{#- Whether a round of dim_release was published by a day; a round of an unknown day is newer than the newest one with a day. -#}
{% macro is_round_published(releases, as_of) -%}
    (
        {{ as_of }} is null or cast({{ releases }}.published_on as date) <= cast({{ as_of }} as date)
        or ({{ releases }}.published_on is null and cast({{ as_of }} as date) >= {{ function('newest_price_day') }}())
    )
{%- endmacro %}

{#- Comparable prices in force at the end of a day, of sellers that one can buy from. Their standing is undated where the day is known to
    the year only. -#}
{% macro current_prices(offers, providers, day) -%}
    -- once, in a table of one row: DuckDB plans an expression again wherever it is written
    with moments as (
        select {{ end_of_day(day) }} as moment
    ),

    offers as (
        select
            offers.*,
            providers.segment,
            {{ seller_vote('offers.provider', 'providers.resells') }} as vote,
            moments.moment,
            least({{ in_utc('offers.last_seen_at') }}, moments.moment) as seen_at
        from {{ offers }} as offers
        inner join {{ providers }} as providers using (provider)
        cross join moments
        where offers.is_comparable
            and providers.segment <> 'aggregate'
            and {{ in_utc('offers.valid_from') }} <= moments.moment
            and (offers.valid_to is null or {{ in_utc('offers.valid_to') }} > moments.moment)
    )

    select
        offers.* exclude (moment, seen_at),
        cast(offers.moment as date) as price_as_of,
        date_diff('day', cast(offers.seen_at as date), cast(offers.moment as date)) as days_before,
        case
            when offers.observed_precision = 'year' then 'undated'
            when offers.seen_at >= offers.moment - to_days({{ var('price_current_days') }} + 1) then 'current'
            when offers.seen_at >= offers.moment - to_days({{ var('price_recent_days') }} + 1) then 'recent'
            else 'old'
        end as price_standing
    from offers
{%- endmacro %}

{#- Order of offers within a region: sellers there; those with one price for all their sites, of which some are there;
    hyperscalers, whose prices are several times those of the others. Without a region all are alike. -#}
{% macro region_tier(region, segment, are_all_inside) -%}
    case
        when {{ region }} is null then 1
        when {{ segment }} = 'hyperscaler' then 3
        when not {{ are_all_inside }} then 2
        else 1
    end
{%- endmacro %}
