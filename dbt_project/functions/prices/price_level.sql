select levels.*
from {{ ref('mart_rental_price_level') }} as levels
where (accelerator is null or levels.accelerator_id = {{ function('accelerator_named') }}(accelerator))
    and (pricing is null or levels.pricing_model = pricing)
    and levels.as_of <= coalesce(cast(as_of as date), {{ function('newest_price_day') }}())
qualify levels.as_of = max(levels.as_of) over (partition by levels.pricing_model)
