-- Cost of training to a benchmark's target, and of a million trained tokens: accelerator-hours of closed results times
-- what an hour costs, rented (price level) and owned. Low: fewest hours at the low end of the price; high: most hours at its high end;
-- neither where there is one effort at a price without a range.
with

-- results of one run count once
runs as (
    select * from {{ ref('fct_training_result') }}
    where division = 'closed' and {{ trained_to_target() }}
    qualify row_number() over (partition by run_group_id, benchmark_id order by result_id) = 1
),

efforts as (
    select
        release,
        benchmark_id,
        benchmark_version,
        accelerator_id,
        availability,
        accelerator_count,
        number_format,
        number_format_basis,
        bool_or(is_round_incomplete) as is_round_incomplete,
        count(*) as n_results,
        median(accelerator_hours) as accelerator_hours,
        min(accelerator_hours) as accelerator_hours_low,
        max(accelerator_hours) as accelerator_hours_high,
        median(trained_tokens_per_s_per_accelerator) as tokens_per_s,
        min(trained_tokens_per_s_per_accelerator) as tokens_per_s_low,
        max(trained_tokens_per_s_per_accelerator) as tokens_per_s_high,
        arg_min(result_id, (accelerator_hours, result_id)) as best_result_id
    from runs
    group by
        release, benchmark_id, benchmark_version, accelerator_id, availability, accelerator_count, number_format,
        number_format_basis
),

prices as (select * from {{ ref('mart_accelerator_hour') }}),

-- every effort has a row for rent on demand and one for ownership, priced or not
paired as (
    select efforts.*, prices.* exclude (prices.accelerator_id)
    from efforts
    inner join prices on efforts.accelerator_id = prices.accelerator_id

    union all by name

    select efforts.*, missing.price_basis, missing.price_terms
    from efforts
    cross join (values ('rent', 'on_demand'), ('ownership', '{{ var('default_owner') }}')) as missing (price_basis, price_terms)
    where not exists (
        select 1 from prices
        where prices.accelerator_id = efforts.accelerator_id and prices.price_basis = missing.price_basis
            and prices.price_terms = missing.price_terms
    )
),

priced as (
    select
        *,
        accelerator_hours_low < accelerator_hours_high as is_hours_ranged,
        usd_per_accelerator_hour_low is not null as is_price_ranged,
        coalesce(usd_per_accelerator_hour_low, usd_per_accelerator_hour) as usd_low,
        coalesce(usd_per_accelerator_hour_high, usd_per_accelerator_hour) as usd_high
    from paired
)

select
    * exclude (is_hours_ranged, is_price_ranged, usd_low, usd_high, tokens_per_s, tokens_per_s_low, tokens_per_s_high) replace (
        case when is_hours_ranged then accelerator_hours_low end as accelerator_hours_low,
        case when is_hours_ranged then accelerator_hours_high end as accelerator_hours_high
    ),
    accelerator_hours * usd_per_accelerator_hour as usd_to_train,
    case when is_hours_ranged or is_price_ranged then accelerator_hours_low * usd_low end
        as usd_to_train_low,
    case when is_hours_ranged or is_price_ranged then accelerator_hours_high * usd_high end
        as usd_to_train_high,
    {{ usd_per_trained_mtok('usd_per_accelerator_hour', 'tokens_per_s') }} as usd_per_trained_mtok,
    case when is_hours_ranged or is_price_ranged then {{ usd_per_trained_mtok('usd_low', 'tokens_per_s_high') }} end
        as usd_per_trained_mtok_low,
    case when is_hours_ranged or is_price_ranged then {{ usd_per_trained_mtok('usd_high', 'tokens_per_s_low') }} end
        as usd_per_trained_mtok_high,
    coalesce(nullif(concat_ws(' and ',
        case when is_hours_ranged then 'spread of results' end,
        case when is_price_ranged
            then case
                when price_basis <> 'rent' then 'range of the ownership cost'
                when starts_with(rent_basis, 'list price') then 'range of list prices over regions'
                else 'range of the price level'
            end end
    ), ''), case when usd_per_accelerator_hour is not null then 'one result, and a price without a range' end) as uncertainty_basis,
    case when usd_per_accelerator_hour is null then
        case price_basis
            when 'rent' then 'no ' || replace(price_terms, '_', ' ') || ' price seen in the last 180 days of prices'
            else 'no ownership cost in the scenario'
        end
    end as reason
from priced
