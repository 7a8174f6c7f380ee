-- One row per attribute.
with

figures as (
    select
        *,
        n_sources >= 2 as has_two
    from {{ ref('mart_spec_agreement') }}
    where is_datacenter and agreement <> 'not applicable'
),

counted as (
    select
        attribute,
        count(*) as n_parts,
        count(*) filter (is_unpublished) as n_unpublished,
        count(*) filter (has_two) as n_two_sources,
        count(*) filter (has_two and not is_unpublished) as n_published_two_sources,
        count(*) filter (agreement = 'conflict') as n_conflicts,
        coalesce(list(accelerator_id order by accelerator_id) filter (not has_two), []) as gaps
    from figures
    group by attribute
)

select
    attribute,
    n_parts,
    n_unpublished,
    n_two_sources,
    n_published_two_sources,
    n_conflicts,
    100.0 * n_two_sources / n_parts as two_sources_pct,
    100.0 * n_published_two_sources / nullif(n_parts - n_unpublished, 0) as published_two_sources_pct,
    gaps
from counted
