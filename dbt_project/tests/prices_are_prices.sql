{{ config(severity = 'error') }}
-- What stands in comparisons is a positive amount of dollars for a known number of known accelerators.
select offer_id, provider, instance_type, usd_per_accelerator_hour, accelerator_count
from {{ ref('fct_price_interval') }}
where is_comparable
    and not coalesce(
        usd_per_accelerator_hour > 0
        and accelerator_count > 0
        and accelerator_id is not null
        and abs(usd_per_instance_hour - usd_per_accelerator_hour * accelerator_count) < 1e-9 * usd_per_instance_hour,
        false
    )
