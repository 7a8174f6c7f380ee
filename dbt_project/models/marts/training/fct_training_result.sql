-- One row per benchmark of a system of an MLPerf Training round.
select * from {{ ref('int_training__scores') }}
