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
        sum(accounts.rows_out)::bigint as expected, any_value(facts.n) as found
    from {{ ref('ops_reconciliation') }} as accounts
    inner join facts using (release, dialect)
    group by release, dialect
    having sum(accounts.rows_out) <> any_value(facts.n)
),

untold as (
    select accounts.release, accounts.dialect, 'rejects counted ≠ rejects listed' as problem,
        accounts.rejects as expected, count(rejects.release) as found
    from {{ ref('ops_reconciliation') }} as accounts
    left join {{ ref('ops_reject') }} as rejects
        on accounts.release = rejects.release and accounts.dialect = rejects.dialect
        and accounts.source = rejects.source and accounts.payload_key = rejects.payload_key
        and accounts.payload_sha256 = rejects.payload_sha256 and rejects.severity = 'reject'
    group by
        accounts.source, accounts.payload_key, accounts.payload_sha256, accounts.release, accounts.dialect,
        accounts.rejects
    having accounts.rejects <> count(rejects.release)
)

select * from unbalanced
union all
select * from missing
union all
select * from untold
