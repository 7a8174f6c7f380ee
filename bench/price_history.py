"""Five years of daily prices made intervals of, compared with a plain DuckDB query for price changes.

Run: python bench/price_history.py [--days 1825] [--offers 30000] [--keep DIR]. Prices are synthetic (seeded), the files
are those of the raw layer. Every step runs in a separate process with the same memory limit, three times, and
the median counts. Times are CPU seconds after the imports, memory is the peak resident set size of the process.

A step of ours includes: reading the manifest of the landing zone, and the dbt models from parsed lists to
`int_price__intervals`, whose prices are read. All models of prices, at 1, 10 and 100 times the price changes of the
bundled snapshot, are measured after it (bench/price_models.py).

Exit code 1: more than 1.2 times the CPU time of the plain islands query; more than 4 GB; a figure that
differs from the generated one; a price model that is not linear.
"""

import argparse
import hashlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import price_models
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ingest.core.fetch_plan import nothing_to_fetch  # noqa: E402
from ingest.core.landing import Landing  # noqa: E402
from ingest.core.payload import Evidence  # noqa: E402
from ingest.core.records import Parsed  # noqa: E402
from ingest.core.source import Part, Source  # noqa: E402
from ingest.prices.offers import PriceOffer  # noqa: E402
from warehouse.inputs.parsing import RawLayer  # noqa: E402
from warehouse.inputs.price_observations import Observed, observe, write_observations  # noqa: E402
from warehouse.inputs.price_spark import create_observed, render_model  # noqa: E402
from warehouse.inputs.raw import PRICE_OFFERS, Provenance, read_parts, schema, write_part  # noqa: E402
from warehouse.storage.home import DBT_PROJECT_DIR, Home  # noqa: E402

RATIO_MAX = 1.2
MB_MAX = 4000
MEMORY_MB = 4000
"""`--memory-mb` sets another limit; that of a build is 600 (dbt_project/profiles.yml)."""
FIRST_DAY = datetime(2021, 1, 1, 6, tzinfo=UTC)
KEY = "all"
MODELS = ("int_price__joined", "int_price__dated", "int_price__intervals")
ACCELERATORS = ("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB", "NVIDIA L4", "AMD Instinct MI300X")


def not_parsed(members, *, key):
    """Every payload is parsed already."""
    raise AssertionError(f"{key} is parsed again")


SOURCE = Source(
    name="bench",
    title="Made-up prices",
    home_url="https://prices.example/",
    licence="none",
    plan=nothing_to_fetch,
    parse=not_parsed,
    polls_to_close=3,
)


def observed_in(folder: Path) -> Observed:
    """When each list of a history was in force."""
    layer = RawLayer(Home(folder, str(folder / "landing")), read_parts(folder / "raw"))
    return observe(SOURCE, [], layer.landed(SOURCE), layer.is_sound, folder / "no-snapshot")


class Market:
    """Offers of which about 1 % change their price per day, and the expected counts.

    The counts are taken per observation, without months, runs or windows.
    """

    def __init__(self, offers: int, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        # 2 % of the offers are missing on a day
        self.ids = int(offers * 1.02)
        i = np.arange(self.ids)
        regions = [f"region-{n}" for n in range(25)]
        types = [f"gpu{n}.{n % 8 + 1}xlarge" for n in range(self.ids // 25 + 1)]
        self.columns = {
            "provider_published": pa.array(np.full(self.ids, "bench cloud")).dictionary_encode(),
            "instance_type": pa.array([types[n // 25] for n in i]),
            "region": pa.array([regions[n % 25] for n in i]),
            "pricing_model": pa.array(np.where(i % 3, "on_demand", "spot")),
            "accelerator_published": pa.array([ACCELERATORS[n // 25 % 4] for n in i]),
            "accelerator_count": pa.array(2.0 ** (i // 25 % 4)),
            "vcpus": pa.array(12.0 * (1 + i // 25 % 16)),
            "memory_gb": pa.array(90.0 * (1 + i // 25 % 16)),
            "record": pa.array([f"[{n}]" for n in i]),
            "offer_id": pa.array([_id(n) for n in range(self.ids)]),
        }
        self.price = np.round(self.random.uniform(0.1, 90.0, self.ids), 4)
        self.away_until = np.zeros(self.ids, dtype=np.int64)
        self.last_price = np.zeros(self.ids)
        self.last_poll = np.zeros(self.ids, dtype=np.int64)
        self.day = self.polls = self.observations = self.changes = self.intervals = 0

    def next_day(self, polls: int) -> np.ndarray:
        """Advance one day with a number of polls, and return the numbers of the listed offers."""
        draw = self.random.random((4, self.ids))
        moved = draw[0] < 0.01
        factor = np.where(draw[1] < 0.5, 0.9, 1.25)
        self.price = np.where(moved, np.maximum(np.round(self.price * factor, 4), 0.05), self.price)
        leaving = (draw[2] < 0.001) & (self.away_until <= self.day)
        days_away = self.random.integers(1, 40, self.ids)
        self.away_until = np.where(leaving, self.day + days_away, self.away_until)
        there = np.flatnonzero(self.away_until <= self.day)
        price, before, seen = self.price[there], self.last_price[there], self.last_poll[there]
        is_known, is_moved = seen > 0, price != before
        is_withdrawn = self.polls - seen >= SOURCE.polls_to_close
        self.changes += int((is_known & is_moved).sum())
        self.intervals += int((~is_known | is_moved | is_withdrawn).sum())
        self.observations += len(there)
        self.day, self.polls = self.day + 1, self.polls + polls
        self.last_price[there], self.last_poll[there] = price, self.polls
        return there

    def table(self, there: np.ndarray, provenance: Provenance) -> pa.Table:
        """Return a day's offers as a table of the raw layer."""
        price = self.price[there]
        n, taken = len(there), pa.array(there)
        given = {name: column.take(taken) for name, column in self.columns.items()}
        given |= {"price": pa.array(price), "price_published": pa.array(np.char.mod("%.4f", price))}
        constants = {
            "price_unit": "instance_hour",
            "currency": "USD",
            "source_url": SOURCE.home_url,
            "member": "",
            "operating_system": "linux",
            "upfront": 0.0,
            "n_observed": 1,
            "observed_precision": "exact",
            **vars(provenance),
        }
        shape = schema(PriceOffer)
        columns = [
            given[f.name].cast(f.type)
            if f.name in given
            else pa.repeat(pa.scalar(constants.get(f.name), type=f.type), n)
            for f in shape
        ]
        return pa.Table.from_arrays(columns, schema=shape)


def _id(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:12]


def land(folder: Path, day: int, market: Market) -> None:
    """Write one day: payload in the landing zone, part in the raw layer; every tenth list is polled twice."""
    polls = 2 if day % 10 == 0 else 1
    there = market.next_day(polls)
    at = FIRST_DAY + timedelta(days=day)
    landing = Landing(folder / "landing")
    payload = landing.store(
        [f"made-up list {day}".encode()],
        Evidence(
            source=SOURCE.name,
            key=KEY,
            url=SOURCE.home_url,
            licence=SOURCE.licence,
            content_type="text/plain",
        ),
        fetched_at=at,
    )
    if polls == 2:
        landing.unchanged(payload, fetched_at=at + timedelta(hours=6))
    provenance = Provenance(
        source=SOURCE.name,
        payload_key=KEY,
        payload_url=SOURCE.home_url,
        payload_sha256=payload.sha256,
        payload_bytes=payload.bytes,
        licence=SOURCE.licence,
        fetched_at=at,
        parser_version=SOURCE.parser_version,
    )
    part = write_part(
        folder / "raw", Part("", "prices", Parsed(records_in=len(there))), provenance, parts_in_payload=1
    )
    pq.write_table(market.table(there, provenance), part.path(PRICE_OFFERS), compression="zstd")


def generate(folder: Path, days: int, offers: int, seed: int) -> None:
    """Write all days except the last, then the last separately, with the counts at both times."""
    market = Market(offers, seed)
    whole, more = folder / "history", folder / "day_more"
    tallies = []
    for day in range(days):
        land(whole, day, market)
    tallies.append(_tally(market))
    land(more, days, market)
    tallies.append(_tally(market))
    (folder / "tally.json").write_text(json.dumps(tallies))


def _tally(market: Market) -> dict[str, int]:
    return {n: getattr(market, n) for n in ("observations", "changes", "intervals", "polls")}


def offers_of(folder: Path) -> str:
    """Return the files of all offers, for DuckDB."""
    return f"read_parquet('{folder}/raw/{PRICE_OFFERS}/*.parquet')"


def limited(database: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """Connect with the memory limit."""
    return duckdb.connect(
        database,
        config={"memory_limit": f"{MEMORY_MB}MB", "temp_directory": f"{tempfile.gettempdir()}/price_history"},
    )


def bare(folder: Path) -> dict[str, int]:
    """Count price changes with a window over the previous price."""
    (changes,) = (
        limited()
        .execute(
            f"""
            select count(*) from (
                select price, lag(price) over (partition by offer_id order by fetched_at) as price_before
                from {offers_of(folder)}
            )
            where price_before <> price
            """
        )
        .fetchone()
    )
    return {"changes": changes}


def islands(folder: Path) -> dict[str, int]:
    """Number the islands of equal prices, then group by them."""
    (changes,) = (
        limited()
        .execute(
            f"""
            with marked as (
                select offer_id, fetched_at, price,
                    lag(price) over (partition by offer_id order by fetched_at) is distinct from price as is_new
                from {offers_of(folder)}
            ),
            numbered as (
                select *, sum(is_new::int) over (partition by offer_id order by fetched_at) as island from marked
            ),
            runs as (
                select offer_id, island, any_value(price) as price, min(fetched_at) as first_seen_at,
                    max(fetched_at) as last_seen_at
                from numbered group by offer_id, island
            )
            select count(*) - count(distinct offer_id) from runs
            """
        )
        .fetchone()
    )
    return {"changes": changes}


def ours(folder: Path) -> dict[str, object]:
    """Make intervals of all observations, as a build does.

    Args:
        folder: folder of the history.
    """
    with tempfile.TemporaryDirectory(dir=folder) as name, limited(f"{name}/build.duckdb") as db:
        raw = Path(name)
        (raw / PRICE_OFFERS).symlink_to(folder / "raw" / PRICE_OFFERS)
        observed = observed_in(folder)
        write_observations([observed], raw)
        db.execute("set timezone = 'UTC'")
        create_observed(db, raw)
        seed = DBT_PROJECT_DIR / "seeds" / "price_effective_dates.csv"
        db.execute(f"create table price_effective_dates as select * from read_csv('{seed}')")
        for model in MODELS:
            db.execute(f"create view {model} as {render_model(model, {})}")
        intervals, changes, polls = db.execute(
            """
            select count(*), count(*) filter (hourly_price <> hourly_price_before),
                (select count(*) from stg_prices__polls)
            from int_price__intervals
            """
        ).fetchone()
    return {"intervals": intervals, "changes": changes, "polls": polls}


STEPS = {"bare": bare, "islands": islands, "ours": ours}


def measured(step: str, folder: Path) -> dict[str, float]:
    """Run one step in a separate process, and return its result with seconds and peak MB."""
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        command = [sys.executable, __file__, "--memory-mb", str(MEMORY_MB), "--step", step, str(folder)]
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{step} failed with {process.returncode}")
        output.seek(0)
        result = json.loads(output.read())
        cpu_s = usage.ru_utime + usage.ru_stime - result.pop("imports_s")
        return {"seconds": seconds, "cpu_s": cpu_s, "mb": usage.ru_maxrss / 1024, **result}


def with_a_day_more(folder: Path) -> None:
    """Add the last day: link its files into the history, as landing and parsing would."""
    shutil.copytree(folder / "day_more", folder / "history", copy_function=os.link, dirs_exist_ok=True)


def without_it(folder: Path) -> None:
    """Remove the last day."""
    for path in (folder / "day_more").rglob("*"):
        if path.is_file():
            (folder / "history" / path.relative_to(folder / "day_more")).unlink(missing_ok=True)


def run(folder: Path, repeats: int) -> list[str]:
    """Measure, print, and return the failed expectations."""
    whole = folder / "history"
    tallies = json.loads((folder / "tally.json").read_text())
    wrong, times = [], {}

    def note(name: str, result: dict[str, float], tally: dict[str, int]) -> None:
        times.setdefault(name, []).append(result)
        wrong.extend(
            f"{name}: {result[what]} {what}, the generator counted {tally[what]}"
            for what in tally.keys() & result.keys()
            if result[what] != tally[what]
        )

    for _ in range(repeats):
        without_it(folder)
        note("bare lag query", measured("bare", whole), tallies[0])
        note("islands, grouped", measured("islands", whole), tallies[0])
        note("ours", measured("ours", whole), tallies[0])
        with_a_day_more(folder)
        note("ours, a day more", measured("ours", whole), tallies[1])
    without_it(folder)
    size = sum(p.stat().st_size for p in (whole / "raw" / PRICE_OFFERS).glob("*.parquet"))
    print(
        f"{tallies[0]['observations']:,} observations, {tallies[0]['changes']:,} price changes, "
        f"{tallies[0]['intervals']:,} intervals, {size / 1e6:,.0f} MB of Parquet"
    )
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, median of {repeats}")
    medians = {}
    for name, results in times.items():
        medians[name] = statistics.median(r["seconds"] for r in results)
        spread = ", ".join(f"{r['seconds']:.1f}" for r in results)
        cpu_s = statistics.median(r["cpu_s"] for r in results)
        mb = max(r["mb"] for r in results)
        print(f"{name:18} {medians[name]:6.1f} s ({spread})  {mb:6.0f} MB  cpu {cpu_s:.1f} s")
    cpu = {name: statistics.median(r["cpu_s"] for r in results) for name, results in times.items()}
    ratio = cpu["ours"] / cpu["islands, grouped"]
    wall = medians["ours"] / medians["islands, grouped"]
    print(f"ours ÷ islands     {ratio:6.2f} in CPU time (at most {RATIO_MAX}), {wall:.2f} in wall time")
    # shorter times mainly measure the start of DuckDB
    if ratio > RATIO_MAX and tallies[0]["observations"] > 10_000_000:
        wrong.append(f"{ratio:.2f} times the CPU time of the plain query")
    most = max(r["mb"] for name, results in times.items() if name.startswith("ours") for r in results)
    if most > MB_MAX:
        wrong.append(f"{most:.0f} MB")
    return wrong


def main() -> None:
    """Generate the prices, measure, print."""
    global MEMORY_MB
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--days", type=int, default=1825)
    arguments.add_argument("--offers", type=int, default=30_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument(
        "--keep", type=Path, help="folder of the prices, made if it is not there, and kept"
    )
    arguments.add_argument("--memory-mb", type=int, default=MEMORY_MB, help="limit of DuckDB in every step")
    arguments.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    MEMORY_MB = given.memory_mb
    if given.step:
        step, folder = given.step
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({"imports_s": usage.ru_utime + usage.ru_stime, **STEPS[step](Path(folder))}))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = given.keep or Path(name)
        if not (folder / "tally.json").exists():
            started = time.perf_counter()
            generate(folder, given.days, given.offers, given.seed)
            print(f"prices made in {time.perf_counter() - started:.0f} s")
        wrong = run(folder.resolve(), given.repeats)
        wrong += price_models.measure(Path(name).resolve() / "models", price_models.TIMES)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
