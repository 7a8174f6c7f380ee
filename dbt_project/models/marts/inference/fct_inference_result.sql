-- One row per published MLPerf Inference result.
select * from {{ ref('int_inference__results') }}
