"""What an estimate answers with, and how it is asked of the published file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import Any

from accelmart.names import Names
from accelmart.published import Database, Row, reading

_MAGNITUDES = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}


@dataclass
class Estimate:
    """An estimate with its inputs and evidence.

    Args:
        inputs: values the estimate is computed from, units in the names.
        figures: estimated values, units in the names; None where an input is unknown, which ``basis`` states. At a
            speed of each user only what is known.
        basis: each choice in a sentence.
        extrapolations: where nothing measured fits, in a sentence each; empty when all was measured.
        extrapolated: what was extrapolated, in one word each: scale, model, sequence length, format, accelerator,
            machine; empty when nothing was.
        rests_on: ids of the MLPerf results the speed rests on; empty where it is given or a published range.
        results: ids of all MLPerf results used, those for comparison included.
        points: ids of the points the speed rests on that were measured outside of MLPerf; empty where MLPerf's
            results are used.
        apart: what else was measured at a speed of one user, with its ``standing``: MLPerf's results beside others, or
            the other way round; never ranked together.
        notes: what names were taken for.
    """

    inputs: Row = field(default_factory=dict)
    figures: Row = field(default_factory=dict)
    basis: list[str] = field(default_factory=list)
    extrapolations: list[str] = field(default_factory=list)
    extrapolated: list[str] = field(default_factory=list)
    rests_on: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    apart: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


_NAMES = {"provider": "seller", "pricing": "pricing model", "scenario": "ownership scenario"}
# columns of an answer that are inputs
_INPUTS = (
    *("model", "params", "total_params", "tokens", "accelerator", "gpus", "layers", "hidden"),
    *("sequence_length", "benchmark_id", "tokens_per_day", "mlperf_scenario", "utilisation_pct"),
    *("weights", "kv_cache", "context_length", "sequences", "number_format", "mfu_pct"),
    *("dense_peak_tflops", "usd_per_accelerator_hour", "usd_per_accelerator_hour_low"),
    *("usd_per_accelerator_hour_high", "price_basis", "hardware_usd_per_accelerator", "power_basis"),
    *("watts_per_accelerator", "pue", "electricity_usd_per_kwh", "grid_id", "kg_co2e_per_kwh"),
    *("tokens_per_s_per_user", "model_id", "scenario", "framework", "workload", "input_tokens"),
    *("output_tokens_low", "output_tokens_high", "source"),
)
# columns that mean something only where they have a value
_IF_KNOWN = (
    *("model", "usd_per_accelerator_hour_low", "usd_per_accelerator_hour_high", "price_basis"),
    "size_note",
)


def ask(function: str, database: Database, **given: Any) -> Estimate:
    """Ask a function of the published file for an estimate.

    Args:
        function: a table function that answers with one row; at a speed of each user, what was measured at it is a
            struct ``at_speed``, and only what is known is in the answer.
        database: the warehouse.
        given: arguments of the function.

    Raises:
        QuestionError: a number is outside of its range, a name is unknown, or the function refuses the question.
        NotPublishedError: there is no warehouse file.
    """
    with reading(database) as reader:
        names = Names(reader)
        keys = {name: names.optional(thing, given[name]) for name, thing in _NAMES.items()}
        (row,) = reader.ask(function, **given | keys).records()
    lists = {f.name: row.pop(f.name, None) or [] for f in fields(Estimate)[2:]}
    lists["apart"] = [_known(other) for other in lists["apart"]]
    lists["notes"] += names.notes
    at_speed = row.pop("at_speed", None)
    values = _known(row | at_speed) if at_speed else row
    values = {n: value for n, value in values.items() if value is not None or n not in _IF_KNOWN}
    inputs = {n: value for n, value in values.items() if n in _INPUTS}
    return Estimate(inputs, {n: value for n, value in values.items() if n not in inputs}, **lists)


def _known(values: Row) -> Row:
    return {name: value for name, value in values.items() if value is not None}


def parse_count(text: str | float) -> float:
    """A number with or without a magnitude: ``405B``, ``15T``, ``1e9``, ``8.03b``, ``1,000``.

    Raises:
        ValueError: no number; the message says what is accepted.
    """
    match = re.fullmatch(r"\s*(\S*?)\s*([kmbgt]?)\s*", str(text), re.IGNORECASE)
    try:
        return float(match[1].replace(",", "")) * _MAGNITUDES[match[2].upper()] if match else float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number: write it like 405B, 15T or 1e9") from None
