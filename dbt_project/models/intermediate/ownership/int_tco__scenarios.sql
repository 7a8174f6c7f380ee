{{ config(materialized = 'ephemeral') }}
-- The scenarios in force, a column each parameter.
with

assumptions as (select * from {{ ref('int_tco__assumptions') }})

select
    scenario_id,
    any_value(based_on) as based_on,
    {{ parameter_columns(tco_parameters()) }},
    bool_or(is_overridden) as is_overridden,
    string_agg('scenario/' || scenario_id || '/' || parameter, ',' order by parameter) as assumption_ids
from assumptions
group by scenario_id
