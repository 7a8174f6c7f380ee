"""Serving at a speed of one user, read from frontiers measured outside of MLPerf; never mixed with its results."""

from __future__ import annotations

from dataclasses import dataclass

from accelmart.errors import QuestionError
from accelmart.estimate import economics
from accelmart.estimate.options import Estimate, Price, above_zero, check_price, optional
from accelmart.published import DEFAULT_OWNER, Database, Reader, Row, reading
from accelmart.words import did_you_mean, plain

STANDING = "Measured outside of MLPerf, not verified by MLCommons."
_OPTION = "--tokens-per-s-per-user"
_COSTS = [f"{paid}_usd_per_output_mtok{side}" for paid in ("rent", "owned") for side in ("", "_low", "_high")]


@dataclass(frozen=True)
class Asked:
    """What is to be served; fields as the arguments of `estimate_serving`."""

    tokens_per_s_per_user: float
    model: str
    accelerator: str | None
    weights: str | None
    workload: str | None
    tokens_per_day: float | None
    utilisation: float
    price: Price

    @property
    def has_price(self) -> bool:
        """Whether a price is given; rent and ownership are answered without one."""
        return (self.price.usd, self.price.provider, self.price.scenario) != (None, None, None)

    def check(self) -> None:
        """Raise QuestionError if a number or the price cannot be used."""
        above_zero(_OPTION, self.tokens_per_s_per_user)
        optional("--tokens-per-day", self.tokens_per_day)
        optional("--utilisation", self.utilisation, highest=100, unit="per cent")
        if self.has_price:
            check_price(self.price)
            if self.accelerator is None:
                raise QuestionError(
                    f"--price, --provider and --scenario need --accelerator with {_OPTION}; rent and ownership are "
                    "answered without them"
                )


def read_frontier(asked: Asked, database: Database) -> Estimate:
    """Return cost and energy of output tokens where each user gets so many tokens/s.

    Figures are those of SQL macro serving_frontier_at: the frontier of one source, model, part, number format,
    framework and workload. Of several parts, formats and frameworks the cheapest per token by rent is taken; workloads
    are never compared.

    Raises:
        QuestionError: nothing was measured for the model, part, format or speed, or an option cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    asked.check()
    speed = asked.tokens_per_s_per_user
    with reading(database) as reader:
        if asked.accelerator is not None:
            economics.accelerator_of(reader, asked.accelerator)
        measured = reader.rows("from serving_frontier_at($speed::double)", {"speed": speed})
        groups = _of_what_was_asked(measured, asked)
        rows = [row for row in groups if row["reason"] is None]
        if not rows:
            raise QuestionError(_out_of_range(speed, groups))
        row = min(rows, key=_cheapest)
        done = Estimate()
        rates = economics.prices(reader, asked.price, [row["accelerator_id"]]) if asked.has_price else {}
        done.inputs = _inputs(row, asked)
        done.figures = _figures(row)
        done.points = list(dict.fromkeys([row["point_id_below"], row["point_id_above"]]))
        _explain(row, len(rows), done)
        if rates:
            rate = rates[row["accelerator_id"]]
            done.inputs |= rate.inputs()
            done.basis.append(rate.words)
        done.figures |= _derived(reader, done.inputs, row)
    return done


def _of_what_was_asked(measured: list[Row], asked: Asked) -> list[Row]:
    """Return the frontiers of what was asked for, all of one workload, whether they reach the speed or not."""
    model = asked.model
    if not measured:
        raise QuestionError(f"{_OPTION}: the published warehouse has no measured serving outside of MLPerf")
    rows = [row for row in measured if plain(row["model_id"]) == plain(model)]
    if not rows:
        models = sorted({row["model_id"] for row in measured})
        raise QuestionError(
            f"--model is {model}: no frontier was measured.{did_you_mean(model, models)} "
            f"Models with {_OPTION}: {', '.join(models)}"
        )
    for option, column, value in (
        ("--accelerator", "accelerator_id", asked.accelerator),
        ("--weights", "number_format", asked.weights),
        ("--workload", "workload", asked.workload),
    ):
        known = sorted({row[column] for row in rows if row[column] is not None})
        rows = [row for row in rows if value is None or row[column] == value]
        if not rows:
            raise QuestionError(
                f"{option} is {value}: no frontier of {model} was measured with it. Measured: {', '.join(known)}"
            )
    workloads = sorted({row["workload"] for row in rows})
    if len(workloads) > 1:
        raise QuestionError(
            f"--workload must be named, as prompts and answers differ: {model} was measured with {', '.join(workloads)}"
        )
    return rows


def _out_of_range(speed: float, groups: list[Row]) -> str:
    ranges = "; ".join(
        f"{row['accelerator_id']} {_format_of(row)} from {row['lowest_tokens_per_s_per_user']:.1f} to "
        f"{row['highest_tokens_per_s_per_user']:.1f}"
        for row in groups
    )
    return (
        f"{_OPTION} is {speed:g}: outside of the measured range of {groups[0]['model_id']}, and nothing is "
        f"extrapolated. Measured, tokens/s per user: {ranges}"
    )


def _format_of(row: Row) -> str:
    return " ".join(row[column] for column in ("number_format", "framework") if row[column] is not None)


def _cheapest(row: Row) -> tuple[bool, float]:
    """Order by rent per token; frontiers without a rent come last, by throughput."""
    usd = row["rent_usd_per_output_mtok"]
    return (True, -row["output_tokens_per_s_per_accelerator"]) if usd is None else (False, usd)


def _inputs(row: Row, asked: Asked) -> Row:
    names = (
        "model_id accelerator_id number_format framework workload input_tokens output_tokens_low "
        "output_tokens_high source"
    )
    inputs: Row = {name: row[name] for name in names.split()}
    inputs["tokens_per_s_per_user"] = asked.tokens_per_s_per_user
    if asked.tokens_per_day is not None:
        inputs |= {"tokens_per_day": asked.tokens_per_day, "utilisation_pct": asked.utilisation}
    return inputs


def _figures(row: Row) -> Row:
    names = [
        "basis",
        "output_tokens_per_s_per_accelerator",
        "ttft_ms",
        *_COSTS,
        "j_per_output_token_measured",
    ]
    return {name: row[name] for name in [*names, "energy_scope"]}


def _derived(reader: Reader, inputs: Row, row: Row) -> Row:
    """Return the cost at a given price and the accelerators of a given load, by the published macros."""
    figures: Row = {}
    speed = row["output_tokens_per_s_per_accelerator"]
    if "usd_per_accelerator_hour" in inputs:
        figures["usd_per_output_mtok_at_full_use"] = reader.one(
            "select usd_per_output_mtok($usd::double, $speed::double) as usd",
            {"usd": inputs["usd_per_accelerator_hour"], "speed": speed},
        )["usd"]
    if "tokens_per_day" in inputs:
        figures["accelerators_busy"] = reader.one(
            "select accelerators_for_load($tokens::double, $speed::double, $utilisation::double) as n",
            {"tokens": inputs["tokens_per_day"], "speed": speed, "utilisation": inputs["utilisation_pct"]},
        )["n"]
    return figures


def _explain(row: Row, n_frontiers: int, done: Estimate) -> None:
    """Add sentences: standing, choice, how the frontier was read, lengths, prices, energy."""
    done.basis.append(f"{STANDING} Source {row['source']} ({row['source_url']}).")
    if n_frontiers > 1:
        done.basis.append(
            f"The cheapest per token by rent of {n_frontiers} frontiers that reach the speed, of the parts, "
            "number formats and frameworks asked for."
        )
    neighbours = (
        "a measured point" if row["basis"] == "measured" else "interpolated between two measured neighbours"
    )
    done.basis.append(
        f"Frontier of {row['n_frontier_points']} points from {row['lowest_tokens_per_s_per_user']:.1f} to "
        f"{row['highest_tokens_per_s_per_user']:.1f} tokens/s per user, number format "
        f"{row['number_format'] or 'not stated'}, framework {row['framework'] or 'not stated by the source'}: "
        f"{neighbours}."
    )
    low, high = row["output_tokens_low"], row["output_tokens_high"]
    prompts = (
        "prompts of a length that the source does not state"
        if row["input_tokens"] is None
        else f"{row['input_tokens']:,.0f} input tokens"
    )
    done.basis.append(
        f"Workload {row['workload']}: {prompts}, {low:,.0f} to {high:,.0f} output tokens (mean of a point)."
    )
    rent = row["rent_reason"] or (
        f"{row['rent_basis']}; {row['n_sellers']} sellers on demand (oldest price {row['oldest_price_on']})"
    )
    done.basis.append(
        f"Costs are at full use. Rent: {rent}. Ownership: {row['owned_reason'] or f'{DEFAULT_OWNER} (mart_tco)'}."
    )
    done.basis.append(
        "No joules were measured at this speed."
        if row["j_per_output_token_measured"] is None
        else f"Joules are measured, before PUE; power scope: {row['energy_scope']}."
    )
