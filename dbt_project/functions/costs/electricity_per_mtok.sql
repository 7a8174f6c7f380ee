select r.*
from {{ function('electricity_of_tokens') }}(
    [{{ function('benchmark_named') }}(model)], string_split(trim(cast(places as varchar), '[]'), ','), scenario, pricing
) as r
order by r.kwh_per_output_mtok, r.accelerator_id, r.kg_co2e_per_kwh, r.place
