{{ config(materialized = 'ephemeral') }}

-- One row per price list: the rows of the payloads that its last fetch shows, and the offers that the intervals show then. Of a
-- list that dates its rows, the rows of earlier days and those that another row of the same moment replaces are excluded. And one row
-- per source of exchange rates: the rows of its payloads, and the days and currencies in staging.
with

last_fetches as (select source, stream, max(poll) as poll from {{ ref('stg_prices__polls') }} group by source, stream),

-- the payloads that were in force at the last fetch of each list
payloads as (
    select
        observations.source, observations.stream, observations.payload_key, observations.payload_sha256, observations.is_dated,
        observations.has_dated_rows, observations.observed_at
    from {{ ref('stg_prices__observations') }} as observations
    inner join last_fetches
        on observations.source = last_fetches.source and observations.stream = last_fetches.stream
        and observations.last_poll = last_fetches.poll
),

accounts as (select *, {{ stream_of('payload_key') }} as stream from {{ ref('stg_prices__accounts') }}),

parsed as (
    select source, stream, sum(accounts.rows_out) as n
    from accounts
    semi join payloads using (source, stream, payload_key, payload_sha256)
    group by source, stream
),

dated_rows as (
    select
        payloads.source, payloads.stream, offers.offer_id,
        coalesce(bool_or({{ is_row_of_observation('offers', 'payloads') }}), false) as is_shown
    from payloads
    inner join {{ ref('stg_prices__offers') }} as offers using (source, payload_key, payload_sha256)
    where payloads.has_dated_rows
    group by payloads.source, payloads.stream, offers.offer_id, offers.payload_key, offers.payload_sha256, offers.row_in_payload
),

dated as (
    select
        source, stream,
        count(*) filter (not is_shown) as n_earlier,
        count(*) filter (is_shown) - count(distinct offer_id) filter (is_shown) as n_replaced
    from dated_rows
    group by source, stream
),

shown as (
    select intervals.source, intervals.stream, count(distinct intervals.offer_id) as n
    from {{ ref('int_price__intervals') }} as intervals
    inner join last_fetches
        on intervals.source = last_fetches.source and intervals.stream = last_fetches.stream
        and intervals.last_poll = last_fetches.poll
    group by intervals.source, intervals.stream
),

-- a list of which no fetch is known shows no offer: all of its rows are missing
lists as (select source, stream, max(rows_out) as n from accounts where dialect = 'prices' group by source, stream),

rates as (select source, sum(rows_out) as n from accounts where dialect = 'rates' group by source),

rates_staged as (
    select source, count(*) as n, sum(n_named - 1) as n_named_again from {{ ref('stg_prices__exchange_rates') }} group by source
)

select
    {{ account_step(
        2, "'raw → intervals of prices'", 'coalesce(parsed.n, lists.n)', 'coalesce(shown.n, 0)',
        'coalesce(dated.n_earlier + dated.n_replaced, 0)',
        "concat_ws(', ',
        case when dated.n_earlier > 0 then 'of earlier days, dated by the list itself' end,
        case when dated.n_replaced > 0 then 'replaced by another row of the same offer' end
    )", source='lists.source', dialect="'prices'", payload_key='lists.stream'
    ) }}
from lists
left join parsed using (source, stream)
left join dated using (source, stream)
left join shown using (source, stream)
union all
select
    {{ account_step(
        2, "'raw → staging'", 'rates.n', 'coalesce(rates_staged.n, 0)', 'coalesce(rates_staged.n_named_again, 0)',
        "case when rates_staged.n_named_again > 0 then 'named by several payloads' else '' end",
        source='rates.source', dialect="'prices'"
    ) }}
from rates
left join rates_staged using (source)
