with

parameters as (select * from {{ ref('tco_scenarios') }})

select scenario_id, count(distinct parameter) as parameters, 'parameters are missing' as problem
from parameters
group by scenario_id
having count(distinct parameter) <> {{ tco_parameters() | length }}

union all

select scenario_id, 1 as parameters, parameter || ' is ' || value as problem
from parameters
where value < 0
    or (parameter = 'pue' and value < 1)
    or (parameter like '%_pct%' and value > 100)
    or (parameter in ('availability_pct', 'utilisation_pct', 'goodput_pct', 'depreciation_years') and value <= 0)
