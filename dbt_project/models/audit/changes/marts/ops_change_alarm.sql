-- One row per loss or move against the published generation beyond what is normal. The thresholds: vars in dbt_project.yml.
with

compared as (select * from {{ ref('int_changes__compared') }}),

found as (select * from {{ ref('int_changes__found') }}),

figures as (select relation, figure, count(*) as n_figures from {{ ref('int_changes__figures') }} group by relation, figure),

generation as (select are_changes_accepted from {{ ref('ops_generation') }}),

-- what the operator withdrew, or brought back, since the published generation
withdrawals as (select * from {{ ref('stg_accelmart__holds') }} where action = 'withdraw' and change <> 'kept'),

-- sellers of whose offers some came from a source newly withdrawn
withdrawn_providers as (
    select distinct compared.provider
    from compared
    inner join withdrawals on compared.source_before = withdrawals.source
    where compared.figure = 'hourly_price' and withdrawals.change = 'new'
),

-- rounds and sources with new payloads, and `overrides` where the user's override files changed
new_inputs as (select distinct subject from compared where role = 'input'),

fallen as (
    select
        *,
        coalesce(value_after, 0) as value_now,
        value_before - coalesce(value_after, 0) as lost,
        100 * (value_before - coalesce(value_after, 0)) / value_before as lost_pct
    from compared
    where role = 'count' and value_before > coalesce(value_after, 0)
),

releases as (
    select
        'release_lost_rows' as rule,
        -- a payload that lost rows is isolated before the build; what the same payload lost was lost here
        case
            when exists (
                select 1 from new_inputs
                where new_inputs.subject in (
                    case fallen.relation when 'fct_training_result' then 'training/' else 'inference/' end || fallen.subject,
                    'overrides'
                )
            ) then 'warn'
            when lost_pct > {{ var('alarm_release_lost_pct') }} then 'error'
            else 'warn'
        end as severity,
        *,
        format('{:.0f} of {:.0f} rows of {} are gone', lost, value_before, subject) as problem
    from fallen
    where figure = 'rows_of_release'
),

providers as (
    select
        'provider_lost_offers' as rule,
        -- a list that lost nearly all offers of a seller is isolated before the build
        'warn' as severity,
        *,
        format('{:.0f} of {:.0f} {} of {} are gone', lost, value_before, replace(figure, '_', ' '), subject) as problem
    from fallen
    where figure in ('offers_in_force', 'comparable_offers_in_force')
        and lost_pct >= {{ var('alarm_provider_lost_pct') }}
        and value_before >= {{ var('alarm_provider_floor') }}
),

relations as (
    select
        'relation_lost_rows' as rule,
        case
            -- the user's own assumptions say how many rows there are, and they are others now
            when (input_version_before is distinct from input_version_after) then 'warn'
            when exists (select 1 from new_inputs) then 'warn'
            when lost_pct > {{ var('alarm_relation_gone_pct') }} then 'error'
            else 'warn'
        end as severity,
        *,
        format('{:.0f} of {:.0f} rows of {} are gone', lost, value_before, subject) as problem
    from fallen
    where figure = 'rows' and lost_pct > {{ var('alarm_relation_lost_pct') }}
),

moved as (
    select
        found.*,
        {{ change_pct('found.value_before', 'found.value_after') }} as moved_pct,
        count(*) over (partition by found.relation, found.figure) as n_moved,
        figures.n_figures
    from found
    inner join figures using (relation, figure)
    where found.cause = 'no new input' and found.is_same_unit
        and found.role in ('result', 'best', 'figure')
        and abs({{ change_pct('found.value_before', 'found.value_after') }}) > {{ var('alarm_moved_pct') }}
),

moves as (
    select
        'figure_moved_without_new_input' as rule,
        case
            when exists (select 1 from new_inputs where new_inputs.subject = 'overrides') then 'warn'
            when n_moved >= {{ var('alarm_moved_floor') }}
                and 100.0 * n_moved / n_figures >= {{ var('alarm_moved_share_pct') }} then 'error'
            else 'warn'
        end as severity,
        *,
        format(
            '{} of {} moved by {:+.1f} %, as {} of {} such figures did, and none of what it is made of is new',
            figure, subject, moved_pct, n_moved, n_figures
        ) as problem,
        value_after as value_now,
        -moved_pct as lost_pct
    from moved
),

-- a published figure that a new payload of its round changed: upstream's correction, or a damaged payload
results as (
    select
        'result_moved' as rule,
        'warn' as severity,
        *,
        format('{} of {} is {:.6g} {}, it was {:.6g} {}', figure, subject, value_after, unit, value_before, unit) as problem,
        value_after as value_now,
        -{{ change_pct('value_before', 'value_after') }} as lost_pct
    from found
    where kind = 'corrected_result' and cause = 'new input' and figure in ('result', 'score_minutes', 'power_w')
        and abs({{ change_pct('value_before', 'value_after') }}) > {{ var('alarm_moved_pct') }}
),

alarms as (
    select * from releases
    union all by name
    select * from providers
    union all by name
    select * from relations
    union all by name
    select * from moves
    union all by name
    select * from results
)

select
    alarms.rule,
    case
        -- Whether an alarm follows from what the operator withdrew or brought back: the loss of a withdrawn round, of
        -- offers of a withdrawn price list, and, in the generation that first goes without it or has it again, of rows
        -- and figures of any mart.
        when alarms.severity = 'error' and (generation.are_changes_accepted or case alarms.rule
            when 'release_lost_rows' then exists (
                select 1
                from withdrawals
                where withdrawals.release in ('', alarms.subject)
                    and withdrawals.source like case alarms.relation when 'fct_training_result' then 'mlperf-training%' else 'mlperf-inference%' end
            )
            when 'provider_lost_offers' then
                alarms.subject in (select withdrawn_providers.provider from withdrawn_providers where withdrawn_providers.provider is not null)
                -- without exchange rates any seller can lose comparable offers
                or exists (select 1 from withdrawals where withdrawals.source = 'ecb-reference-rates')
            else exists (select 1 from withdrawals)
        end) then 'accepted'
        else alarms.severity
    end as severity,
    alarms.relation,
    alarms.figure,
    alarms.subject,
    alarms.value_before as before,
    alarms.value_now as after,
    -alarms.lost_pct as change_pct,
    alarms.unit,
    alarms.problem,
    case alarms.rule
        when 'figure_moved_without_new_input' then 'look at what changed in the project: a formula, a mapping, a seed'
        else 'look at the payload that came last (accelmart status) and at its rejects (ops_reject)'
    end || '; if it is meant: accelmart build --accept-changes' as remedy
from alarms
cross join generation
