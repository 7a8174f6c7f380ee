{{ config(materialized = 'ephemeral') }}

-- One row per price list: its intervals, and those whose prices can be compared.
select
    {{ account_step(
        5, "'fct_price_interval → comparable'", 'count(*)', 'count(*) filter (is_comparable)', 'count(exclusion_reason)',
        "coalesce(string_agg(distinct exclusion_reason, ', ' order by exclusion_reason), '')",
        dialect="'prices'", payload_key='stream'
    ) }}
from {{ ref('fct_price_interval') }}
group by source, stream
