{{ config(materialized = 'ephemeral') }}

-- One row per payload or price list, and fact table: the rows before the facts, and those among the facts. A round of inference
-- stands in the facts as one dialect publishes it; of a tree beside it, only the results that the publication lacks.
with

staged as (
    select source, release, dialect, payload_key, payload_sha256, count(*) as n
    from {{ ref('stg_mlperf_inference__results') }}
    group by all
),

facts as (
    select release, dialect, payload_sha256, count(*) as n from {{ ref('fct_inference_result') }} group by all
),

tree_only as (select release, payload_sha256, count(*) as n from {{ ref('int_inference__tree_only') }} group by all),

paired as (
    select
        staged.*,
        coalesce(facts.n, 0) as n_facts,
        used.dialect as dialect_used,
        used.dialect <> staged.dialect as is_other_dialect,
        case when used.dialect <> staged.dialect and staged.dialect = 'raw_tree' then coalesce(tree_only.n, 0) else 0 end as n_tree_only
    from staged
    left join facts using (release, dialect, payload_sha256)
    left join tree_only on staged.release = tree_only.release and staged.payload_sha256 = tree_only.payload_sha256
    left join {{ ref('int_inference__dialects') }} as used on staged.release = used.release
)

select
    {{ account_step(
        3, "'staging → fct_inference_result'", 'n', 'n_facts', 'case when is_other_dialect then n - n_tree_only else 0 end',
        "case when is_other_dialect then dialect_used || ' is used for the round' else '' end
    || case when n_tree_only > 0 then ', which lacks ' || n_tree_only || ' results of the tree' else '' end",
        release='release', payload_key='payload_key'
    ) }}
from paired

-- configurations of training are evidence of a result's number format, not facts of their own
{% for step, layers, dialect, earlier, fact, keys in [
    (3, 'staging → fct_training_result', 'training_results', 'stg_mlperf_training__results', 'fct_training_result', 'release, payload_sha256'),
    (3, 'staging → fct_training_run', 'training_runs', 'stg_mlperf_training__runs', 'fct_training_run', 'release, payload_sha256'),
    (4, 'intervals → fct_price_interval', 'prices', 'int_price__intervals', 'fct_price_interval', 'source, stream'),
    (4, 'staging → fct_serving_point', 'serving', 'stg_serving__points', 'fct_serving_point', 'source, payload_key')
] %}
union all
select
    {{ account_step(
        step, "'" ~ layers ~ "'", 'earlier.n', 'coalesce(facts.n, 0)',
        source='earlier.source',
        release='earlier.release' if 'release' in keys else "''",
        dialect="'" ~ dialect ~ "'",
        payload_key='earlier.' ~ keys.split(', ')[1] if 'source' in keys else "''"
    ) }}
from (select source, {{ keys | replace('source, ', '') }}, count(*) as n from {{ ref(earlier) }} group by all) as earlier
left join (select {{ keys }}, count(*) as n from {{ ref(fact) }} group by all) as facts using ({{ keys }})
{% endfor %}
