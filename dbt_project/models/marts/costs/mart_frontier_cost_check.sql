-- A second method: cost of known frontier models by Epoch AI (CC BY 4.0) against published accelerator-hours times what
-- an hour costs here. Epoch's cloud cost stands against rent on demand, its amortised hardware and energy against
-- ownership by a hyperscaler.
with

runs as (select * from {{ ref('frontier_training_runs') }}),

prices as (select * from {{ ref('mart_accelerator_hour') }}),

sides as (
    select *, 'rent' as price_basis, 'on_demand' as price_terms, epoch_cloud_usd as epoch_usd from runs
    union all by name
    select *, 'ownership' as price_basis, 'hyperscaler' as price_terms, epoch_amortised_usd as epoch_usd from runs
),

compared as (
    select
        sides.*,
        prices.usd_per_accelerator_hour,
        sides.accelerator_hours * prices.usd_per_accelerator_hour as usd_to_train,
        sides.accelerator_hours * prices.usd_per_accelerator_hour_low as usd_to_train_low,
        sides.accelerator_hours * prices.usd_per_accelerator_hour_high as usd_to_train_high
    from sides
    left join prices
        on sides.accelerator_id = prices.accelerator_id and sides.price_basis = prices.price_basis
        and sides.price_terms = prices.price_terms
)

select
    * exclude (epoch_cloud_usd, epoch_amortised_usd),
    epoch_usd / accelerator_hours as epoch_usd_per_accelerator_hour,
    {{ change_pct('epoch_usd', 'usd_to_train') }} as difference_pct,
    epoch_usd between usd_to_train_low and usd_to_train_high as is_within_range,
    case
        when usd_to_train is null then 'no price of the accelerator on these terms'
        else printf('the hours are the same, the rate differs: Epoch''s cost is $%.2f per published accelerator-hour (%s), ours $%.2f (%s)',
            epoch_usd / accelerator_hours,
            case price_basis
                when 'rent' then 'cloud rates of the training date'
                else 'hardware bought at the training date, written off, and energy'
            end,
            usd_per_accelerator_hour,
            case price_basis when 'rent' then 'price level on demand, now' else 'ownership on its default basis of capital' end)
    end as cause
from compared
