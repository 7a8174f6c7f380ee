{{ config(severity = 'warn') }}
-- A payload that failed checks: its round or price list stays at its last good state.
select source, coalesce(release, payload_key) as subject, problem
from {{ ref('ops_isolated_payload') }}
order by all
