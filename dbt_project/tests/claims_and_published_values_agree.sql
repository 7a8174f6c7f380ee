{{ config(meta = {'dagster': {'ref': {'name': 'mart_claim_check'}}}) }}
with

claims as (
    select
        claim_id as row_id,
        source_url,
        claimed_value as published,
        measured_value as recomputed,
        case
            when verdict = 'holds' then 'confirmed'
            when verdict in ('overstated', 'understated', 'refuted') then 'denied'
            when verdict = 'no data' then 'no data'
            else 'open'
        end as says,
        scale,
        concat_ws('/', metric, subject_accelerator_id, baseline_accelerator_id, workload, scale) as quantity
    from {{ ref('mart_claim_check') }}
),

published as (
    select
        value_id as row_id,
        source_url,
        printed_value as published,
        ours as recomputed,
        cast(null as double) as scale,
        claim_id,
        case
            when ours is null then 'open'
            when cause in ('agrees', 'rounding') then 'confirmed'
            else 'denied'
        end as says
    from {{ ref('mart_published_values') }}
    where kind in ('ratio', 'share')
    union all
    select
        row_id,
        source_url,
        theirs as published,
        case when own_basis = 'measured' then own_value end as recomputed,
        try_cast(gpus as double) as scale,
        null as claim_id,
        case
            when (own_basis is distinct from 'measured') then 'open'
            when reproduced = 'yes' then 'confirmed'
            else 'denied'
        end as says
    from {{ ref('mart_published_tables') }}
),

counted as (select *, count(*) over (partition by source_url, published) as n_equal from published),

pairs as (
    select a.row_id, a.says, a.recomputed, b.row_id as other_row_id, b.says as other_says, b.recomputed as other_recomputed
    from claims as a
    inner join counted as b
        on coalesce(a.row_id = b.claim_id, a.source_url = b.source_url and a.published = b.published and b.n_equal = 1)
        and coalesce(a.scale = b.scale, true)
    union all
    select a.row_id, a.says, a.recomputed, b.row_id as other_row_id, b.says as other_says, b.recomputed as other_recomputed
    from claims as a
    inner join claims as b
        on a.quantity = b.quantity and a.row_id < b.row_id and abs(a.published / b.published - 1) <= 0.01
)

select *
from pairs
where (says = 'confirmed' and other_says = 'denied') or (says = 'denied' and other_says = 'confirmed')
    or (says = 'no data' and other_recomputed is not null)
    or abs(recomputed / other_recomputed - 1) > 0.01
