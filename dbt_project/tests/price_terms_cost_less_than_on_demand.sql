-- depends_on: {{ ref('int_price__term_discounts') }}
{{ config(
    fail_calc = 'coalesce(max(share_pct), 0)', warn_if = '> 0', error_if = '> 5',
    meta = {'dagster': {'ref': {'name': 'int_price__term_discounts'}}}
) }}
with newest as (
    select *
    from {{ ref('int_price__term_cases') }}
    qualify as_of = max(as_of) over (partition by pricing_model)
),

inversions as (
    select term.*, 'on demand' as cheaper_under, term.on_demand_usd_per_accelerator_hour as usd_there
    from newest as term
    where term.ratio > 1
    union all
    select term.*, 'reserved_1y', one_year.usd_per_accelerator_hour
    from newest as term
    inner join newest as one_year using (provider, accelerator_id, instance_type, region, variant)
    where term.pricing_model = 'reserved_3y' and one_year.pricing_model = 'reserved_1y'
        and term.usd_per_accelerator_hour > one_year.usd_per_accelerator_hour
)

select
    pricing_model,
    provider,
    accelerator_id,
    instance_type,
    region,
    usd_per_accelerator_hour,
    cheaper_under,
    usd_there,
    term_on,
    100.0 * count(*) over () / (select count(*) from newest) as share_pct
from inversions
