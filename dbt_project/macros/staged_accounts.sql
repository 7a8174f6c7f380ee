{#- The account of every parsed part, and what was left out of it: the same columns for every suite. -#}
{% macro staged_reconciliation(table) -%}
with

source as (select * from {{ source('raw', table) }})

select
    source, release, dialect, payload_key, payload_url, payload_sha256, payload_bytes, licence, parser_version, fetched_at,
    records_in, rows_out, duplicates, merged, rejects, remarks,
    -- parts parsed before there was such a count have none
    coalesce(left_out, 0) as left_out
from source
{%- endmacro %}

{% macro staged_rejects(table) -%}
with

source as (select * from {{ source('raw', table) }})

select
    source, release, dialect, payload_key, severity, payload as payload_member, record as payload_record, problem,
    remedy, payload_sha256, fetched_at
from source
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
