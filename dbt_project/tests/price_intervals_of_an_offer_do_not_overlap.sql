{{ config(severity = 'error') }}
with

neighbours as (
    select
        offer_id, stream, valid_from, valid_to, last_seen_at,
        lead(valid_from) over (partition by offer_id, stream order by valid_from) as next_valid_from
    from {{ ref('fct_price_interval') }}
)

select offer_id, stream, valid_from, valid_to, next_valid_from
from neighbours
where valid_to <= valid_from
    or last_seen_at < valid_from
    or last_seen_at >= valid_to
    or (next_valid_from is not null and (valid_to is null or valid_to > next_valid_from))
