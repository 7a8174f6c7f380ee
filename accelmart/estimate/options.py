"""What an estimate is asked for, which values are allowed, and its answer."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from accelmart.asked import Names
from accelmart.errors import QuestionError
from accelmart.published import Row

NOT_OFFICIAL = "Derived here from MLPerf results; not verified by MLCommons."
# within so much a model is the known one, as published counts are rounded (405B is 405.85e9)
SAME_MODEL = 0.01
_MAGNITUDES = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9, "T": 1e12}


@dataclass(frozen=True, kw_only=True)
class Request:
    """What an estimate is asked for; fields as the arguments of `estimate_training` and `estimate_serving`."""

    accelerator: str | None = None
    price: float | None = None
    provider: str | None = None
    pricing: str = "on_demand"
    scenario: str | None = None
    pue: float | None = None
    electricity: float | None = None
    grid: str | None = None
    capex: float | None = None
    depreciation_years: float | None = None
    params: float | None = None
    # of training
    tokens: float = 0
    gpus: int = 0
    layers: int | None = None
    hidden: int | None = None
    sequence_length: int | None = None
    mfu: float | None = None
    precision: str | None = None
    total_params: float | None = None
    # of serving
    model: str = ""
    tokens_per_day: float | None = None
    tokens_per_s_per_user: float | None = None
    workload: str | None = None
    mlperf_scenario: str = "Server"
    utilisation: float = 60
    weights: str | None = None
    kv_cache: str = "fp16"
    context_length: int = 8192
    sequences: int = 16

    def changed(self, names: Sequence[str]) -> list[str]:
        """Return those of some arguments that are not their default."""
        default = type(self)()
        return [name for name in names if getattr(self, name) != getattr(default, name)]

    def resolved(self, names: Names) -> Request:
        """Return the request with the accelerator and whatever pays for it as keys of the warehouse."""
        return replace(
            self,
            accelerator=names.optional("accelerator", self.accelerator),
            provider=names.optional("seller", self.provider),
            pricing=names.key("pricing model", self.pricing),
            scenario=names.optional("ownership scenario", self.scenario),
        )

    def check_costs(self) -> None:
        """Raise QuestionError if several kinds of price are given, or a number outside of its range."""
        if len(given := self.changed(("price", "provider", "scenario"))) > 1:
            raise QuestionError(
                "price (dollars per accelerator-hour, above 0), provider, scenario: at most one of them can be "
                f"given, and {' and '.join(given)} are"
            )
        optional("price", self.price, unit="dollars per accelerator-hour")
        optional("capex", self.capex, unit="dollars per accelerator")
        optional("depreciation_years", self.depreciation_years, unit="years")
        if self.pue is not None and not 1 <= self.pue <= 5:
            raise QuestionError(f"pue is {self.pue:g}: it must be between 1 (no overhead) and 5")
        if self.electricity is not None and (not math.isfinite(self.electricity) or self.electricity < 0):
            raise QuestionError(
                f"electricity is {self.electricity:g}: it must be 0 or more (dollars per kWh)"
            )


@dataclass(frozen=True)
class Rate:
    """What an accelerator-hour costs.

    Args:
        usd: dollars.
        words: a sentence about it.
        low: dollars at the low end of the range of a price level; None where there is no range.
        high: dollars at its high end.
        basis: for a price that was not asked for, what it is: the price level or the plain median, and its sellers.
    """

    usd: float
    words: str
    low: float | None = None
    high: float | None = None
    basis: str | None = None

    def inputs(self) -> Row:
        """Return the rate as inputs of an estimate."""
        row: Row = {"usd_per_accelerator_hour": self.usd}
        if self.low is not None and self.high is not None:
            row |= {"usd_per_accelerator_hour_low": self.low, "usd_per_accelerator_hour_high": self.high}
        return row | ({"price_basis": self.basis} if self.basis else {})

    @property
    def uncertainty(self) -> str:
        """What low and high of a cost rest on beside the speed."""
        return "one price" if self.low is None else f"range of the {self.basis}"

    def spread(self, figures: Row, costs: Sequence[str]) -> Row:
        """Return figures with low and high of each cost widened by the range of the rate, beside it.

        Args:
            figures: estimated values; a cost may have ``_low`` and ``_high`` of its own.
            costs: names of figures in proportion to the rate.
        """
        if self.low is None or self.high is None:
            return figures
        spread: Row = {}
        for name, value in figures.items():
            spread.setdefault(name, value)
            if name in costs and value is not None:
                for end, usd in (("_low", self.low), ("_high", self.high)):
                    own = figures.get(name + end)
                    spread[name + end] = (value if own is None else own) * usd / self.usd
        return spread


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


def parse_count(text: str | float) -> float:
    """A number with or without a magnitude: ``405B``, ``15T``, ``1e9``, ``8.03b``, ``1,000``.

    Raises:
        ValueError: no number; the message says what is accepted.
    """
    if isinstance(text, int | float):
        return float(text)
    match = re.fullmatch(r"\s*(\S*?)\s*([kmbgt]?)\s*", text, re.IGNORECASE)
    try:
        number = float(match[1].replace(",", "")) if match else float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number: write it like 405B, 15T or 1e9") from None
    return number * (_MAGNITUDES[match[2].upper()] if match else 1)


def above_zero(option: str, value: float) -> None:
    """Raise QuestionError unless the value is finite and above 0."""
    if not math.isfinite(value) or value <= 0:
        raise QuestionError(f"{option} is {value:g}: it must be above 0")


def optional(option: str, value: float | None, *, highest: float | None = None, unit: str = "") -> None:
    """Raise QuestionError if the value is given and not above 0, or above `highest`."""
    if value is None:
        return
    if not math.isfinite(value) or value <= 0 or (highest is not None and value > highest):
        limit = f" and at most {highest:g}" if highest is not None else ""
        raise QuestionError(f"{option} is {value:g}: it must be above 0{limit}{f' ({unit})' if unit else ''}")
