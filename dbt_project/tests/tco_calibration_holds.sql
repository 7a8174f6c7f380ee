-- depends_on: {{ ref('int_tco__capex') }}
{{ config(meta = {'dagster': {'ref': {'name': 'int_tco__capex'}}}) }}
with costs as (
    select
        max(usd_per_accelerator_hour) filter (accelerator_id = 'nvidia-h100-sxm-80gb') as h100,
        max(usd_per_accelerator_hour) filter (accelerator_id = 'nvidia-gb200-186gb') as gb200
    from {{ ref('int_tco__published_rates') }}
    where tier = 'hyperscaler' and price_level = '2025-08'
)

select *, gb200 / h100 as ratio
from costs
where not coalesce(h100 between 1.42 * 0.95 and 1.42 * 1.05 and gb200 / h100 between 1.6 * 0.95 and 1.6 * 1.05, false)
