{{ config(meta = {'dagster': {'ref': {'name': 'findings'}}}) }}
select finding_id, claim_id
from (select finding_id, unnest({{ listed('claim_ids') }}) as claim_id from {{ ref('findings') }})
where claim_id not in (select claims.claim_id from {{ ref('claims') }})
