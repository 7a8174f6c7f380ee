"""The short answer to a question of an agent: a few rows of the columns that decide, figures of four digits."""

from __future__ import annotations

from typing import Any

from accelmart.columns import (
    ALTERNATIVES,
    BY_CARBON,
    ELECTRICITY,
    KEPT,
    LEVELS,
    OFFERS,
    OPTIONS,
    POWERED,
    REFUSED,
    SELLER_OFFERS,
    TOKEN_COSTS,
    WAYS,
    decisive,
)
from accelmart.estimate import Estimate
from accelmart.producing import charged_words
from accelmart.published import Reader, Row, Table
from accelmart.ranking import headlines, is_narrowed

_MOST_ROWS = 5
_DIGITS = 4
_LONGEST_SENTENCE = 240

_FIGURES = (
    *("days", "days_low", "days_high", "rental_usd", "rental_usd_low", "rental_usd_high", "outlay_usd"),
    *("usd_per_trained_mtok", "kwh", "kg_co2e", "j_per_trained_token", "fits", "fewest_accelerators"),
    *("accelerators", "usd_per_output_mtok", "usd_per_output_mtok_low", "usd_per_output_mtok_high"),
    *("rental_usd_per_day", "j_per_output_token", "output_tokens_per_s_per_accelerator"),
    *("guaranteed_tokens_per_s_per_user", "output_tokens_per_s_per_accelerator_high", "accelerators_busy"),
    *("rent_usd_per_output_mtok", "rent_usd_per_output_mtok_low", "rent_usd_per_output_mtok_high"),
    *("owned_usd_per_output_mtok", "uncertainty_basis", "size_note", "reason"),
)
_INPUTS = (
    *("model", "benchmark_id", "accelerator", "number_format", "mfu_pct"),
    *("usd_per_accelerator_hour", "price_basis"),
)


def summarise(name: str, answer: Table | Estimate, asked: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """Return the short answer to a question.

    Args:
        name: of the question.
        answer: all of it.
        asked: arguments of the question.
        reader: the warehouse.
    """
    notes = [_rounded(note) for note in answer.notes]
    if isinstance(answer, Estimate):
        return {
            "figures": {n: _rounded(answer.figures.get(n)) for n in _FIGURES},
            "inputs": {n: _rounded(answer.inputs.get(n)) for n in _INPUTS},
            "rests_on": [*answer.rests_on, *answer.points],
            "extrapolated": answer.extrapolated,
            "notes": [*notes, *(_rounded(s) for s in answer.extrapolations[:1])],
        }
    if name == "compare":
        return {**_compared(answer), "notes": notes}
    columns, rows, more = _short_rows(name, answer, asked, reader)
    shown = [{column: _rounded(row.get(column)) for column in columns} for row in rows[:_MOST_ROWS]]
    return {"rows": shown, "rows_in_details": len(rows), "notes": [*notes, *more]}


def _short_rows(
    name: str, answer: Table, asked: dict[str, Any], reader: Reader
) -> tuple[list[str], list[Row], list[str]]:
    """Return columns and rows of a short answer, best first, and sentences on it."""
    rows = answer.records()
    if name == "estimate_ownership":
        return [*WAYS, "reason"], rows, []
    if name == "alternatives":
        shown = [row for row in rows if row["is_main"] and (row["is_asked"] or row["place"] == 1)]
        return ["task", *ALTERNATIVES, "verdict"], shown, []
    if name == "prices":
        quote = ["sentence", "standing", "percentile", "n_sellers", "seller_price_low", "seller_price_high"]
        return (quote if "sentence" in answer.columns else [*SELLER_OFFERS, "reason", "offer_id"]), rows, []
    if name == "keep_or_sell":
        sentences = (rows[0]["task_note"], rows[0]["resale_basis"]) if rows else ()
        return (
            [*KEPT, "resale_usd", "resale_usd_low", "resale_usd_high", "reason"],
            rows,
            [s for s in sentences if s],
        )
    if name == "power_budget":
        return [*POWERED, "reason"], [row for row in rows if row["rank"] is not None] or rows, []
    if name == "tokens":
        costs = [row for row in rows if row["row_kind"] == "cost"]
        more = ["cost and price are of input and output tokens together, and never subtracted"]
        more += [charged_words(row) for row in costs[:1] if row["usd_per_total_mtok_charged"] is not None]
        return [*TOKEN_COSTS, "charged_against_cost", "reason"], costs, more
    if name == "electricity":
        columns = [name for name in ELECTRICITY if name != "sites"]
        columns += ["kg_co2e_per_kwh", "usd_per_kwh", "carbon_to_lowest_place", "reason"]
        return columns, rows, ["the rent contains the electricity"]
    if name == "choose":
        ranked = [row for row in rows if row["rank"] is not None]
        return [*(OPTIONS if ranked else REFUSED)], ranked or rows, []
    if asked.get("carbon"):
        return [*BY_CARBON, "offer_id"], [row for row in rows if row["carbon_rank"] is not None], []
    if is_narrowed(asked):
        return [*OFFERS, "offer_id", "rank_reason"], rows, []
    levels = {n: asked[n] for n in ("model", "scenario", "pricing", "release", "as_of") if n in asked}
    at_level = headlines(**levels, database=reader).records()
    apart = [row["accelerator_id"] for row in at_level if row["apart_reason"]]
    notes = ["at the price level of each accelerator; ranges that overlap give no order"]
    if apart:
        notes.append(f"without rank (preview or research): {', '.join(apart)}")
    return [*LEVELS], [row for row in at_level if row["usd_per_output_mtok_at_level"] is not None], notes


def _compared(comparison: Table) -> dict[str, Any]:
    records = decisive(comparison.records())
    main = sorted((r for r in records if r["main_place"] is not None), key=lambda r: r["main_place"])
    rows = [
        {
            "what": f"{r['topic']}: {r['item']} [{r['unit']}]",
            **{
                key: _rounded(r[name])
                for key, name in (("a", "value_a"), ("b", "value_b"), ("a_to_b", "a_to_b"))
            },
            "a_to_b_range": [_rounded(r["a_to_b_low"]), _rounded(r["a_to_b_high"])]
            if r["a_to_b_low"]
            else None,
        }
        for r in main
    ]
    names = {"a": records[0]["accelerator_a"], "b": records[0]["accelerator_b"]} if records else {}
    return {**names, "rows": rows, "rows_in_details": len(records)}


def _rounded(value: Any) -> Any:
    """Return a value with four digits, or the beginning of a long sentence."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, str) and len(value) > _LONGEST_SENTENCE:
        return f"{value[:_LONGEST_SENTENCE].rpartition(' ')[0]} …"
    return value
