with

-- rents are of today, so that capex is the default of each owner
owned as (select * from {{ ref('mart_tco') }} where is_default),

rented as (
    select * from {{ ref('mart_price_current') }}
    -- a statistic over sellers is nothing one can rent
    where segment is distinct from 'aggregate'
),

levels as (
    {{ levels_on(ref('mart_rental_price_level'), "'infinity'::date") }}
),

compared as (
    select
        owned.accelerator_id,
        owned.scenario_id,
        rented.provider,
        rented.segment,
        rented.pricing_model,
        owned.usd_per_accelerator_hour as owned_usd_per_accelerator_hour,
        owned.usd_per_accelerator_hour_low as owned_usd_per_accelerator_hour_low,
        owned.usd_per_accelerator_hour_high as owned_usd_per_accelerator_hour_high,
        rented.usd_per_accelerator_hour_min as rented_usd_per_accelerator_hour_min,
        rented.usd_per_accelerator_hour_median as rented_usd_per_accelerator_hour_median,
        {{ break_even_utilisation_pct('owned.usd_per_accelerator_hour', 'rented.usd_per_accelerator_hour_min') }}
            as break_even_utilisation_pct,
        {{ break_even_utilisation_pct('owned.usd_per_accelerator_hour', 'rented.usd_per_accelerator_hour_median') }}
            as break_even_utilisation_pct_at_median_rent,
        levels.usd_per_accelerator_hour as level_usd_per_accelerator_hour,
        levels.usd_per_accelerator_hour_low as level_usd_per_accelerator_hour_low,
        levels.usd_per_accelerator_hour_high as level_usd_per_accelerator_hour_high,
        {{ break_even_utilisation_pct('owned.usd_per_accelerator_hour', 'levels.usd_per_accelerator_hour') }}
            as break_even_utilisation_pct_at_level,
        {{ break_even_utilisation_pct('owned.usd_per_accelerator_hour_low', 'rented.usd_per_accelerator_hour_min') }}
            as break_even_utilisation_pct_low,
        {{ break_even_utilisation_pct('owned.usd_per_accelerator_hour_high', 'rented.usd_per_accelerator_hour_min') }}
            as break_even_utilisation_pct_high,
        owned.uncertainty_basis,
        owned.capex_usd_per_accelerator,
        owned.running_usd_per_accelerator_hour,
        owned.utilisation_pct,
        owned.availability_pct,
        owned.depreciation_years * 12 as depreciation_months,
        owned.capex_basis,
        owned.is_default,
        owned.price_level,
        owned.reason,
        owned.is_overridden,
        rented.observed_at as price_observed_at,
        rented.age_days as price_age_days,
        rented.observed_precision as price_observed_precision,
        rented.price_as_of,
        rented.best_days_before as price_days_before,
        rented.price_standing,
        rented.rank_reason,
        rented.n_offers,
        rented.best_offer_id as offer_id,
        rented.best_source_url as price_source_url
    from owned
    inner join rented using (accelerator_id)
    left join levels using (accelerator_id, pricing_model)
),

-- an owned accelerator replaces rented hours only while it is up
months as (
    select
        *,
        {{ months_to_break_even('capex_usd_per_accelerator', 'rented_usd_per_accelerator_hour_min',
            'availability_pct', 'running_usd_per_accelerator_hour') }} as months_to_break_even_at_full_use,
        {{ months_to_break_even('capex_usd_per_accelerator', 'rented_usd_per_accelerator_hour_min',
            '(utilisation_pct * availability_pct / 100)', 'running_usd_per_accelerator_hour') }} as months_to_break_even
    from compared
)

select
    *,
    coalesce(months_to_break_even <= depreciation_months, false) as does_pay_back_within_depreciation,
    case
        when break_even_utilisation_pct <= utilisation_pct then 'own'
        when break_even_utilisation_pct <= 100 then 'own above the break-even utilisation'
        else 'rent'
    end as cheaper
from months
