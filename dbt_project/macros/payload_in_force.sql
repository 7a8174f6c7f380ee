{#- Keep the rows of the newest payload of each page or file. A dated payload (ml_hardware@2026-01) belongs to the same
    stream as a live one. -#}
{% macro payload_in_force() -%}
qualify dense_rank() over (
    partition by source, split_part(payload_key, '@', 1)
    order by
        coalesce(
            try_strptime(split_part(payload_key, '@', 2), ['%Y-%m-%d', '%Y-%m'])::timestamp,
            (fetched_at at time zone 'UTC')::timestamp
        ) desc,
        payload_sha256
) = 1
{%- endmacro %}
