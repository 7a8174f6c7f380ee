{{ config(severity = 'error', meta = {'dagster': {'ref': {'name': 'ops_reconciliation'}}}) }}
-- Records in = rows + duplicates + merged + rejects + left out, and the rows of the dialect in force all stand in the facts.
with

unbalanced as (
    select release, dialect, 'records in ≠ records out' as problem, records_in as expected,
        rows_out + duplicates + merged + rejects + left_out as found
    from {{ ref('ops_reconciliation') }}
    where not is_balanced
),

facts as (
    select release, dialect, count(*) as n from {{ ref('fct_inference_result') }}
    -- of a tree beside a collection only what that lacks is used: ops_layer_account counts it
    where publication_basis <> 'tree_beside_collection'
    group by all
),

missing as (
    select release, dialect, 'rows parsed ≠ rows in fct_inference_result' as problem,
        sum(reconciled.rows_out)::bigint as expected, any_value(facts.n) as found
    from {{ ref('ops_reconciliation') }} as reconciled
    inner join facts using (release, dialect)
    group by release, dialect
    having sum(reconciled.rows_out) <> any_value(facts.n)
),

untold as (
    select reconciled.release, reconciled.dialect, 'rejects counted ≠ rejects listed' as problem,
        reconciled.rejects as expected, count(rejects.release) as found
    from {{ ref('ops_reconciliation') }} as reconciled
    left join {{ ref('ops_reject') }} as rejects
        on reconciled.release = rejects.release and reconciled.dialect = rejects.dialect
        and reconciled.source = rejects.source and reconciled.payload_key = rejects.payload_key
        and reconciled.payload_sha256 = rejects.payload_sha256 and rejects.severity = 'reject'
    group by
        reconciled.source, reconciled.payload_key, reconciled.payload_sha256, reconciled.release, reconciled.dialect,
        reconciled.rejects
    having reconciled.rejects <> count(rejects.release)
)

select * from unbalanced
union all
select * from missing
union all
select * from untold
