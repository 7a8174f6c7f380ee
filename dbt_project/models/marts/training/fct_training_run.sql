-- One row per run of an MLPerf Training round, read from its log.
select * from {{ ref('int_training__runs') }}
