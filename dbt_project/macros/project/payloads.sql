{#- The rows of a raw table of each domain: `rejects`, or `reconciliation` (the account of every parsed payload). A price list is
    polled again and again: what counts is what its last payload holds. -#}
{% macro rows_of_active_payloads(kind) -%}
    {%- for domain in ['mlperf_inference', 'mlperf_training', 'price', 'spec', 'serving'] %}
    select * from {{ source('raw', domain ~ '_' ~ kind) }}
    {%- if domain == 'price' %}
    qualify fetched_at = max(fetched_at) over (partition by source, payload_key)
    {%- endif %}
    {%- if not loop.last %}
    union all by name
    {%- endif %}
    {%- endfor %}
{%- endmacro %}

{#- The list that a payload is of: the part of its key before the date (`<key>@<date>`). -#}
{% macro stream_of(payload_key) -%}
    split_part({{ payload_key }}, '@', 1)
{%- endmacro %}

{#- Whether a row is of the newest payload of its stream: a dated payload (`<key>@<date>`) is as old as its date. -#}
{% macro is_newest_of_stream() -%}
    dense_rank() over (
        partition by source, {{ stream_of('payload_key') }}
        order by
            coalesce(
                try_strptime(split_part(payload_key, '@', 2), ['%Y-%m-%d', '%Y-%m'])::timestamp,
                (fetched_at at time zone 'UTC')::timestamp
            ) desc,
            payload_sha256
    ) = 1
{%- endmacro %}
