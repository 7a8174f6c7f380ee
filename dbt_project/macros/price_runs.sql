{#- Equal consecutive prices of an offer become one run. The one home of this rule: single observations are folded
    by it month by month (warehouse/price_fold.py), and the months' runs into intervals (int_price__intervals).

    `runs` has stream, offer_id, the terms of a price (price, upfront, term_hours, accelerator_count), first_poll and
    last_poll (numbers of the stream's polls in order of time) and polls_to_close. An observation is a run of one
    poll; no two of one offer lie in the same poll. Between two runs lie polls in which the offer was missing;
    `polls_to_close` of them in a row withdraw it (0: absence says nothing).

    Most offers have each price once and are never long away: grouping by price finds their runs, at a fraction of
    what windows over all observations cost. The others are walked through in order of time. -#}
{% macro price_run_bounds(runs, row='first_poll') -%}
    {#- `row` is a number that grows with first_poll and finds a run: that of the first comes out as first_row -#}
    with prices as (
        select
            stream,
            offer_id,
            price,
            upfront,
            term_hours,
            accelerator_count,
            min(first_poll) as first_poll,
            max(last_poll) as last_poll,
            min({{ row }}) as first_row,
            max(polls_to_close) as polls_to_close,
            max(last_poll) - min(first_poll) + 1 - sum(last_poll - first_poll + 1) as polls_missed
        from {{ runs }}
        group by stream, offer_id, price, upfront, term_hours, accelerator_count
    ),

    -- a price that comes back after another one, or an offer that may have been withdrawn between
    offers_to_walk as (
        select distinct stream, offer_id
        from (
            select
                *,
                lead(first_poll) over (partition by stream, offer_id order by first_poll) as next_first_poll
            from prices
        )
        where next_first_poll <= last_poll or (polls_to_close > 0 and polls_missed >= polls_to_close)
    ),

    walked as (
        select
            stream, offer_id, price, upfront, term_hours, accelerator_count, first_poll, last_poll,
            {{ row }} as first_row,
            price is distinct from lag(price) over offer
            or upfront is distinct from lag(upfront) over offer
            or term_hours is distinct from lag(term_hours) over offer
            or accelerator_count is distinct from lag(accelerator_count) over offer
            or (polls_to_close > 0 and first_poll - lag(last_poll) over offer > polls_to_close) as is_beginning
        from {{ runs }}
        semi join offers_to_walk using (stream, offer_id)
        window offer as (partition by stream, offer_id order by first_poll)
    ),

    numbered as (
        select
            *,
            count(*) filter (is_beginning) over (partition by stream, offer_id order by first_poll) as run
        from walked
    )

    select stream, offer_id, price, upfront, term_hours, accelerator_count, first_poll, last_poll, first_row
    from prices
    anti join offers_to_walk using (stream, offer_id)
    union all
    select
        stream, offer_id, price, upfront, term_hours, accelerator_count,
        min(first_poll) as first_poll, max(last_poll) as last_poll, min(first_row) as first_row
    from numbered
    group by stream, offer_id, price, upfront, term_hours, accelerator_count, run
{%- endmacro %}

{#- The same, with whatever else `runs` has, as its first one has it. -#}
{% macro folded_price_runs(runs) -%}
    select all_runs.* exclude (last_poll), bounds.last_poll
    from {{ runs }} as all_runs
    inner join ({{ price_run_bounds(runs) }}) as bounds
        on all_runs.stream = bounds.stream
        and all_runs.offer_id = bounds.offer_id
        and all_runs.first_poll = bounds.first_row
{%- endmacro %}
