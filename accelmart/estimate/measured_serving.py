"""Serving at a speed of one user: MLPerf results whose limit guarantees it, or frontiers measured outside of MLPerf."""

from __future__ import annotations

from accelmart.errors import QuestionError
from accelmart.estimate import economics
from accelmart.estimate.request import NOT_OFFICIAL, Estimate, Request
from accelmart.published import DEFAULT_OWNER, Row
from accelmart.words import did_you_mean, plain

STANDING = "Measured outside of MLPerf, not verified by MLCommons."
_COSTS = [f"{paid}_usd_per_output_mtok{side}" for paid in ("rent", "owned") for side in ("", "_low", "_high")]
_SPEED = "output_tokens_per_s_per_accelerator"
_OFFICIAL = [_SPEED, "guaranteed_tokens_per_s_per_user", "ttft_limit_ms", "tpot_limit_ms"]
_MEASURED = [
    "basis",
    _SPEED,
    "requests_per_accelerator",
    "ttft_ms",
    *_COSTS,
    "j_per_output_token_measured",
    "energy_scope",
]
_INPUTS = (
    *("model_id", "benchmark_id", "accelerator_id", "number_format", "scenario", "framework", "workload"),
    *("input_tokens", "output_tokens_low", "output_tokens_high", "source"),
)


def serve_at_speed(asked: Request) -> Estimate:
    """Return cost and energy of output tokens where each user gets so many tokens/s.

    First comes an MLPerf result whose limit on latency guarantees the speed (SQL macro mlperf_serving_at), then a
    frontier measured outside of MLPerf (serving_frontier_at). The two are never ranked together: the other one stands
    in ``apart``. Where neither gives a cost, figures are None with a ``reason``, and MLPerf's result under the wider
    limit on latency says what is not exceeded.

    Raises:
        QuestionError: nothing was measured for the model, part or format, or there is no price of the kind asked for.
    """
    done, of_all = asked.done, _official(asked)
    official = [r for r in of_all if asked.accelerator in (None, r["accelerator_id"])]
    frontiers, missing = _frontiers(asked)
    if missing and not official:
        raise QuestionError(missing)
    guaranteed = sorted((row for row in official if row["is_guaranteed"]), key=_cheapest)
    usable = sorted((row for row in frontiers if not (row["reason"] or row["cost_reason"])), key=_cheapest)
    best = next(iter(guaranteed or usable), {})
    accelerator = best.get("accelerator_id", asked.accelerator)
    done.inputs = {"model": asked.model, "accelerator_id": accelerator}
    done.inputs |= {name: best[name] for name in _INPUTS if name in best}
    done.inputs["tokens_per_s_per_user"] = asked.tokens_per_s_per_user
    if guaranteed:
        _take_official(asked, best, len(guaranteed))
        done.apart = [_apart_frontier(row) for row in frontiers if row["accelerator_id"] == accelerator]
        done.basis += [f"No frontier stands beside it: {missing.split('. ')[0]}."] if missing else []
    elif usable:
        _take_frontier(asked, best, len(usable))
        done.apart = [_apart_official(row) for row in _under_tightest_limit(of_all, accelerator)]
    else:
        _take_nothing(asked, frontiers, missing, of_all)
    _add_own_price_and_load(asked, accelerator)
    return done


def _frontiers(asked: Request) -> tuple[list[Row], str]:
    """Return the frontiers of what was asked for, all of one workload, whether they reach the speed or not.

    With none, the second value says why.
    """
    measured = asked.rows("from serving_frontier_at($tokens_per_s_per_user::double)")
    rows = [row for row in measured if plain(row["model_id"]) == plain(asked.model)]
    if not rows:
        models = sorted({row["model_id"] for row in measured})
        return [], (
            f"model is {asked.model}: no frontier was measured.{did_you_mean(asked.model, models)} "
            f"Models with tokens_per_s_per_user: {', '.join(models) or 'none'}"
        )
    for option, column in (
        ("accelerator", "accelerator_id"),
        ("weights", "number_format"),
        ("workload", "workload"),
    ):
        value, known = getattr(asked, option), sorted({row[column] for row in rows if row[column]})
        rows = [row for row in rows if value is None or row[column] == value]
        if not rows:
            return [], (
                f"{option} is {value}: no frontier of {asked.model} was measured with it. Measured: {', '.join(known)}"
            )
    workloads = sorted({row["workload"] for row in rows})
    if len(workloads) > 1:
        return [], (
            f"workload must be named, as prompts and answers differ: {asked.model} was measured with "
            f"{', '.join(workloads)}"
        )
    return rows, ""


def _official(asked: Request) -> list[Row]:
    """Return MLPerf's best results of the model under limits on latency; none where a workload is asked for."""
    if asked.workload is not None:
        return []
    rows = asked.rows(
        "from mlperf_serving_at($tokens_per_s_per_user::double, weights := $weights) "
        "order by accuracy_target desc nulls last, benchmark_id, accelerator_id, tpot_limit_ms"
    )
    for column in ("benchmark_id", "benchmark_family"):
        for row in rows:
            if plain(row[column]) == plain(asked.model):
                return [r for r in rows if r["benchmark_id"] == row["benchmark_id"]]
    return []


def _take_official(asked: Request, row: Row, n_results: int) -> None:
    """Answer with an MLPerf result whose limit guarantees the speed."""
    done = asked.done
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
        f"{row['accelerator_id']} (result {row['result_id']}): {row[_SPEED]:,.1f} output tokens/s per accelerator, "
        f"within {row['ttft_limit_ms']:g} ms to the first token and {row['tpot_limit_ms']:g} ms per output token (99th "
        f"percentile, MLCommons' limits: {row['limits_source_url']}"
        f"{f'; measured {p99:.1f} ms per token' if p99 else ''}): 99 % of users get at least "
        f"{row['guaranteed_tokens_per_s_per_user']:.1f} tokens/s. {NOT_OFFICIAL}"
    )


def _take_frontier(asked: Request, row: Row, n_frontiers: int) -> None:
    """Answer with a frontier measured outside of MLPerf: standing, choice, how it was read, lengths, prices, energy."""
    done = asked.done
    done.figures = {name: row[name] for name in _MEASURED}
    done.figures["uncertainty_basis"] = "one frontier; range of prices"
    done.points = list(dict.fromkeys([row["point_id_below"], row["point_id_above"]]))
    done.basis.append(f"{STANDING} Source {row['source']} ({row['source_url']}).")
    if n_frontiers > 1:
        done.basis.append(
            f"The cheapest per token by rent of {n_frontiers} frontiers that reach the speed, of the accelerators, "
            "number formats and frameworks asked for."
        )
    is_point, length = row["basis"] == "measured", row["input_tokens"]
    done.basis += [
        f"Frontier of {row['n_frontier_points']} points from {row['lowest_tokens_per_s_per_user']:.1f} to "
        f"{row['highest_tokens_per_s_per_user']:.1f} tokens/s per user, number format "
        f"{row['number_format'] or 'not stated'}, framework {row['framework'] or 'not stated by the source'}: "
        f"{'a measured point' if is_point else 'interpolated between two measured neighbours'}.",
        f"Workload {row['workload']}: {'not stated' if length is None else f'{length:,.0f}'} input tokens, "
        f"{row['output_tokens_low']:,.0f} to {row['output_tokens_high']:,.0f} output tokens (mean of a point).",
        _costs_words(row),
        "No joules were measured at this speed."
        if row["j_per_output_token_measured"] is None
        else f"Joules are measured, before PUE; power scope: {row['energy_scope']}.",
    ]


def _take_nothing(asked: Request, frontiers: list[Row], missing: str, of_all: list[Row]) -> None:
    """Answer without figures: why, and what MLPerf's result under the nearest wider limit gives as a bound."""
    done = asked.done
    reasons = [f"{_frontier_of(row)} is {row['reason'] or row['cost_reason']}" for row in frontiers]
    whose = " of the accelerator" if asked.accelerator else ""
    wanted = f"no MLPerf result{whose} guarantees {asked.tokens_per_s_per_user:g} tokens/s per user"
    reason = f"{wanted}; {'; '.join(reasons) or missing.split('. ')[0]}"
    done.figures = dict.fromkeys([_SPEED, *_COSTS]) | {"reason": reason}
    done.apart = [_apart_frontier(row) for row in frontiers if row["reason"] is None]
    for bound in _under_tightest_limit(of_all, asked.accelerator):
        why = f"high is MLPerf {bound['scenario']}, under a wider limit on latency"
        done.figures |= {f"{_SPEED}_high": bound[_SPEED], "uncertainty_basis": why}
        done.results.append(bound["result_id"])
        done.basis.append(f"High is measured under a wider limit on latency: {_official_words(bound)}")
    if others := sorted({r["accelerator_id"] for r in of_all if r["is_guaranteed"]}):
        done.basis.append(f"MLPerf results that guarantee the speed are of {', '.join(others)}.")


def _under_tightest_limit(official: list[Row], accelerator: str | None) -> list[Row]:
    """Return MLPerf's result of an accelerator under the tightest limit, one or none."""
    of_part = (row for row in official if row["accelerator_id"] == accelerator)
    return sorted(of_part, key=lambda row: row["tpot_limit_ms"])[:1]


def _frontier_of(row: Row) -> str:
    names = ("source", "accelerator_id", "number_format", "framework", "workload")
    return " ".join(row[name] for name in names if row[name] is not None)


def _apart_frontier(row: Row) -> Row:
    apart = {"standing": STANDING, "frontier": _frontier_of(row), **{n: row[n] for n in _MEASURED}}
    apart["reason"] = row["reason"] or row["cost_reason"]
    return {name: value for name, value in apart.items() if value is not None}


def _apart_official(row: Row) -> Row:
    """Return what MLPerf measured at another speed: without its cost, which is no cost of the speed asked for."""
    standing = f"MLPerf {row['scenario']}: guarantees less than the speed asked for."
    return {"standing": standing, "result_id": row["result_id"], **{n: row[n] for n in _OFFICIAL}}


def _cheapest(row: Row) -> tuple[bool, float]:
    """Order by rent per token; what has no rent comes last, by throughput."""
    usd = row["rent_usd_per_output_mtok"]
    return (True, -row[_SPEED]) if usd is None else (False, usd)


def _add_own_price_and_load(asked: Request, accelerator: str | None) -> None:
    """Add the cost at a given price and the accelerators of a given load, by the published macros."""
    done, speed = asked.done, asked.done.figures[_SPEED]
    if asked.tokens_per_day is not None:
        done.inputs |= {"tokens_per_day": asked.tokens_per_day, "utilisation_pct": asked.utilisation}
        load = (
            "select accelerators_for_load($tokens_per_day::double, $speed::double, $utilisation::double) as n"
        )
        done.figures["accelerators_busy"] = asked.one(load, speed=speed)["n"]
    if accelerator and (asked.price, asked.provider, asked.scenario) != (None, None, None):
        rate = economics.take_rate(asked, economics.prices(asked, [accelerator])[accelerator])
        done.inputs |= rate
        cost = "select usd_per_output_mtok($usd_per_accelerator_hour::double, $speed::double) as usd"
        done.figures["usd_per_output_mtok_at_full_use"] = asked.one(cost, speed=speed, **rate)["usd"]


def _costs_words(row: Row) -> str:
    rent = row["rent_reason"] or (
        f"{row['rent_basis']}; {row['n_sellers']} sellers on demand (oldest price {row['oldest_price_on']})"
    )
    return (
        f"Costs are at full use, their range is that of the price alone. Rent: {rent}. Ownership: "
        f"{row['owned_reason'] or f'{DEFAULT_OWNER} (mart_tco)'}."
    )
