{{ config(materialized = 'ephemeral') }}

-- One row per payload or price list, and fact table: the rows before the facts, and those among the facts. Configurations of
-- training are evidence of a result's number format, not facts of their own.
{% for step, layers, dialect, earlier, fact, keys in [
    (3, 'staging → fct_training_result', 'training_results', 'stg_mlperf_training__results', 'fct_training_result', 'release, payload_sha256'),
    (3, 'staging → fct_training_run', 'training_runs', 'stg_mlperf_training__runs', 'fct_training_run', 'release, payload_sha256'),
    (4, 'intervals → fct_price_interval', 'prices', 'int_price__intervals', 'fct_price_interval', 'source, stream'),
    (4, 'staging → fct_serving_point', 'serving', 'stg_serving__points', 'fct_serving_point', 'source, payload_key')
] %}
{%- if not loop.first %}
union all
{%- endif %}
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
