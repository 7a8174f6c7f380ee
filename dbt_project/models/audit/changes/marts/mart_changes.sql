-- One row per figure that is new, gone, moved or corrected in a generation, of this generation and of earlier ones.
{% set subject = subject_columns() %}
with

found as (select * from {{ ref('int_changes__found') }}),

generation as (select * from {{ ref('ops_generation') }}),

-- said before, and handed on from generation to generation
earlier as (select * from {{ ref('stg_accelmart__previous_changes') }}),

changes as (
    select
        generation.generation_id,
        generation.previous_generation_id,
        generation.built_at as changed_at,
        found.kind,
        found.relation,
        found.figure,
        found.subject,
        {% for column in subject -%}
        found.{{ column }},
        {% endfor -%}
        case when found.kind not in ('new_result', 'new_price', 'new_source') then found.value_before end as before,
        case when found.kind not in ('withdrawn_result', 'ended_price', 'vanished_source') then found.value_after end as after,
        case when found.is_same_unit then {{ change_pct('found.value_before', 'found.value_after') }} end as change_pct,
        found.unit,
        found.held_by_before,
        found.held_by_after,
        found.cause,
        concat_ws(', ',
            case found.kind
                when 'new_result' then 'new result'
                when 'withdrawn_result' then 'result withdrawn'
                when 'corrected_result' then 'result corrected'
                when 'new_price' then 'new price'
                when 'ended_price' then 'price ended'
                when 'changed_price' then 'price changed'
                when 'moved_best' then 'best moved'
                when 'moved_figure' then 'figure moved'
                when 'new_source' then 'new source'
                when 'vanished_source' then 'source vanished'
            end || case when found.is_same_unit then '' else ' (and its unit)' end,
            found.submitter, found.provider, found.release, nullif(concat_ws(' ', found.benchmark_id, found.scenario), ''),
            found.instance_type, found.region, found.pricing_model, found.accelerator_id,
            case when found.kind in ('corrected_result', 'moved_best', 'moved_figure') then found.figure end,
            case when found.kind in ('new_price', 'ended_price', 'changed_price', 'new_source', 'vanished_source')
                then found.source end
        ) as description
    from found
    cross join generation
),

kept as (
    select earlier.*
    from earlier
    cross join generation
    where earlier.changed_at >= generation.built_at - interval '{{ var("changes_kept_days") }} days'
    -- whole generations, the newest first: the default frame takes rows of equal rank together
    qualify count(*) over (order by earlier.generation_id desc) <= {{ var('changes_kept_rows') }}
)

select * from changes
union all by name
select * from kept
