{#- Equal consecutive prices of an offer become one run. The one home of this rule: single observations are folded
    by it month by month (warehouse/price_history.py), and the months' runs into intervals (int_price__intervals).

    `runs` has stream, offer_id, the terms of a price (price, upfront, term_hours, accelerator_count), first_poll and
    last_poll (numbers of the stream's polls in order of time), polls_to_close, and whatever else is to be kept of
    the first one. An observation is a run of one poll. Between two runs lie polls in which the offer was
    missing; `polls_to_close` of them in a row withdraw it (0: absence says nothing). -#}
{% macro folded_price_runs(runs) -%}
    with ordered as (
        select
            *,
            lag(last_poll) over offer as last_poll_before,
            lag(struct_pack(price, upfront, term_hours, accelerator_count)) over offer as terms_before
        from {{ runs }}
        window offer as (partition by stream, offer_id order by first_poll)
    ),

    beginnings as (
        select *
        from ordered
        where last_poll_before is null
            or struct_pack(price, upfront, term_hours, accelerator_count) is distinct from terms_before
            or (polls_to_close > 0 and first_poll - last_poll_before > polls_to_close)
    ),

    ends as (
        select stream, offer_id, max(last_poll) as last_poll
        from {{ runs }}
        group by stream, offer_id
    )

    select
        beginnings.* exclude (last_poll, last_poll_before, terms_before),
        coalesce(
            lead(beginnings.last_poll_before)
                over (partition by beginnings.stream, beginnings.offer_id order by beginnings.first_poll),
            ends.last_poll
        ) as last_poll
    from beginnings
    inner join ends using (stream, offer_id)
{%- endmacro %}
