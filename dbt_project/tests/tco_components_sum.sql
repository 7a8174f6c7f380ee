-- The components are the whole, and none of them is negative.
select accelerator_id, scenario_id, usd_per_accelerator_hour
from {{ ref('mart_tco') }}
where not coalesce(
    abs(
        capital_usd_per_accelerator_hour + electricity_usd_per_accelerator_hour + colocation_usd_per_accelerator_hour
        + maintenance_usd_per_accelerator_hour + staff_usd_per_accelerator_hour
        + unavailability_usd_per_accelerator_hour - usd_per_accelerator_hour
    ) < 1e-9
    and least(
        capex_usd_per_accelerator, capital_usd_per_accelerator_hour, electricity_usd_per_accelerator_hour,
        colocation_usd_per_accelerator_hour, maintenance_usd_per_accelerator_hour, staff_usd_per_accelerator_hour,
        unavailability_usd_per_accelerator_hour
    ) >= 0
    and usd_per_accelerator_hour > 0,
    false
)
