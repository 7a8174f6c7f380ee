{{ config(meta = {'dagster': {'ref': {'name': 'energy_constants'}}}) }}
select asked.name
from (
    values ('{{ var("energy_pue_constant") }}'), ('us_household_kwh'), ('joules_per_kwh'),
        ('us_electricity_price_industrial')
) as asked (name)
where asked.name not in (select constants.constant_id from {{ ref('energy_constants') }} as constants)
union all
select '{{ var("energy_grid") }}'
where '{{ var("energy_grid") }}' not in (select grid_id from {{ ref('grid_intensity') }})
union all
select asked.name
from (
    values ('weight_bytes'), ('gradient_bytes'), ('optimiser_bytes'), ('creation_hardware_pct'), ('creation_staff_pct'),
        ('creation_power_pct'), ('gpu_share_of_hardware_pct'), ('hardware_life_years')
) as asked (name)
where asked.name not in (select of_constants.constant_id from {{ ref('estimate_constants') }} as of_constants)
union all
select 'shares of creation make ' || sum(value)
from {{ ref('estimate_constants') }} where constant_id like 'creation\_%\_pct' escape '\'
having sum(value) <> 100
