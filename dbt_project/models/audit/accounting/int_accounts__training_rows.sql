{{ config(materialized = 'ephemeral') }}

-- One row per payload of MLPerf Training and kind of its rows: how many staging holds.
{% for dialect, model in {
    'training_runs': 'stg_mlperf_training__runs',
    'training_results': 'stg_mlperf_training__results',
    'training_formats': 'stg_mlperf_training__configurations',
}.items() %}
{%- if not loop.first %}
union all
{% endif -%}
select source, release, '{{ dialect }}' as dialect, payload_sha256, count(*) as n
from {{ ref(model) }}
group by all
{% endfor %}