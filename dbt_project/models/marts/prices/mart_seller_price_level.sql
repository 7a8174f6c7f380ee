-- One row per seller, pricing model, group of accelerators by memory and day of the level.
with

fits as (select * from {{ ref('int_price__level_fits') }} where kind = 'seller'),

sellers as (select * from {{ ref('dim_provider') }} where {{ is_mapped('provider') }})

select
    fits.key as provider,
    sellers.segment,
    fits.pricing_model,
    fits.memory_group,
    cast(fits.as_of as date) as as_of,
    exp(fits.ln_level) as factor,
    exp(fits.ln_level - fits.ln_margin) as factor_low,
    exp(fits.ln_level + fits.ln_margin) as factor_high,
    fits.n as n_accelerators,
    fits.far as far_accelerators,
    case when fits.ln_margin is null then 'no degree of freedom, or prices in one proportion: no range' else 'fit over sellers of several accelerators' end
        as uncertainty_basis
from fits
inner join sellers on fits.key = sellers.provider
