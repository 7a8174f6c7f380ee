-- How far modelled power was off at the wall: each metered system, once with the error of the model taken from the other systems, and
-- once from systems of other accelerators alone.
with

systems as (
    select
        checks.accelerator_id,
        checks.system_id,
        max(releases.published_on) as measured_on,
        any_value(checks.all_in_watts_per_accelerator) as all_in_watts,
        median(checks.error_pct) as error_pct,
        median(checks.measured_watts_per_accelerator) as measured_watts
    from {{ ref('int_energy__model_checks') }} as checks
    left join {{ ref('mlperf_releases') }} as releases using (suite_kind, release)
    where checks.is_counted and checks.is_preferred_model
    group by checks.accelerator_id, checks.system_id
),

-- the error of the model over systems of other accelerators
others as (
    select
        mine.accelerator_id,
        median(rest.error_pct) as error_pct,
        min(rest.error_pct) as error_pct_low,
        max(rest.error_pct) as error_pct_high
    from (select distinct systems.accelerator_id from systems) as mine
    inner join systems as rest on mine.accelerator_id <> rest.accelerator_id
    group by mine.accelerator_id
),

estimates as (
    select
        'each system' as held_out,
        systems.*,
        modelled.watts_per_accelerator as watts,
        modelled.watts_per_accelerator_low as watts_low,
        modelled.watts_per_accelerator_high as watts_high
    from systems
    inner join {{ ref('int_energy__modelled_watts') }} as modelled
        on systems.accelerator_id = modelled.accelerator_id and systems.system_id = modelled.without_system_id and modelled.is_preferred
    union all
    select
        'each accelerator' as held_out,
        systems.*,
        {{ corrected_by_error('systems.all_in_watts', 'others.error_pct') }} as watts,
        {{ corrected_by_error('systems.all_in_watts', 'others.error_pct_high') }} as watts_low,
        {{ corrected_by_error('systems.all_in_watts', 'others.error_pct_low') }} as watts_high
    from systems
    inner join others using (accelerator_id)
),

cases as (
    select
        'modelled power' as estimator,
        case held_out when 'each system' then 'power of a system at the wall' else 'power of an accelerator never metered' end as case_kind,
        held_out,
        measured_on as case_on,
        accelerator_id as vote,
        ln(measured_watts / watts) as error,
        measured_watts between watts_low and watts_high as is_inside,
        ln(watts_high / watts_low) as ln_width
    from estimates
)

{{ calibration_of('cases') }}
