"""Serving at a speed of one user: MLPerf results whose limit guarantees it, or frontiers measured outside of MLPerf."""

from __future__ import annotations

from accelmart.asked import Names
from accelmart.errors import QuestionError
from accelmart.estimate import economics
from accelmart.estimate.options import NOT_OFFICIAL, Estimate, Request, optional
from accelmart.published import DEFAULT_OWNER, Database, Reader, Row, reading
from accelmart.words import did_you_mean, plain

STANDING = "Measured outside of MLPerf, not verified by MLCommons."
_OPTION = "tokens_per_s_per_user"
_PRICES = ("price", "provider", "scenario")
_COSTS = [f"{paid}_usd_per_output_mtok{side}" for paid in ("rent", "owned") for side in ("", "_low", "_high")]
_SPEED = "output_tokens_per_s_per_accelerator"
_OFFICIAL = [_SPEED, "guaranteed_tokens_per_s_per_user", "ttft_limit_ms", "tpot_limit_ms"]
_JOULES = ["j_per_output_token_measured", "energy_scope"]
_MEASURED = ["basis", _SPEED, "requests_per_accelerator", "ttft_ms", *_COSTS, *_JOULES]


def _check(asked: Request) -> None:
    """Raise QuestionError if a number or the price cannot be used."""
    optional("tokens_per_s_per_user", asked.tokens_per_s_per_user)
    optional("tokens_per_day", asked.tokens_per_day)
    optional("utilisation", asked.utilisation, highest=100, unit="per cent")
    asked.check_costs()
    if asked.changed(_PRICES) and asked.accelerator is None:
        raise QuestionError(
            "price, provider and scenario need accelerator with tokens_per_s_per_user; rent and ownership are "
            "answered without them"
        )


def serve_at_speed(asked: Request, database: Database) -> Estimate:
    """Return cost and energy of output tokens where each user gets so many tokens/s.

    First comes an MLPerf result whose limit on latency guarantees the speed (SQL macro mlperf_serving_at), then a
    frontier measured outside of MLPerf (serving_frontier_at). The two are never ranked together: the other one stands
    in ``apart``. Where neither gives a cost, figures are None with a ``reason``, and MLPerf's result under the wider
    limit on latency says what is not exceeded.

    Raises:
        QuestionError: nothing was measured for the model, part or format, or an option cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    _check(asked)
    done = Estimate()
    with reading(database) as reader:
        names = Names(reader)
        asked, done.notes = asked.resolved(names), names.notes
        of_all = _official(reader, asked)
        official = [r for r in of_all if asked.accelerator in (None, r["accelerator_id"])]
        groups, missing = _frontiers(reader, asked, is_needed=not official)
        guaranteed = [row for row in official if row["is_guaranteed"]]
        usable = [row for row in groups if row["reason"] is None and row["cost_reason"] is None]
        done.inputs = _inputs(min(guaranteed or usable, key=_cheapest, default={}), asked)
        accelerator = done.inputs["accelerator_id"]
        official = [r for r in official if r["accelerator_id"] == accelerator]
        if guaranteed:
            _take_official(min(guaranteed, key=_cheapest), len(guaranteed), done)
            done.apart = [_apart_frontier(r) for r in groups if r["accelerator_id"] == accelerator]
            done.basis += [f"No frontier stands beside it: {missing}."] if missing else []
        elif usable:
            _take_frontier(min(usable, key=_cheapest), len(usable), done)
            done.apart = [_apart_official(r) for r in _under_wider_limit(official)]
        else:
            _take_nothing(asked, groups, missing, of_all, done)
        if asked.changed(_PRICES):
            rate = economics.prices(reader, asked, [accelerator])[accelerator]
            done.inputs |= rate.inputs()
            done.basis.append(rate.words)
        done.figures |= _derived(reader, done.inputs, done.figures[_SPEED])
    return done


def _frontiers(reader: Reader, asked: Request, *, is_needed: bool) -> tuple[list[Row], str | None]:
    """Return the frontiers of what was asked for, else why there are none; raise where one is needed."""
    measured = reader.rows("from serving_frontier_at($speed::double)", {"speed": asked.tokens_per_s_per_user})
    try:
        return _of_what_was_asked(measured, asked), None
    except QuestionError as e:
        if is_needed:
            raise
        return [], str(e).split(". ")[0]


def _official(reader: Reader, asked: Request) -> list[Row]:
    """Return MLPerf's best results of the model under limits on latency; none where a workload is asked for."""
    if asked.workload is not None:
        return []
    rows = reader.rows(
        "from mlperf_serving_at($speed::double, weights := $weights) "
        "order by accuracy_target desc nulls last, benchmark_id, accelerator_id, tpot_limit_ms",
        {"speed": asked.tokens_per_s_per_user, "weights": asked.weights},
    )
    for column in ("benchmark_id", "benchmark_family"):
        for row in rows:
            if plain(row[column]) == plain(asked.model):
                return [r for r in rows if r["benchmark_id"] == row["benchmark_id"]]
    return []


def _take_official(row: Row, n_results: int, done: Estimate) -> None:
    """Answer with an MLPerf result whose limit guarantees the speed."""
    done.figures = {"basis": f"MLPerf {row['scenario']}", **{n: row[n] for n in [*_OFFICIAL, *_COSTS]}}
    done.figures["uncertainty_basis"] = "one result; range of prices"
    done.rest_on(row["result_id"])
    done.basis.append(_official_words(row))
    if n_results > 1:
        done.basis.append(f"The cheapest per token by rent of {n_results} MLPerf results with such a limit.")
    done.basis.append(_costs_words(row))


def _official_words(row: Row) -> str:
    p99 = row["tpot_ms_p99"]
    return (
        f"MLPerf Inference {row['release']} {row['submission_id']}, closed, {row['availability']}, {row['submitter']}, "
        f"{row['system_name']}, {row['benchmark_id']} {row['scenario']} on {row['accelerator_count']:,} x "
        f"{row['accelerator_id']} (result {row['result_id']}): {row['output_tokens_per_s_per_accelerator']:,.1f} "
        f"output tokens/s per accelerator, within {row['ttft_limit_ms']:g} ms to the first token and "
        f"{row['tpot_limit_ms']:g} ms per output token (99th percentile, MLCommons' limits: {row['limits_source_url']}"
        f"{f'; measured {p99:.1f} ms per token' if p99 else ''}): 99 % of users get at least "
        f"{row['guaranteed_tokens_per_s_per_user']:.1f} tokens/s. {NOT_OFFICIAL}"
    )


def _take_frontier(row: Row, n_frontiers: int, done: Estimate) -> None:
    """Answer with a frontier measured outside of MLPerf."""
    done.figures = {name: row[name] for name in _MEASURED}
    done.figures["uncertainty_basis"] = "one frontier; range of prices"
    done.points = list(dict.fromkeys([row["point_id_below"], row["point_id_above"]]))
    _explain(row, n_frontiers, done)


def _take_nothing(
    asked: Request, groups: list[Row], missing: str | None, of_all: list[Row], done: Estimate
) -> None:
    """Answer without figures: why, and what MLPerf's result under the nearest wider limit gives as a bound."""
    reasons = [f"{_frontier_of(row)} is {row['reason'] or row['cost_reason']}" for row in groups]
    whose = " of the accelerator" if asked.accelerator else ""
    wanted = f"no MLPerf result{whose} guarantees {asked.tokens_per_s_per_user:g} tokens/s per user"
    reason = f"{wanted}; {'; '.join(reasons) or missing}"
    done.figures = dict.fromkeys([_SPEED, *_COSTS]) | {"reason": reason}
    done.basis.append(f"No figure: {reason}.")
    done.apart = [_apart_frontier(row) for row in groups if row["reason"] is None]
    for bound in _under_wider_limit([r for r in of_all if r["accelerator_id"] == asked.accelerator]):
        why = f"high is MLPerf {bound['scenario']}, under a wider limit on latency"
        done.figures |= {f"{_SPEED}_high": bound[_SPEED], "uncertainty_basis": why}
        done.results.append(bound["result_id"])
        done.basis.append(f"High is measured under a wider limit on latency: {_official_words(bound)}")
    if others := sorted({r["accelerator_id"] for r in of_all if r["is_guaranteed"]}):
        done.basis.append(f"MLPerf results that guarantee the speed are of {', '.join(others)}.")


def _under_wider_limit(official: list[Row]) -> list[Row]:
    """Return the result under the tightest of MLPerf's limits, one or none, of rows that do not guarantee the speed."""
    return sorted(official, key=lambda row: row["tpot_limit_ms"])[:1]


def _frontier_of(row: Row) -> str:
    return f"{row['source']} {row['accelerator_id']} {_format_of(row)} {row['workload']}"


def _apart_frontier(row: Row) -> Row:
    apart = {"standing": STANDING, "frontier": _frontier_of(row), **{n: row[n] for n in _MEASURED}}
    apart["reason"] = row["reason"] or row["cost_reason"]
    return {name: value for name, value in apart.items() if value is not None}


def _apart_official(row: Row) -> Row:
    """What MLPerf measured at another speed: without its cost, which is no cost of the speed asked for."""
    standing = f"MLPerf {row['scenario']}: guarantees less than the speed asked for."
    return {"standing": standing, "result_id": row["result_id"], **{n: row[n] for n in _OFFICIAL}}


def _of_what_was_asked(measured: list[Row], asked: Request) -> list[Row]:
    """Return the frontiers of what was asked for, all of one workload, whether they reach the speed or not."""
    model = asked.model
    if not measured:
        raise QuestionError(f"{_OPTION}: the published warehouse has no measured serving outside of MLPerf")
    rows = [row for row in measured if plain(row["model_id"]) == plain(model)]
    if not rows:
        models = sorted({row["model_id"] for row in measured})
        raise QuestionError(
            f"model is {model}: no frontier was measured.{did_you_mean(model, models)} "
            f"Models with {_OPTION}: {', '.join(models)}"
        )
    for option, column, value in (
        ("accelerator", "accelerator_id", asked.accelerator),
        ("weights", "number_format", asked.weights),
        ("workload", "workload", asked.workload),
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
            f"workload must be named, as prompts and answers differ: {model} was measured with {', '.join(workloads)}"
        )
    return rows


def _format_of(row: Row) -> str:
    return " ".join(row[column] for column in ("number_format", "framework") if row[column] is not None)


def _cheapest(row: Row) -> tuple[bool, float]:
    """Order by rent per token; what has no rent comes last, by throughput."""
    usd = row["rent_usd_per_output_mtok"]
    return (True, -row[_SPEED]) if usd is None else (False, usd)


def _inputs(row: Row, asked: Request) -> Row:
    names = (
        "model_id benchmark_id accelerator_id number_format scenario framework workload input_tokens "
        "output_tokens_low output_tokens_high source"
    )
    inputs: Row = {"model": asked.model, "accelerator_id": asked.accelerator}
    inputs |= {name: row[name] for name in names.split() if name in row}
    inputs["tokens_per_s_per_user"] = asked.tokens_per_s_per_user
    if asked.tokens_per_day is not None:
        inputs |= {"tokens_per_day": asked.tokens_per_day, "utilisation_pct": asked.utilisation}
    return inputs


def _derived(reader: Reader, inputs: Row, speed: float | None) -> Row:
    """Return the cost at a given price and the accelerators of a given load, by the published macros."""
    figures: Row = {}
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
            f"The cheapest per token by rent of {n_frontiers} frontiers that reach the speed, of the accelerators, "
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
    done.basis.append(_costs_words(row))
    done.basis.append(
        "No joules were measured at this speed."
        if row["j_per_output_token_measured"] is None
        else f"Joules are measured, before PUE; power scope: {row['energy_scope']}."
    )


def _costs_words(row: Row) -> str:
    rent = row["rent_reason"] or (
        f"{row['rent_basis']}; {row['n_sellers']} sellers on demand (oldest price {row['oldest_price_on']})"
    )
    return (
        f"Costs are at full use, their range is that of the price alone. Rent: {rent}. Ownership: "
        f"{row['owned_reason'] or f'{DEFAULT_OWNER} (mart_tco)'}."
    )
