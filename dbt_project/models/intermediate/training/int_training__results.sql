-- One row per benchmark of a system of a training round with its keys: benchmark, accelerator, run; and why it has no figure per
-- accelerator. Results that share a log are measurements of one run, whatever their folders are called (Training v4.0: the AC and
-- DC energies of one run are two results). Sharing is followed through: a with b and b with c makes one group.
with recursive

logs as (
    select distinct results.result_id, runs.log_sha256
    from {{ ref('stg_mlperf_training__runs') }} as runs
    inner join {{ ref('int_training__active') }} as results on runs.result_id = results.staged_id and runs.source is not distinct from results.source
    where runs.log_sha256 is not null
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

firsts as (select result_id, min(shares_with) as first_shared from reached group by result_id),

systems as (
    select
        results.* replace ({{ possible_count('results.accelerator_count') }} as accelerator_count),
        benchmarks.benchmark_id,
        accelerators.accelerator_id,
        accelerators.is_name_absent,
        accelerators.is_mixed,
        accelerators.candidates,
        coalesce(regexp_matches(results.accelerator_name_published, (
            select string_agg(variants.pattern, '|')
            from {{ ref('accelerator_variants') }} as variants
            where variants.variant = 'partitioned' and variants.field = 'accelerator_name_published'
        ), 'i'), false) as is_partitioned,
        accelerators.is_override as is_accelerator_override,
        least(results.result_id, coalesce(firsts.first_shared, results.result_id)) as run_group_id,
        -- a product beyond 64 bits has no accelerator_count
        case when {{ is_impossible_count('results.number_of_nodes::hugeint * results.accelerators_per_node') }}
                or {{ is_impossible_count('results.accelerator_count') }}
            then 'impossible' end as accelerator_count_basis
    from {{ ref('int_training__active') }} as results
    inner join {{ ref('int_training__benchmarks') }} as benchmarks using (release, benchmark_published)
    left join {{ ref('int_mlperf__accelerators') }} as accelerators on {{ is_of_system('accelerators', 'results') }}
    left join firsts on results.result_id = firsts.result_id
)

select
    * exclude (is_name_absent, is_mixed, is_partitioned, candidates, accelerator_count_basis),
    case
        {{ reasons_of_system() }}
        when is_partitioned then 'a slice of an accelerator (MIG)'
        {{ reasons_of_count() }}
    end as invalid_reason
from systems
