{{ config(severity = 'error', meta = {'dagster': {'ref': {'name': 'ops_reconciliation'}}}) }}
with

unbalanced as (
    select release, dialect, 'records in ≠ records out' as problem, records_in as expected,
        rows_out + duplicates + merged + rejects + out_of_scope as found
    from {{ ref('ops_reconciliation') }}
    where not is_balanced
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
select * from untold
