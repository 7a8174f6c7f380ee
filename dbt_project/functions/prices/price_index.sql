select m.* exclude (accelerator_id, pricing_model)
from {{ ref('mart_price_index') }} as m
where m.accelerator_id = {{ function('accelerator_named') }}(accelerator) and m.pricing_model = pricing
order by m.month
