-- Reference rates of the ECB, each day and currency once: the last payload that names it.
select
    cast(date as date) as rate_date, currency, per_eur, source, payload_url, payload_sha256, member as payload_member,
    record as payload_record,
    count(*) over (partition by cast(date as date), currency) as n_named
from {{ source('raw', 'exchange_rates') }}
qualify row_number() over (partition by cast(date as date), currency order by fetched_at desc, payload_sha256 asc) = 1
