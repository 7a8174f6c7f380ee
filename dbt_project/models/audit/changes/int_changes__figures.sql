-- One row per figure that generations are compared by, in one form. The next build reads it from the published
-- file. `input_version` hashes the source's own words behind a row: a figure that moves while they stay was moved by us.
with

figures as (
    select * from {{ ref('int_changes__results') }}
    union all by name
    select * exclude (is_comparable) from {{ ref('int_changes__offers') }}
    union all by name
    select * from {{ ref('int_changes__mart_figures') }}
    union all by name
    select * from {{ ref('int_changes__counts') }}
    union all by name
    select * from {{ ref('int_changes__inputs') }}
)

select *
from figures
-- the figures of one subject beside each other: their words are alike, and take a third of the space
order by subject, figure
