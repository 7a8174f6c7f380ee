-- One row per seller and day of the level, from the prices on demand of accelerators with HBM.
with

fits as (
    select
        *,
        case
            when df < {{ var('price_level_degrees') }} then 'few_degrees'
            when {{ is_range_too_wide('ln_margin') }} then 'too_uncertain'
        end as reason_code
    from {{ ref('int_price__level_fits') }}
    where kind = 'seller'
),

sellers as (select * from {{ ref('dim_provider') }} where {{ is_mapped('provider') }})

select
    fits.key as provider,
    sellers.segment,
    'on_demand' as pricing_model,
    cast(fits.as_of as date) as as_of,
    case when fits.reason_code is null then exp(fits.ln_level) end as factor,
    case when fits.reason_code is null then exp(fits.ln_level - fits.ln_margin) end as factor_low,
    case when fits.reason_code is null then exp(fits.ln_level + fits.ln_margin) end as factor_high,
    fits.n as n_accelerators,
    fits.far as far_accelerators,
    case
        when fits.reason_code is not null then null
        when fits.ln_margin is null then 'prices in one proportion: no range'
        else 'fit over sellers of several accelerators'
    end as uncertainty_basis,
    {{ price_level_reason('fits.reason_code') }} as reason
from fits
inner join sellers on fits.key = sellers.provider
