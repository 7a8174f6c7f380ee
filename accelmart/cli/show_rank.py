"""What `accelmart rank` prints: each accelerator at its price level, then the cheapest offer of each seller."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

from accelmart.asked import age_note, oldest_price
from accelmart.cli.output import print_table, say, say_all, say_wrapped, with_rounds
from accelmart.published import Row, Table
from accelmart.ranking import headlines, price_current_days
from accelmart.words import round_of

# Columns that a terminal shows, and their headings; csv and json have all.
_HEADLINE_COLUMNS = {
    "accelerator_id": "accelerator",
    "release": "round",
    "number_format": "format",
    "usd_per_output_mtok_at_level": "$/Mtok",
    "usd_per_output_mtok_at_level_low": "low",
    "usd_per_output_mtok_at_level_high": "high",
    "n_sellers_of_level": "sellers",
    "usd_per_output_mtok_cheapest": "cheapest",
    "usd_per_output_mtok_median": "median",
    "n_sellers": "of",
    "same_seller_ratio": "same",
    "n_same_sellers": "at",
    "size_note": "note",
}
_OFFER_COLUMNS = {
    "usd_per_output_mtok": "$/Mtok",
    "size_note": "note",
    "accelerator_id": "accelerator",
    "provider": "seller",
    "pricing_model": "pricing",
    "usd_per_accelerator_hour": "$/hour",
    "region": "region",
    "price_seen_on": "seen",
    "price_standing": "price",
}
_CARBON_COLUMNS = {
    "carbon_rank": "rank",
    "kg_co2e_per_output_mtok": "kg CO2e/Mtok",
    "kg_co2e_per_output_mtok_low": "low",
    "kg_co2e_per_output_mtok_high": "high",
    "usd_per_output_mtok": "$/Mtok",
    "extra_cost_pct": "extra %",
    "size_note": "note",
    "accelerator_id": "accelerator",
    "provider": "seller",
    "pricing_model": "pricing",
    "region": "region",
    "grid_level": "grid of",
    "grid_year": "grid year",
}
# a median of the newest round is named where it differs from the result by so much
_NAMED_DIFFERENCE = 0.1


def show_ranking(offers: Table, asked: dict[str, Any], limit: int) -> bool:
    """Print a ranking; return whether anything has a rank."""
    records = offers.records()
    reason = "carbon_rank_reason" if asked["carbon"] else "rank_reason"
    ranked = Table(
        offers.columns, [row for row, r in zip(offers.rows, records, strict=True) if r[reason] is None]
    )
    has_levels = not asked["carbon"] and all(
        asked[n] is None for n in ("provider", "region", "max_j_per_token")
    )
    if has_levels:
        _print_levels(asked)
        say("")
    if asked["carbon"]:
        _print_by_carbon(ranked, limit)
    elif ranked.rows:
        pricing = "every pricing model" if asked["pricing"] in (None, "all") else asked["pricing"]
        say(f"Cheapest offer of each seller, {pricing}:")
        _print_columns(Table(ranked.columns, ranked.rows[: limit or None]), _OFFER_COLUMNS)
    else:
        say("No offer can be ranked.")
    if limit and len(ranked) > limit:
        say(f"{len(ranked) - limit} more: --limit 0 shows all")
    _print_unranked(records, reason)
    say_all(*offers.notes)
    _print_price_days(offers, reason)
    if not asked["carbon"]:
        say_wrapped(
            "An offer compares sellers, a price level accelerators. Offers with a price that is no longer current come "
            "last. Dollars per token are derived here from MLPerf results, at full use; not verified by MLCommons. "
            "Other pricing models: --pricing spot, reserved_1y, ... or all. Submissions, offers, exact figures: "
            "--format csv or json."
        )
    return bool(ranked.rows)


def _print_levels(asked: dict[str, Any]) -> None:
    """Print the cost of each accelerator at its price level, and why an accelerator has none."""
    pricing = None if asked["pricing"] == "all" else asked["pricing"]
    levels = headlines(
        asked["model"], asked["scenario"], pricing=pricing, release=asked["release"], as_of=asked["as_of"]
    )
    records = levels.records()
    shown = [
        row
        for row, record in zip(levels.rows, records, strict=True)
        if record["usd_per_output_mtok_at_level"] is not None or record["n_sellers"]
    ]
    say(f"At the price level of each accelerator, {pricing or 'on_demand'}:")
    _print_columns(Table(levels.columns, shown), _HEADLINE_COLUMNS)
    say_wrapped(
        "Price level: what an average neocloud would ask, with its range; where ranges overlap, no order is claimed. "
        "cheapest, median: of the sellers with a recent price of a machine that holds the model. same: cost of a token "
        "against the first line at the sellers of both."
    )
    for record in records:
        say_all(*_beside(record))


def _beside(record: Row) -> list[str]:
    """Return what stands beside a headline, such as a newest round that differs, moved prices, a missing level."""
    accelerator, measured = record["accelerator_id"], record["output_tokens_per_s_per_accelerator"]
    if record["apart_reason"]:
        return [
            f"apart, without rank: {accelerator}, {record['apart_reason']}: {measured:,.1f} tokens/s, "
            f"{round_of(record)}, {record['submitter']}"
        ]
    lines = []
    if abs(record["newest_release_median"] / measured - 1) > _NAMED_DIFFERENCE:
        lines.append(
            f"{accelerator}: {measured:,.1f} tokens/s, {round_of(record)}; the median of {record['newest_release']} is "
            f"{record['newest_release_median']:,.1f} (n {record['newest_release_n_results']})"
        )
    if moved := record["level_moved_since_oldest_pct"]:
        lines.append(f"prices of {accelerator} moved by {moved:+.0f} % since the oldest in its level")
    if record["rests_on_one_seller"]:
        lines.append(f"the level of {accelerator} rests on one seller")
    if record["level_reason"]:
        reasons = dict.fromkeys(filter(None, (record["level_reason"], record["reason"])))
        lines.append(f"no level for {accelerator}: {'; '.join(reasons)}")
    return lines


def _print_by_carbon(ranked: Table, limit: int) -> None:
    """Print the offers that rank by carbon, and what the figures are."""
    if not ranked.rows:
        say("No offer ranks by carbon.")
        return
    cheapest = min(r["usd_per_output_mtok"] for r in ranked.records())
    say(f"Lowest carbon first, among offers that cost little more than ${cheapest:.4g}/Mtok:")
    _print_columns(Table(ranked.columns, ranked.rows[: limit or None]), _CARBON_COLUMNS)
    say_wrapped(
        "Carbon is that of the modelled electricity of the machines with PUE, on the average grid of a year: not what "
        "one more kilowatt-hour emits, nor the making of the hardware. The year of the grid is not that of the price. "
        "Low and high are those of the energy and of the figures for the grid. Derived here, not verified by MLCommons."
    )


def _print_unranked(records: list[Row], column: str) -> None:
    """Print how many offers have each reason not to rank, and their lowest cost."""
    for reason, number in Counter(r[column] for r in records if r[column]).most_common():
        cost = min(r["usd_per_output_mtok"] for r in records if r[column] == reason)
        say_wrapped(f"not ranked: {number} offer{'s' if number > 1 else ''}, from ${cost:.4g}/Mtok: {reason}")


def _print_columns(table: Table, shown: dict[str, str]) -> None:
    """Print some columns under shorter names, and the notes on sizes as footnotes."""
    table = with_rounds(table)
    places = [table.columns.index(name) for name in shown]
    note = table.columns.index("size_note")
    notes = list(dict.fromkeys(row[note] for row in table.rows if row[note]))
    marks = {words: f"[{number}]" for number, words in enumerate(notes, 1)}
    print_table(
        Table(
            list(shown.values()),
            [tuple(marks.get(row[p]) if p == note else row[p] for p in places) for row in table.rows],
        )
    )
    for words, mark in marks.items():
        say(f"{mark} {words}")


def _print_price_days(offers: Table, reason: str) -> None:
    """Print the day of the prices and the age of the oldest that ranks; recommend a refresh if the day is long ago."""
    as_of: date = offers.records()[0]["price_as_of"]
    today = datetime.now(UTC).date()
    line = age_note(as_of, oldest_price(offers, "price_seen_on", reason), today)
    is_old = (today - as_of).days > price_current_days()
    say_wrapped(f"{line} THEY ARE OLD: `accelmart refresh` fetches today's." if is_old else line)
