{{ config(materialized = 'ephemeral') }}
-- One row: the hash of the ownership assumptions that the user overrides.
select md5(coalesce(string_agg(overrides::varchar, '/' order by overrides::varchar), '')) as version
from {{ ref('stg_tco__overrides') }} as overrides
