-- One row: how far prices on demand move in a month. The root mean square of the monthly change of ln(index) of each accelerator with an
-- index, accelerators weighted equally.
with

by_accelerator as (
    select accelerator_id, {{ mean('ln_change * ln_change') }} as mean_square
    from {{ ref('int_price__index_months') }}
    where pricing_model = 'on_demand' and base_month is not null and n_sellers > 0
    group by accelerator_id
)

select sqrt({{ mean('mean_square') }}) as monthly_change, count(*) as n_accelerators
from by_accelerator
