"""Which accelerator, how many of it, rented or owned, serves a model within a budget.

The rules and the arithmetic are the SQL macro ``choose`` of the published file (dbt_project/macros/choose.sql). Here
the arguments are checked and names that people use are resolved.
"""

from __future__ import annotations

import difflib
import math
import re
from datetime import date
from pathlib import Path

import duckdb
import pandas as pd

from accelmart.published import QuestionError, connect

SCENARIOS = ("Server", "Offline", "Interactive")
DEFAULT_OWNER = "emerging_neocloud"

_CHOOSE = """
from choose(
    $model, $tokens_per_day, $budget, months := $months, region := $region, max_j_per_token := $max_j_per_token,
    max_ttft_ms := $max_ttft_ms, have_accelerator := $have_accelerator, have_count := $have_count,
    scenario := $scenario, utilisation := $utilisation, owner := $owner, as_of := $as_of
)
"""


def choose(
    model: str,
    tokens_per_day: float,
    budget: float,
    months: float = 12,
    *,
    region: str | None = None,
    max_j_per_token: float | None = None,
    max_ttft_ms: float | None = None,
    gpus_have: str | None = None,
    scenario: str = "Server",
    utilisation: float = 60,
    owner: str = DEFAULT_OWNER,
    as_of: date | None = None,
    database: Path | str | None = None,
) -> pd.DataFrame:
    """Return options for serving a model within a budget, those that can be recommended first, cheapest first.

    An option is an accelerator, a number of it, and how it is paid: ``rent`` (on demand, median over sellers),
    ``own`` (purchase and running cost of an owner) or ``have`` (running cost of accelerators one has).

    Args:
        model: MLCommons' benchmark key, such as ``llama3.1-405b``; case, hyphens and dots do not matter.
        tokens_per_day: output tokens a day.
        budget: US dollars that may be paid within the months: the rent, or the purchase and the running cost.
        months: months of 730 hours.
        region: region of rented machines (``%`` is a wildcard) or country code; None is all.
        max_j_per_token: most joules per output token with PUE, at full use. Modelled energy is judged, which exists
            for every part with a known power; measured energy where no modelled one is known.
        max_ttft_ms: longest time to first token in milliseconds, 99th percentile. Results of Server and Interactive
            count then; without it, results of `scenario`.
        gpus_have: accelerators that one has, such as ``64xH100``.
        scenario: Server, Offline or Interactive: which measured throughput.
        utilisation: per cent of the measured throughput that is used on average.
        owner: an ownership scenario of mart_tco.
        as_of: prices and rounds of that day; None takes the day of the newest price.
        database: the warehouse file; None is the published one.

    Returns:
        One row an option. ``rank`` is null where the option cannot be recommended, and ``reason`` says why.
        ``cost_usd`` (with low and high) is the rent or the cost of ownership over the months, ``paid_usd`` what must be
        paid within them. Columns ending in ``_usd`` are US dollars, in ``_gb`` 1e9 bytes, in ``_kwh`` kilowatt-hours.

    Raises:
        QuestionError: an argument cannot be used.
        NotPublishedError: there is no warehouse file.
    """
    _check_numbers(
        {"tokens_per_day": tokens_per_day, "budget": budget, "months": months},
        {"max_j_per_token": max_j_per_token, "max_ttft_ms": max_ttft_ms},
        utilisation,
    )
    with connect(database) as db:
        part, count = _owned(db, gpus_have)
        question = {
            "model": _known(db, "model", model, "select distinct benchmark_id from mart_token_throughput"),
            "tokens_per_day": float(tokens_per_day),
            "budget": float(budget),
            "months": float(months),
            "region": region,
            "max_j_per_token": max_j_per_token,
            "max_ttft_ms": max_ttft_ms,
            "have_accelerator": part,
            "have_count": count,
            "scenario": _one_of("scenario", scenario, SCENARIOS),
            "utilisation": float(utilisation),
            "owner": _known(db, "owner", owner, "select distinct scenario_id from mart_tco"),
            "as_of": as_of,
        }
        options: pd.DataFrame = db.execute(_CHOOSE, question).df()
        return options


def _check_numbers(needed: dict[str, float], limits: dict[str, float | None], utilisation: float) -> None:
    for name, value in {**needed, **{n: v for n, v in limits.items() if v is not None}}.items():
        if value is None or not math.isfinite(value) or value <= 0:
            raise QuestionError(f"{name} is {value}: it must be above 0")
    if not 0 < utilisation <= 100:
        raise QuestionError(f"utilisation is {utilisation}: it must be above 0 and at most 100 (per cent)")


def _owned(db: duckdb.DuckDBPyConnection, gpus_have: str | None) -> tuple[str | None, int | None]:
    """The part and the number of ``64xH100``: a key of dim_accelerator, or a name that the aliases know."""
    if gpus_have is None:
        return None, None
    found = re.fullmatch(r"\s*(\d+)\s*[x×*]\s*(\S.*?)\s*", gpus_have, re.IGNORECASE)
    if not found or int(found[1]) == 0:
        raise QuestionError(
            f"gpus_have is {gpus_have!r}: write a number, x and an accelerator, such as 64xH100"
        )
    word = found[2]
    named = db.execute(
        """
        select accelerator_id from dim_accelerator where accelerator_id = lower($word)
        union all
        (
            select accelerator_id from staging.stg_reference__accelerator_aliases
            where regexp_matches($word, pattern, 'i') and platform_pattern is null and not is_mixed
            order by is_override desc, priority, pattern limit 1
        )
        """,
        {"word": word},
    ).fetchone()
    if named is None:
        known = [a for (a,) in db.execute("select accelerator_id from dim_accelerator").fetchall()]
        raise QuestionError(
            f"gpus_have is {gpus_have!r}: there is no accelerator {word}.{_near(word, known)}"
        )
    return str(named[0]), int(found[1])


def _plain(word: str) -> str:
    return "".join(c for c in word.lower() if c.isalnum())


def _near(word: str, known: list[str]) -> str:
    inside = [k for k in known if _plain(word) and _plain(word) in _plain(k)]
    near = (inside or difflib.get_close_matches(word, known, n=6, cutoff=0.5))[:6]
    return f" Did you mean {', '.join(sorted(near))}?" if near else ""


def _known(db: duckdb.DuckDBPyConnection, name: str, word: str, statement: str) -> str:
    """The key that a word stands for."""
    return _one_of(name, word, sorted(str(k) for (k,) in db.execute(statement).fetchall()))


def _one_of(name: str, word: str, known: list[str] | tuple[str, ...]) -> str:
    for key in known:
        if _plain(key) == _plain(word):
            return key
    raise QuestionError(
        f"{name} is {word!r}: it must be one of {', '.join(known)}.{_near(word, list(known))}"
    )
