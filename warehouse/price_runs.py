"""The rule that joins prices: equal consecutive prices of an offer are one run.

Its one home. Single observations are joined by it within a month (`price_fold`), and the runs of a month with the
intervals that were open before it (`price_intervals`).
"""

from __future__ import annotations

OFFER_TERMS = ("price", "upfront", "term_hours", "accelerator_count")
"""Columns that make a price: a change of any of them begins a new run."""

_TERMS = ", ".join(OFFER_TERMS)
_IS_BEGINNING = " or ".join(f"{term} is distinct from lag({term}) over offer" for term in OFFER_TERMS)


def run_bounds(pieces: str, row: str) -> str:
    """Return a query for the runs that pieces of runs come to.

    Most offers have each price once and are never long away: grouping by price finds their runs, at a fraction of what
    windows over all pieces cost. The others are walked through in order of time.

    Args:
        pieces: relation with stream, offer_id, the terms of a price, first_poll and last_poll (numbers of the stream's
            polls in order of time) and polls_to_close. A single observation is a piece of one poll; no two pieces of
            an offer lie in the same poll. Between two pieces lie polls in which the offer was missing;
            `polls_to_close` of them in a row withdraw it (0: absence means nothing).
        row: column of `pieces` with a number that grows with first_poll.

    Returns:
        A query with stream, offer_id, the terms, first_poll and last_poll of each run, and as first_row the `row` of
        its first piece.
    """
    return f"""
    with prices as (
        select
            stream,
            offer_id,
            {_TERMS},
            min(first_poll) as first_poll,
            max(last_poll) as last_poll,
            min({row}) as first_row,
            max(polls_to_close) as polls_to_close,
            max(last_poll) - min(first_poll) + 1 - sum(last_poll - first_poll + 1) as polls_missed
        from {pieces}
        group by stream, offer_id, {_TERMS}
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
            stream, offer_id, {_TERMS}, first_poll, last_poll,
            {row} as first_row,
            {_IS_BEGINNING}
            or (polls_to_close > 0 and first_poll - lag(last_poll) over offer > polls_to_close) as is_beginning
        from {pieces}
        semi join offers_to_walk using (stream, offer_id)
        window offer as (partition by stream, offer_id order by first_poll)
    ),

    numbered as (
        select
            *,
            count(case when is_beginning then 1 end) over (partition by stream, offer_id order by first_poll) as run
        from walked
    )

    select stream, offer_id, {_TERMS}, first_poll, last_poll, first_row
    from prices
    anti join offers_to_walk using (stream, offer_id)
    union all
    select
        stream, offer_id, {_TERMS},
        min(first_poll) as first_poll, max(last_poll) as last_poll, min(first_row) as first_row
    from numbered
    group by stream, offer_id, {_TERMS}, run
    """
