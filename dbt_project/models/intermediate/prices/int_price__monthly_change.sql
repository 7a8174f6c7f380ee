-- One row: how far prices on demand move in a month. The root mean square of the monthly change of ln(index) of each accelerator with an
-- index, accelerators weighted equally.
with

changes as (
    select
        accelerator_id,
        ln(index / lag(index) over in_time) as ln_change,
        date_diff('month', lag(month) over in_time, month) as months
    from {{ ref('mart_price_index') }}
    where pricing_model = 'on_demand' and index > 0
    window in_time as (partition by accelerator_id order by month)
),

by_accelerator as (
    select accelerator_id, {{ mean('ln_change * ln_change') }} as mean_square
    from changes
    where months = 1
    group by accelerator_id
)

select sqrt({{ mean('mean_square') }}) as monthly_change, count(*) as n_accelerators
from by_accelerator
