-- The figures in which this generation and the published one differ: one row per figure, both sides beside each other.
{% set subject = subject_columns() %}
with

now as (select * from {{ ref('int_changes__figures') }}),

earlier as (select * from {{ ref('stg_accelmart__previous_figures') }}),

-- what only one of the two is compared by (the project changed) says nothing
comparable as (
    select distinct relation, figure from earlier
    intersect
    select distinct relation, figure from now
),

pairs as (
    select
        coalesce(now.role, earlier.role) as role,
        relation,
        figure,
        subject,
        coalesce(now.is_primary, earlier.is_primary, false) as is_primary,
        earlier.subject is not null as is_before,
        now.subject is not null as is_after,
        {% for column in subject -%}
        coalesce(now.{{ column }}, earlier.{{ column }}) as {{ column }},
        {% endfor -%}
        earlier.accelerator_id as accelerator_id_before,
        earlier.source as source_before,
        coalesce(now.unit, earlier.unit) as unit,
        coalesce(now.unit, earlier.unit) = coalesce(earlier.unit, now.unit) as is_same_unit,
        earlier.value as value_before,
        now.value as value_after,
        earlier.held_by as held_by_before,
        now.held_by as held_by_after,
        coalesce(now.input_scope, earlier.input_scope) as input_scope,
        earlier.input_version as input_version_before,
        now.input_version as input_version_after
    from (select now.* from now semi join comparable using (relation, figure)) as now
    full join (select earlier.* from earlier semi join comparable using (relation, figure)) as earlier
        using (relation, figure, subject)
),

compared as (
    select
        *,
        -- by more than the order of additions in floating point
        coalesce(
            abs(value_after - value_before) > 1e-9 * greatest(abs(value_before), abs(value_after)),
            value_before is distinct from value_after
        ) as is_other_value
    from pairs
)

select *
from compared
where not (is_before and is_after)
    or is_other_value
    or not is_same_unit
    or input_version_before is distinct from input_version_after
    or (is_primary and accelerator_id_before is distinct from accelerator_id)
