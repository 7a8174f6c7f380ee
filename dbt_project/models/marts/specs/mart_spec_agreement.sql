-- One row per accelerator and attribute.
with

curated as (select * from {{ ref('int_specs__curated') }}),

-- every figure there is of an attribute, one per source, the curated one among them
figures as (
    select accelerator_id, attribute, source, family, value, product_published, value_published, unit_published, source_url
    from {{ ref('int_specs__published') }}

    union all

    select accelerator_id, attribute, source, family, value, product_published, value_published, unit_published, source_url
    from {{ ref('int_specs__second_sources') }}

    union all

    select
        accelerator_id, attribute, 'curated' as source, family, value, accelerator_id as product_published,
        value::varchar as value_published, unit as unit_published, source_url
    from curated
    where value is not null
),

specs as (select accelerator_id, product_name, form_factor from {{ ref('dim_accelerator') }}),

rented as (select distinct accelerator_id from {{ ref('int_price__current') }}),

measured as (
    -- MLCommons' category of research, development and internal systems is of what nobody can buy or rent
    select distinct accelerator_id from {{ ref('fct_inference_result') }}
    where division = 'closed' and suite_published like '%datacenter%' and availability <> 'research'
    union
    select distinct accelerator_id from {{ ref('fct_training_result') }} where division = 'closed'
),

-- rented in a cloud, in a closed datacenter result, or of such a form
datacenter as (
    select
        specs.accelerator_id,
        -- graphics and workstation cards, FPGA cards, boards of the edge: rented and measured, but no datacenter parts
        not regexp_matches(specs.product_name, 'GeForce|Radeon|Arc Pro|Quadro|TITAN|FPGA|Jetson|DGX Spark|Workstation|^RTX (A[0-9]|[0-9]{4})')
        and (
            rented.accelerator_id is not null
            or measured.accelerator_id is not null
            or coalesce(regexp_matches(specs.form_factor, '^(SXM|OAM|Superchip|Board|SH5|PCIe \((NVL|cloud)\))'), false)
        ) as is_datacenter
    from specs
    left join rented using (accelerator_id)
    left join measured using (accelerator_id)
),

known as (select * from {{ ref('accelerator_spec_conflicts') }}),

counted as (
    select
        accelerator_id,
        attribute,
        count(distinct family) as n_sources,
        list_sort(list(distinct family)) as families,
        to_json(list({
            source: source, family: family, value: round(value, 4), published: value_published || ' ' || unit_published,
            product: product_published, url: source_url
        } order by source))::varchar as values_by_source,
        min(value) as value_min,
        max(value) as value_max,
        (max(value) - min(value)) / nullif(min(value), 0) * 100 as spread_pct,
        -- of several that say the same, the curated one is named
        arg_min(source, (value, source <> 'curated', source)) as source_low,
        arg_max(source, (value, source = 'curated', source)) as source_high
    from figures
    group by accelerator_id, attribute
),

-- the curator's reason, where he met one of the two figures
explained as (
    select counted.accelerator_id, counted.attribute, string_agg(distinct known.why, '; ' order by known.why) as known_reason
    from counted
    inner join known on counted.accelerator_id = known.accelerator_id and counted.attribute = known.field
    where
        abs(try_cast(known.value_b as double) / nullif(counted.value_min, 0) - 1) * 100 <= {{ var('spec_conflict_pct') }}
        or abs(try_cast(known.value_b as double) / nullif(counted.value_max, 0) - 1) * 100 <= {{ var('spec_conflict_pct') }}
    group by counted.accelerator_id, counted.attribute
)

select
    curated.accelerator_id,
    curated.attribute,
    curated.unit,
    datacenter.is_datacenter,
    curated.value as curated_value,
    curated.family as curated_family,
    coalesce(counted.n_sources, 0) as n_sources,
    coalesce(len(list_distinct(list_concat(counted.families, curated.recorded))), 0) as n_sources_with_recorded,
    counted.values_by_source,
    counted.value_min,
    counted.value_max,
    counted.spread_pct,
    curated.is_unpublished,
    case
        when curated.is_not_applicable then 'not applicable'
        when counted.n_sources is null then 'none'
        when counted.spread_pct > {{ var('spec_conflict_pct') }} then 'conflict'
        when counted.n_sources = 1 then 'single source'
        else 'agree'
    end as agreement,
    case when counted.spread_pct > {{ var('spec_conflict_pct') }} then counted.source_low end as source_low,
    case when counted.spread_pct > {{ var('spec_conflict_pct') }} then counted.source_high end as source_high,
    explained.known_reason
from curated
left join counted using (accelerator_id, attribute)
left join datacenter using (accelerator_id)
left join explained using (accelerator_id, attribute)
