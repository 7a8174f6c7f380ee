"""Build three reference data roots with this checkout and others, to compare what they publish.

Run: python bench/reference_homes.py PRICES OUT [CHECKOUT ...]

PRICES has the real payloads of the price sources (those of the tests). The landing zones are made once, in OUT/landed:
(a) the bundled snapshot alone; (b) every replayed upstream fetched on three days, and two rounds landed; (c) the same
with a hold, a withdrawal, an isolated and a quarantined payload. What a checkout (default: this one; each needs its
.venv) builds and answers to rank, choose and compare is in OUT/<name of its folder>. OUT/queries.sql has the cookbook's
queries and a call of every public macro, separated by lines with a semicolon.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from played import ROOT  # isort: skip  it adds the folders of the tests to the path

from home_copies import land_given
from made import store
from replay_server import Asked, ReplayServer, Reply, altered
from replay_world import KEYS, world
from small_round import small_round
from small_training import small_training_round
from urllib3.util import Retry

from accelmart.http import HttpClient
from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.fetch import fetch_payload
from ingest.core.landing import Landing
from ingest.core.source import plan_of
from ingest.registry import LIST_SOURCES

FIRST_DAY = datetime(2026, 11, 1, 6, tzinfo=UTC)
PRICE_CHANGES = ("", "1.1", "0.9")
"""Factor on the prices of Vast.ai on each day."""
ANSWERS = {
    "rank": ("rank", "--model", "deepseek-r1", "--json"),
    "choose": ("choose", "--model", "llama3.1-405b", "--tokens-per-day", "1e8", "--budget", "1e6", "--json"),
    "compare": ("compare", "nvidia-h200-sxm-141gb", "nvidia-b200-sxm-180gb", "--json"),
}
_BLOCK = re.compile(r"```sql\n(.*?)```", flags=re.DOTALL)


def write_tree(folder: Path, files: dict[str, str]) -> Path:
    """Write the files of a round."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def fetch_everything(upstreams: ReplayServer, landing: Landing) -> None:
    """Fetch every list once; a source that fails is left as it is."""
    client = HttpClient(mirror=upstreams.url, min_interval_seconds=0, retry=Retry(0))
    for source in LIST_SOURCES.values():
        for fetch in plan_of(source, KEYS)[0]:
            try:
                fetch_payload(landing, source, fetch, client)
            except AccelmartError as e:
                print(f"{source.name} {fetch.key}: {e}", file=sys.stderr)


def change_prices(factor: float) -> Callable[[Asked, Reply], Reply]:
    """Return a change of Vast.ai's answers: every price times a factor."""

    def change(_: Asked, reply: Reply) -> Reply:
        document = json.loads(reply.body)
        for offer in document["offers"]:
            offer["dph_total"] = round(offer["dph_total"] * factor, 6)
        return replace(reply, body=json.dumps(document).encode())

    return change


def make_landings(prices: Path, out: Path) -> None:
    """Make the landing zones and holds of the three data roots."""
    for name in "abc":
        (out / name).mkdir(parents=True)
    with world(prices) as upstreams:
        for day, factor in enumerate(PRICE_CHANGES):
            landing = Landing(str(out / "b" / "landing"), now=partial(FIRST_DAY.__add__, timedelta(days=day)))
            if factor:
                upstreams.heal()
                upstreams.fault("console.vast.ai", "/api/v0/bundles", altered(change_prices(float(factor))))
            fetch_everything(upstreams, landing)
    trees = out / "trees"
    land_given(out / "b", "mlperf-inference", "v9.8", write_tree(trees / "inference", small_round(1600)))
    land_given(out / "b", "mlperf-training", "v9.8", write_tree(trees / "training", small_training_round()))
    shutil.copytree(out / "b", out / "c", dirs_exist_ok=True)
    run(ROOT, out / "c", "build")
    run(ROOT, out / "c", "freeze", "mlperf-inference", "v9.8")
    run(ROOT, out / "c", "exclude", "mlperf-training", "v5.0")
    half = {p: t for i in range(4) for p, t in small_round(1500 + i, platform=f"p{i}").items()}
    land_given(out / "c", "mlperf-inference", "v9.7", write_tree(trees / "whole", half))
    # four fifths of the rows are gone: isolated
    land_given(
        out / "c", "mlperf-inference", "v9.7", write_tree(trees / "part", small_round(1500, platform="p0"))
    )
    landing = Landing(str(out / "c" / "landing"))
    store(
        landing,
        b"not a price list",
        source="vast",
        key="offers",
        rejected=PayloadRejected(payload="offers", problem="it is no price list", remedy="look at it"),
        fetched_at=FIRST_DAY + timedelta(days=9),
    )
    keep = {"landing", "overrides"}
    for path in (out / "c").iterdir():
        if path.name not in keep:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def run(checkout: Path, home: Path, *arguments: str) -> str:
    """Run a command of a checkout on a data root; return what it prints.

    Raises:
        CalledProcessError: it fails.
    """
    done = subprocess.run(
        [checkout / ".venv/bin/accelmart", *arguments],
        env={**os.environ, "ACCELMART_HOME": str(home)}, cwd=checkout, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(done.stdout, done.stderr, file=sys.stderr)
        done.check_returncode()
    return done.stdout


def write_queries(out: Path, built: Path) -> None:
    """Write the cookbook's queries and one call of every public table macro that needs no argument."""
    queries = _BLOCK.findall((ROOT / "docs/cookbook.md").read_text(encoding="utf-8"))
    names = (
        "select distinct function_name from duckdb_functions() where schema_name = 'main' and not internal"
    )
    macros = json.loads(run(ROOT, built, "sql", f"{names} order by 1", "--format", "json"))
    calls = [f"from {m['function_name']}()" for m in macros] + [
        f"select {m['function_name']}()" for m in macros
    ]
    (out / "queries.sql").write_text("\n;\n".join([*queries, *calls]), encoding="utf-8")


def main() -> None:
    """Make the landing zones once, then build and ask with each checkout."""
    prices, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    landed = out / "landed"
    if not landed.exists():
        make_landings(prices, landed)
    for checkout in [Path(p).resolve() for p in sys.argv[3:]] or [ROOT]:
        target = out / f"{checkout.parent.name}-{checkout.name}"
        for name in "abc":
            home = target / name
            shutil.rmtree(home, ignore_errors=True)
            shutil.copytree(landed / name, home)
            run(checkout, home, "build")
            for answer, arguments in ANSWERS.items():
                (home / f"{answer}.json").write_text(run(checkout, home, *arguments), encoding="utf-8")
        print(target)
    write_queries(out, target / "a")


if __name__ == "__main__":
    main()
