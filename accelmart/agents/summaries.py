"""The short answer to a question of an agent: a few rows of the columns that decide, figures of four digits."""

from __future__ import annotations

from typing import Any

from accelmart.estimate import Estimate
from accelmart.published import Reader, Row, Table
from accelmart.ranking import headlines

_MOST_ROWS = 5
_DIGITS = 4
_LONGEST_SENTENCE = 240

_COLUMNS = {
    "headlines": (
        "accelerator_id",
        "release",
        "usd_per_output_mtok_at_level",
        "usd_per_output_mtok_at_level_low",
        "usd_per_output_mtok_at_level_high",
        "n_sellers_of_level",
        "cheapest_provider",
        "usd_per_output_mtok_cheapest",
    ),
    "rank": (
        "accelerator_id",
        "provider",
        "pricing_model",
        "region",
        "usd_per_output_mtok",
        "kg_co2e_per_output_mtok",
        "usd_per_accelerator_hour",
        "price_seen_on",
        "offer_id",
        "rank_reason",
    ),
    "choose": (
        "rank",
        "accelerators",
        "accelerator_id",
        "how",
        "cost_usd",
        "cost_usd_low",
        "cost_usd_high",
        "paid_usd",
        "usd_per_output_mtok",
        "j_per_output_token",
        "reason",
    ),
    "estimate_ownership": (
        "option",
        "standing",
        "usd",
        "usd_low",
        "usd_high",
        "months_to_break_even",
        "break_even_utilisation_pct",
        "reason",
    ),
}
# topic and words of an item of a comparison, and how many rows of it
_COMPARED = (
    ("at the same sellers", "on_demand, an hour", 1),
    ("specification", "memory", 2),
    ("inference", "Server", 2),
    ("training", "", 1),
    ("rented, on demand", "Server", 2),
    ("rent", "on_demand, price level", 1),
    ("ownership", "emerging_neocloud, observed purchase", 1),
    ("energy, measured", "", 1),
    ("energy, modelled", "Server", 1),
)
_FIGURES = (
    *(
        "days",
        "days_low",
        "days_high",
        "rental_usd",
        "rental_usd_low",
        "rental_usd_high",
        "usd_per_trained_mtok",
    ),
    *("outlay_usd", "kwh", "kg_co2e", "j_per_trained_token", "fits", "fewest_accelerators", "accelerators"),
    *("usd_per_output_mtok", "usd_per_output_mtok_low", "usd_per_output_mtok_high", "rental_usd_per_day"),
    *("j_per_output_token", "output_tokens_per_s_per_accelerator", "guaranteed_tokens_per_s_per_user"),
    *("rent_usd_per_output_mtok", "rent_usd_per_output_mtok_low", "rent_usd_per_output_mtok_high"),
    *("owned_usd_per_output_mtok", "accelerators_busy", "output_tokens_per_s_per_accelerator_high"),
    *("uncertainty_basis", "size_note", "reason"),
)
_INPUTS = (
    *("model", "benchmark_id", "accelerator", "accelerator_id", "number_format", "mfu_pct"),
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
    notes = [_shortened(note) for note in answer.notes]
    if isinstance(answer, Estimate):
        return {
            "figures": {n: _rounded(answer.figures.get(n)) for n in _FIGURES},
            "inputs": {n: _rounded(answer.inputs.get(n)) for n in _INPUTS},
            "rests_on": [*answer.rests_on, *answer.points],
            "extrapolated": answer.extrapolated,
            "notes": [*notes, *(_shortened(s) for s in answer.extrapolations[:1])],
        }
    if name == "compare":
        return {**_compared(answer), "notes": notes}
    if name == "rank" and not {"provider", "region", "carbon", "max_j_per_token"} & {
        n for n, v in asked.items() if v
    }:
        levels = {n: asked[n] for n in ("model", "scenario", "pricing", "release", "as_of") if n in asked}
        if levels.get("pricing") == "all":
            del levels["pricing"]
        at_level = headlines(**levels, database=reader).records()
        ranked = [r for r in at_level if r["usd_per_output_mtok_at_level"] is not None]
        apart = [r["accelerator_id"] for r in at_level if r["apart_reason"]]
        also = [f"without rank (preview or research): {', '.join(apart)}"] if apart else []
        basis = "price level of each accelerator; ranges that overlap give no order"
        return {"basis": basis, **_rows(ranked, "headlines"), "notes": [*notes, *also]}
    records = answer.records()
    if name == "choose":
        records = [r for r in records if r["rank"] is not None] or records
    if name == "rank" and asked.get("carbon"):
        records = [r for r in records if r["carbon_rank"] is not None]
    return {**_rows(records, name), "notes": notes}


def _rows(records: list[Row], name: str) -> dict[str, Any]:
    shown = [{n: _rounded(r.get(n)) for n in _COLUMNS[name]} for r in records[:_MOST_ROWS]]
    return {"rows": shown, "rows_in_details": len(records)}


def _compared(comparison: Table) -> dict[str, Any]:
    rows: list[Row] = []
    records = comparison.records()
    for topic, words, most in _COMPARED:
        matching = [r for r in records if r["topic"] == topic and words in r["item"]]
        rows += [
            {
                "what": f"{topic}: {r['item']} [{r['unit']}]",
                **{
                    short: _rounded(r[name])
                    for short, name in (("a", "value_a"), ("b", "value_b"), ("a_to_b", "a_to_b"))
                },
                "a_to_b_range": [_rounded(r["a_to_b_low"]), _rounded(r["a_to_b_high"])]
                if r["a_to_b_low"]
                else None,
            }
            for r in matching[:most]
        ]
    names = {"a": records[0]["accelerator_a"], "b": records[0]["accelerator_b"]} if records else {}
    return {**names, "rows": rows, "rows_in_details": len(records)}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    return _shortened(value) if isinstance(value, str) else value


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SENTENCE else f"{text[:_LONGEST_SENTENCE].rpartition(' ')[0]} …"
