-- One row per seller, pricing model, group of accelerators by memory and day of the level.
with

fits as (
    select *, {{ no_estimate_reason('ln_margin', 'df') }} as reason
    from {{ ref('int_price__level_fits') }}
    where kind = 'seller'
),

sellers as (select * from {{ ref('dim_provider') }} where {{ is_mapped('provider') }})

select
    fits.key as provider,
    sellers.segment,
    fits.pricing_model,
    fits.memory_group,
    cast(fits.as_of as date) as as_of,
    case when fits.reason is null then exp(fits.ln_level) end as factor,
    case when fits.reason is null then exp(fits.ln_level - fits.ln_margin) end as factor_low,
    case when fits.reason is null then exp(fits.ln_level + fits.ln_margin) end as factor_high,
    fits.n as n_accelerators,
    fits.far as far_accelerators,
    case
        when fits.reason is not null then null
        when fits.ln_margin is null then 'prices in one proportion: no range'
        else 'fit over sellers of several accelerators'
    end as uncertainty_basis,
    fits.reason
from fits
inner join sellers on fits.key = sellers.provider
