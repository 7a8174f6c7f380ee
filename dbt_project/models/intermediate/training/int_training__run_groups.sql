-- Results that share a log are measurements of one run, whatever their folders are called (Training v4.0: the AC and
-- DC energies of one run are two results). Sharing is followed through: a with b and b with c makes one group.
with recursive

results as (select result_id from {{ ref('stg_mlperf_training__results') }}),

logs as (
    select distinct result_id, log_sha256
    from {{ ref('stg_mlperf_training__runs') }}
    where log_sha256 is not null
),

pairs as (
    select distinct mine.result_id, other.result_id as shares_with
    from logs as mine
    inner join logs as other on mine.log_sha256 = other.log_sha256 and mine.result_id <> other.result_id
),

reached as (
    select result_id, shares_with from pairs
    union
    select reached.result_id, pairs.shares_with
    from reached
    inner join pairs on reached.shares_with = pairs.result_id
),

firsts as (select result_id, min(shares_with) as first_shared from reached group by result_id)

select
    results.result_id,
    least(results.result_id, coalesce(firsts.first_shared, results.result_id)) as run_group_id
from results
left join firsts using (result_id)
