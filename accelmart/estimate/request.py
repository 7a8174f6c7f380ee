"""An estimate while it is made: what was asked for, the warehouse, and the answer so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from accelmart.asked import Names, check_numbers
from accelmart.errors import QuestionError
from accelmart.published import Database, Reader, Row, reading

NOT_OFFICIAL = "Derived here from MLPerf results; not verified by MLCommons."
_PAID = ("price", "provider", "scenario")
_MAGNITUDES = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}


@dataclass
class Estimate:
    """An estimate with its inputs and evidence.

    Args:
        inputs: values the estimate is computed from, units in the names.
        figures: estimated values, units in the names; None where an input is unknown, which ``basis`` states.
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

    def rest_on(self, result_id: str) -> None:
        """Add a result that the speed rests on."""
        self.rests_on.append(result_id)
        self.results.append(result_id)

    def extrapolate(self, what: str, sentence: str) -> None:
        """Add an extrapolation: what, in one word, and a sentence about it."""
        self.extrapolations.append(sentence)
        if what not in self.extrapolated:
            self.extrapolated.append(what)


class Request(SimpleNamespace):
    """An estimate while it is made, made by `requested`.

    Attributes:
        reader: the open warehouse.
        names: resolves further names.
        done: the answer so far.

    Every argument of the question is an attribute under its own name; names of accelerator, seller, pricing model and
    ownership scenario are keys of the warehouse.
    """

    reader: Reader
    names: Names
    done: Estimate

    def rows(self, statement: str, **more: Any) -> list[Row]:
        """Return the rows of one statement; each of its ``$name`` is in `more` or an argument of the question."""
        values = vars(self) | more
        return self.reader.rows(statement, {name: values[name] for name in re.findall(r"\$(\w+)", statement)})

    def one(self, statement: str, **more: Any) -> Row:
        """Return the first row of one statement, see `rows`."""
        return self.rows(statement, **more)[0]


_NAMES = {"provider": "seller", "pricing": "pricing model", "scenario": "ownership scenario"}
# columns of an answer that are inputs
_INPUTS = (
    *("params", "total_params", "tokens", "accelerator", "gpus", "layers", "hidden", "sequence_length"),
    *(
        "number_format",
        "mfu_pct",
        "dense_peak_tflops",
        "usd_per_accelerator_hour",
        "hardware_usd_per_accelerator",
    ),
    *("power_basis", "watts_per_accelerator", "pue", "electricity_usd_per_kwh", "grid_id", "kg_co2e_per_kwh"),
)
_INPUTS_IF_KNOWN = ("model", "usd_per_accelerator_hour_low", "usd_per_accelerator_hour_high", "price_basis")


def ask(function: str, database: Database, **given: Any) -> Estimate:
    """Ask a function of the published file for an estimate.

    Args:
        function: a table function that answers with one row.
        database: the warehouse.
        given: arguments of the function.

    Raises:
        QuestionError: a number is outside of its range, a name is unknown, or the function refuses the question.
        NotPublishedError: there is no warehouse file.
    """
    check_numbers(given)
    with reading(database) as reader:
        names = Names(reader)
        keys = {name: names.optional(thing, given[name]) for name, thing in _NAMES.items()}
        (row,) = reader.ask(function, **given | keys).records()
    inputs = {name: row.pop(name) for name in _INPUTS}
    known = {name: value for name in _INPUTS_IF_KNOWN if (value := row.pop(name)) is not None}
    return Estimate(
        inputs=inputs | known,
        basis=row.pop("basis"),
        extrapolations=row.pop("extrapolations"),
        extrapolated=row.pop("extrapolated"),
        rests_on=row.pop("rests_on"),
        results=row.pop("results"),
        notes=row.pop("notes") + names.notes,
        figures=row,
    )


@contextmanager
def requested(given: Row) -> Iterator[Request]:
    """Open the warehouse for an estimate.

    Args:
        given: arguments of `estimate_training` or `estimate_serving` by name.

    Raises:
        QuestionError: a number is outside of its range, a name is unknown, or several kinds of price are given.
        NotPublishedError: there is no warehouse file.
    """
    check_numbers(given)
    paid = [name for name in _PAID if given[name] is not None]
    if len(paid) > 1:
        raise QuestionError(
            f"price (dollars per accelerator-hour, above 0), provider, scenario: at most one of them can be given, "
            f"and {' and '.join(paid)} are"
        )
    with reading(given["database"]) as reader:
        names = Names(reader)
        keys = {
            "accelerator": names.optional("accelerator", given["accelerator"]),
            "provider": names.optional("seller", given["provider"]),
            "pricing": names.key("pricing model", given["pricing"]),
            "scenario": names.optional("ownership scenario", given["scenario"]),
        }
        yield Request(**given | keys, reader=reader, names=names, done=Estimate(notes=names.notes))


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
