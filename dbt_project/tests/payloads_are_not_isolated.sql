{{ config(severity = 'warn') }}
select source, coalesce(release, payload_key) as subject, problem
from {{ ref('ops_isolated_payload') }}
order by all
