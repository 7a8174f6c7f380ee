{{ config(materialized = 'ephemeral') }}
-- One row: the hash of the ownership assumptions that the user overrides.
select md5(coalesce(string_agg(cast(stg_tco__overrides as varchar), '/' order by cast(stg_tco__overrides as varchar)), '')) as version
from {{ ref('stg_tco__overrides') }}
