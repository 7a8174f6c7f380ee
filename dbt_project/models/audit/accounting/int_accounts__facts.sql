{{ config(materialized = 'ephemeral') }}

-- One row per payload or price list, and fact table: the rows before the facts, and those among the facts. Of the forms that hold a
-- round of MLPerf each result is used once: int_mlperf__forms says why the others are not. And one row per round and dialect of MLPerf
-- Inference, per price list, and per payload of measured serving: the facts, and those that can be compared (results with a figure per
-- accelerator, comparable prices, points that frontiers are made of).
with

staged as (
    select 'inference' as suite_kind, source, release, dialect, payload_key, payload_sha256, count(*) as n
    from {{ ref('stg_mlperf_inference__results') }}
    group by all
    union all by name
    select 'training' as suite_kind, source, release, dialect, payload_sha256, count(*) as n
    from {{ ref('stg_mlperf_training__results') }}
    group by all
),

facts as (
    select 'inference' as suite_kind, release, dialect, payload_sha256, count(*) as n
    from {{ ref('fct_inference_result') }}
    group by all
    union all by name
    select
        'training' as suite_kind, release, payload_sha256, count(*) as n,
        case
            when starts_with(publication_basis, 'collection') then 'training_collection'
            when starts_with(publication_basis, 'read_singly') then 'training_read_singly'
            else 'training_results'
        end as dialect
    from {{ ref('fct_training_result') }}
    group by all
),

counted as (
    select suite_kind, release, dialect, payload_sha256, exclusion_reason, count(*) as n
    from {{ ref('int_mlperf__forms') }}
    where exclusion_reason is not null
    group by all
),

excluded as (
    select
        suite_kind, release, dialect, payload_sha256, sum(n) as n,
        string_agg(n || ' ' || exclusion_reason, ', ' order by exclusion_reason) as reasons
    from counted
    group by suite_kind, release, dialect, payload_sha256
),

runs as (
    select
        runs.source, runs.release, runs.payload_sha256, count(*) as n, count(forms.exclusion_reason) as n_excluded,
        coalesce(string_agg(distinct forms.exclusion_reason, ', ' order by forms.exclusion_reason), '') as reasons
    from {{ ref('stg_mlperf_training__runs') }} as runs
    left join {{ ref('int_mlperf__forms') }} as forms
        on runs.source is not distinct from forms.source and runs.result_id = forms.staged_id
    group by all
),

points as (
    select
        *,
        coalesce(exclusion_reason, case when not is_newest_run then 'a newer run of the configuration' end) as reason
    from {{ ref('fct_serving_point') }}
)

select
    {{ account_step(
        3, "'staging → fct_' || staged.suite_kind || '_result'", 'staged.n', 'coalesce(facts.n, 0)', 'coalesce(excluded.n, 0)',
        "coalesce(excluded.reasons, '')",
        source='staged.source', release='staged.release', dialect='staged.dialect', payload_key="coalesce(staged.payload_key, '')"
    ) }}
from staged
left join facts using (suite_kind, release, dialect, payload_sha256)
left join excluded using (suite_kind, release, dialect, payload_sha256)
union all
select
    {{ account_step(
        3, "'staging → fct_training_run'", 'runs.n', 'coalesce(facts.n, 0)', 'runs.n_excluded', 'runs.reasons',
        source='runs.source', release='runs.release', dialect="'training_runs'"
    ) }}
from runs
left join (
    select release, payload_sha256, count(*) as n from {{ ref('fct_training_run') }} group by all
) as facts using (release, payload_sha256)

-- configurations of training are evidence of a result's number format, not facts of their own
{% for step, layers, dialect, earlier, fact, keys in [
    (4, 'intervals → fct_price_interval', 'prices', 'int_price__intervals', 'fct_price_interval', 'source, stream'),
    (4, 'staging → fct_serving_point', 'serving', 'stg_serving__points', 'fct_serving_point', 'source, payload_key')
] %}
union all
select
    {{ account_step(
        step, "'" ~ layers ~ "'", 'earlier.n', 'coalesce(facts.n, 0)',
        source='earlier.source', dialect="'" ~ dialect ~ "'", payload_key='earlier.' ~ keys.split(', ')[1]
    ) }}
from (select source, {{ keys | replace('source, ', '') }}, count(*) as n from {{ ref(earlier) }} group by all) as earlier
left join (select {{ keys }}, count(*) as n from {{ ref(fact) }} group by all) as facts using ({{ keys }})
{% endfor %}

union all
select
    {{ account_step(
        5, "'fct_inference_result → per accelerator'", 'count(*)', 'count(throughput_per_accelerator)', 'count(invalid_reason)',
        "coalesce(string_agg(distinct invalid_reason, ', ' order by invalid_reason), '')",
        source="'mlperf-inference'", release='release'
    ) }}
from {{ ref('fct_inference_result') }}
group by release, dialect

union all
select
    {{ account_step(
        5, "'fct_price_interval → comparable'", 'count(*)', 'count(*) filter (is_comparable)', 'count(exclusion_reason)',
        "coalesce(string_agg(distinct exclusion_reason, ', ' order by exclusion_reason), '')",
        dialect="'prices'", payload_key='stream'
    ) }}
from {{ ref('fct_price_interval') }}
group by source, stream

union all
select
    {{ account_step(
        5, "'fct_serving_point → frontiers'", 'count(*)', 'count(*) filter (is_newest_run and exclusion_reason is null)',
        'count(reason)', "coalesce(string_agg(distinct reason, ', ' order by reason), '')",
        dialect="'serving'", payload_key='payload_key'
    ) }}
from points
group by source, payload_key
