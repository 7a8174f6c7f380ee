-- One row: the generation that this file is.
select * from {{ ref('stg_accelmart__build_info') }}
