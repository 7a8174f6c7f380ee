"""The rows that a description shows, of an answer in any form."""

from __future__ import annotations

from typing import Any

from accelmart.citing import Evidence
from accelmart.cli.describe import Answered, Description
from accelmart.cli.descriptions import DESCRIPTIONS
from accelmart.cli.rank_descriptions import CARBON_OF_RANK, LEVELS_OF_RANK, OFFERS_OF_RANK
from accelmart.cli.texts import figure
from accelmart.columns import decisive
from accelmart.estimate import Estimate
from accelmart.published import Reader, Row, Table
from accelmart.ranking import headlines, is_narrowed

# figures of an estimate that the short answer shows
_FIGURES = {
    "days": "days",
    "rental_usd": "rent, $",
    "usd_per_trained_mtok": "$ per million trained tokens",
    "kwh": "kWh, modelled",
    "accelerators": "accelerators",
    "output_tokens_per_s_per_accelerator": "output tokens/s each",
    "usd_per_output_mtok": "$ per million output tokens",
    "rent_usd_per_output_mtok": "rent, $ per million output tokens",
    "owned_usd_per_output_mtok": "owned, $ per million output tokens",
    "rental_usd_per_day": "rent a day, $",
    "j_per_output_token": "J per output token",
    "kg_co2e": "kg CO2e",
    "kg_co2e_per_day": "kg CO2e a day",
    "guaranteed_tokens_per_s_per_user": "tokens/s per user guaranteed",
}
_MONTHS = 13
_BARS = "▁▂▃▄▅▆▇█"


def described(name: str, answer: Any, asked: Row, reader: Reader) -> tuple[Description, Answered]:
    """Return what a command prints of an answer.

    Args:
        name: of the question.
        answer: of its function.
        asked: arguments.
        reader: the warehouse.
    """
    if isinstance(answer, Estimate):
        return DESCRIPTIONS[name], _of_estimate(answer, asked, reader)
    if isinstance(answer, Evidence):
        return DESCRIPTIONS[name], _of_evidence(answer, asked, reader)
    rows, notes = answer.records(), answer.notes
    if name == "rank":
        return _of_rank(rows, notes, asked, reader)
    if name == "compare":
        # the usual pricing need not be named
        rows = [row | {"item": row["item"].removeprefix("on_demand, ")} for row in decisive(rows)]
    elif name == "prices":
        places: dict[str, int] = {}
        for row in rows:
            sites = (row.get("sites") or "").rpartition(": ")[2] or None
            row["where"] = row.get("region") or sites or row.get("country")
            row["place"] = places[row["pricing_model"]] = places.get(row["pricing_model"], 0) + 1
    elif name == "claims":
        rows = [row | {"standing": row["verdict"]} for row in rows]
    elif name == "history":
        for row in rows:
            row["spark"] = spark(row["indices"][-_MONTHS:])
    elif name == "electricity":
        first = rows[0]
        others = [
            r for r in rows if r["place"] != first["place"] and r["accelerator_id"] == first["accelerator_id"]
        ]
        first |= {f"other_{name}": value for name, value in (others[0] if others else {}).items()}
    return DESCRIPTIONS[name], Answered(rows, notes, asked, reader)


def _of_rank(
    rows: list[Row], notes: tuple[str, ...], asked: Row, reader: Reader
) -> tuple[Description, Answered]:
    """Return price levels, or offers where the question is about some of them."""
    if asked["carbon"]:
        return CARBON_OF_RANK, Answered(rows, notes, asked, reader)
    if is_narrowed(asked):
        return OFFERS_OF_RANK, Answered(rows, notes, asked, reader)
    levels = {name: asked[name] for name in ("model", "scenario", "pricing", "release", "as_of")}
    at_level: Table = headlines(**levels, database=reader)
    return LEVELS_OF_RANK, Answered([*at_level.records(), *rows], at_level.notes, asked, reader)


def _of_estimate(done: Estimate, asked: Row, reader: Reader) -> Answered:
    values = done.inputs | done.figures | {"extrapolation": next(iter(done.extrapolations), None)}
    reason = done.figures.get("reason")
    rows = [
        values
        | {"kind": "short", "what": what, "value": values[name]}
        | {end: values.get(f"{name}_{end}") for end in ("low", "high")}
        for name, what in _FIGURES.items()
        if values.get(name) is not None and reason is None
    ]
    records = (("estimated", done.figures), ("assumed", done.inputs))
    for kind, named in (*records, *(("measured apart", row) for row in done.apart)):
        rows += [
            values | {"kind": kind, "column": n, "value": figure(v)}
            for n, v in named.items()
            if v is not None
        ]
    sentences = [f"Rests on: {name}" for name in [*done.rests_on, *(f"point {p}" for p in done.points)]]
    sentences += [f"Extrapolated: {sentence}" for sentence in done.extrapolations or ["nothing"]]
    sentences += [f"Basis: {sentence}" for sentence in done.basis]
    return Answered(rows, tuple(done.notes), asked, reader, tuple(sentences))


def _of_evidence(basis: Evidence, asked: Row, reader: Reader) -> Answered:
    head = {"kind": basis.kind.replace("_", " "), "id": basis.id, "standing": basis.standing}
    cited = {"citation": basis.citation, "licence": basis.licence or "not stated"}
    claim = {name: basis.record.get(name) for name in ("statement_short", "reason")}
    of_claim = {"statement_short": claim["statement_short"], "reason_of_claim": claim["reason"]}
    rows = [
        head | cited | of_claim | {"column": n, "value": figure(v)}
        for n, v in basis.record.items()
        if v is not None
    ]
    return Answered(rows, (), asked, reader)


def spark(values: list[float | None]) -> str:
    """Return a bar a value, a space for none; the lowest has the lowest bar."""
    known = [value for value in values if value is not None]
    if not known:
        return ""
    low, span = min(known), max(known) - min(known)
    return "".join(
        " " if value is None else _BARS[round((value - low) / span * (len(_BARS) - 1)) if span else 3]
        for value in values
    )
