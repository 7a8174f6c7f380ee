"""The price history: what months and runs come to, against a plain reading of every single observation."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import jinja2
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import PayloadRejected, RecordRejected
from ingest.landing import Landing
from ingest.mlperf.records import Parsed
from ingest.prices.offers import ExchangeRate, PriceOffer, settled
from ingest.prices.source import PriceSource, nothing_to_fetch
from warehouse.files import replace_by_link
from warehouse.home import DBT_PROJECT_DIR
from warehouse.price_history import (
    BUNDLE_TABLES,
    PRICE_POLLS,
    PRICE_RUNS,
    PriceHistory,
    PricePart,
    write_poll_index,
)
from warehouse.raw import EXCHANGE_RATES, PRICE_OFFERS, PRICE_RECONCILIATION, PRICE_REJECTS

START = datetime(2026, 1, 30, 12, tzinfo=UTC)
SOURCE_NAME = "listed"
HOURS_1Y = 8760.0


def at(days=0.0, hours=0.0):
    return START + timedelta(days=days, hours=hours)


# --- a source whose payloads are JSON lists of offers --------------------------------------------------------------


def offer(price, kind="gpu", **more):
    return {"type": kind, "price": price, **more}


class Parser:
    """Reads a list of offers, and counts what it was asked for."""

    def __init__(self):
        self.calls = Counter()

    def __call__(self, members, *, key):
        self.calls[key] += 1
        ((_, file),) = members
        text = file.read().decode()
        if text == "not a list":
            raise PayloadRejected(payload=key, problem="is no list", remedy="look at it")
        if text == "a trap":
            raise KeyError("offers")
        records = json.loads(text)
        parsed = Parsed(records_in=len(records))
        for i, r in enumerate(records):
            if r["price"] <= 0:
                parsed.rejects.append(
                    RecordRejected(payload="", record=f"[{i}]", problem="no price", remedy="none")
                )
                continue
            parsed.rows.append(
                PriceOffer(
                    source=SOURCE_NAME,
                    provider_published="cloud",
                    instance_type=r["type"],
                    region=None,
                    pricing_model="on_demand",
                    price=r["price"],
                    price_published=str(r["price"]),
                    price_unit="instance_hour",
                    currency="USD",
                    source_url="https://prices.example/",
                    member="",
                    record=f"[{i}]",
                    upfront=r.get("upfront", 0.0),
                    term_hours=HOURS_1Y if r.get("upfront") else None,
                    accelerator_count=r.get("count"),
                    vcpus=r.get("vcpus"),
                    observed_at=datetime.fromisoformat(r["at"]) if "at" in r else None,
                )
            )
        return settled(parsed, key)


def make_source(parser=None, **settings_):
    return PriceSource(
        name=SOURCE_NAME,
        title="Listed prices",
        home_url="https://prices.example/",
        licence="CC0",
        plan=nothing_to_fetch,
        parse=parser or Parser(),
        **settings_,
    )


@dataclass
class World:
    """An installation with nothing but one price source."""

    root: Path
    source: PriceSource = field(default_factory=make_source)

    @property
    def landing(self):
        return Landing(self.root / "landing")

    @property
    def snapshot(self):
        return self.root / "snapshot"

    @property
    def history(self):
        return PriceHistory(self.source, self.landing, self.root / "raw", self.snapshot)

    def land(self, when, records, key="us"):
        data = records if isinstance(records, bytes) else json.dumps(records).encode()
        return self.landing.store(
            data,
            source=self.source.name,
            key=key,
            url="https://prices.example/list",
            content_type="application/json",
            licence=self.source.licence,
            limit_bytes=1 << 20,
            fetched_at=when,
        )

    def refresh(self):
        problems = self.history.parse()[1]
        return self.history.bundles(), problems

    def intervals(self):
        return intervals_of(self.history.bundles())

    def bundle_files(self):
        """Bundle file → inode and time of writing."""
        root = self.root / "raw" / "price_months"
        return {
            str(p.relative_to(root)): (p.stat().st_ino, p.stat().st_mtime_ns) for p in root.rglob("*.parquet")
        }

    def object_of(self, payload):
        return self.root / "landing" / "objects" / payload.sha256[:2] / f"{payload.sha256}.gz"


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


# --- the models of the dbt project on the bundles ------------------------------------------------------------------

MODELS = (
    "stg_prices__runs",
    "stg_prices__polls",
    "int_price__polls",
    "int_price__runs",
    "int_price__intervals",
)


def rendered(model):
    environment = jinja2.Environment()
    names = {"ref": lambda name: name, "source": lambda _, name: name}
    for macros in ("price_runs", "formulas"):
        text = (DBT_PROJECT_DIR / "macros" / f"{macros}.sql").read_text(encoding="utf-8")
        names |= vars(environment.from_string(text).module)
    (path,) = DBT_PROJECT_DIR.glob(f"models/*/{model}.sql")
    return environment.from_string(path.read_text(encoding="utf-8")).render(names)


def intervals_of(bundles):
    """Rows of int_price__intervals as dicts, by stream, offer and time."""
    with duckdb.connect() as db:
        db.execute("set timezone = 'UTC'; set threads = 1")
        for table in (PRICE_RUNS, PRICE_POLLS):
            files = [str(b.files[table]) for b in bundles if table in b.files]
            if not files:
                return []
            db.execute(f"create view {table} as select * from read_parquet({files}, union_by_name = true)")
        for model in MODELS:
            db.execute(f"create table {model} as {rendered(model)}")
        found = db.execute("select * from int_price__intervals order by stream, offer_id, valid_from")
        names = [d[0] for d in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


WHAT = (
    *("stream", "instance_type", "price", "upfront", "accelerator_count", "valid_from", "valid_to"),
    *("last_seen_at", "ended_because", "is_seen_again", "payload_sha256", "payload_record"),
)


def brief(rows):
    """What of an interval the plain reading below knows too."""
    out = [
        tuple(row[w].astimezone(UTC) if isinstance(row[w], datetime) else row[w] for w in WHAT)
        for row in rows
    ]
    return sorted(out, key=lambda row: (row[0], row[1], row[5]))


def stretches(rows, kind="gpu"):
    """(price, valid from, valid to, last seen, why it ended) in order of time."""
    chosen = sorted((r for r in rows if r["instance_type"] == kind), key=lambda r: r["valid_from"])
    moments = ("valid_from", "valid_to", "last_seen_at")
    return [
        (r["price"], *(r[m] and r[m].astimezone(UTC) for m in moments), r["ended_because"]) for r in chosen
    ]


# --- the plain reading: observation by observation, no SQL, no months, no runs --------------------------------------


@dataclass(frozen=True)
class Event:
    """A payload that came under a key at a time."""

    key: str
    when: datetime
    records: tuple

    @property
    def body(self):
        return [dict(r) for r in self.records]


def date_in(key):
    word = key.split("@")[1]
    form = {10: "%Y-%m-%d", 7: "%Y-%m", 4: "%Y", 14: "%Y%m%d%H%M%S"}[len(word)]
    return datetime.strptime(word, form).replace(tzinfo=UTC)


def sane(records):
    """The offers of a payload that can be used: index → record; what it says twice with two prices is not."""
    said = {}
    for i, r in enumerate(records):
        said.setdefault((r["type"], r.get("at")), []).append((i, r))
    out = {}
    for same in said.values():
        if len({(r["price"], r.get("upfront", 0.0), r.get("count")) for _, r in same}) == 1:
            out[same[0][0]] = same[0][1]
    return out


def plain_reading(events, polls_to_close, payload_hash, has_dated_rows=False):
    """Intervals as `brief` gives them."""
    streams = {}
    for event in events:
        streams.setdefault(event.key.split("@")[0], []).append(event)
    out = []
    for stream, told in streams.items():
        # what was said of each moment: [(when it was last said, sha, {offer: (record, where)})]
        moments = {}

        def say(moment, event, usable, moments=moments):
            sha = payload_hash(event)
            newest = max(e.when for e in events if (e.key, payload_hash(e)) == (event.key, sha))
            moments.setdefault(moment, []).append(
                (newest, sha, {r["type"]: (r, f"[{i}]") for i, r in usable.items()})
            )

        for event in told:
            usable = sane(event.body)
            undated = {i: r for i, r in usable.items() if "at" not in r}
            if "@" in event.key:
                if undated or not usable:
                    say(date_in(event.key), event, undated)
            elif undated or not usable:
                # a list with the prices of the day: it repeats what it dated before
                say(
                    event.when,
                    event,
                    {i: r for i, r in usable.items() if "at" not in r or moment_of(r) <= event.when},
                )
            for moment in {moment_of(r) for r in usable.values() if "at" in r}:
                say(moment, event, {i: r for i, r in usable.items() if "at" in r and moment_of(r) == moment})
        order = sorted(moments)
        for kind in sorted({k for said in moments.values() for *_, offers in said for k in offers}):
            open_ = None
            missing = 0
            for number, moment in enumerate(order):
                said = [
                    (newest, sha, offers[kind]) for newest, sha, offers in moments[moment] if kind in offers
                ]
                if not said:
                    missing += 1
                    if open_ and not open_["ended"] and missing == polls_to_close:
                        open_ |= {"ended": "withdrawn", "to": order[number - missing + 1]}
                    continue
                missing = 0
                _, sha, (record, where) = max(said, key=lambda one: one[:2])
                terms = record["price"], record.get("upfront", 0.0), record.get("count")
                if open_ and not open_["ended"] and open_["terms"] == terms:
                    open_ |= {"seen": moment, "again": True}
                    continue
                if open_ and not open_["ended"]:
                    open_ |= {"ended": "price changed", "to": moment}
                open_ = {
                    **{
                        "stream": stream,
                        "kind": kind,
                        "terms": terms,
                        "from": moment,
                        "to": None,
                        "seen": moment,
                    },
                    **{"ended": None, "again": False, "sha": sha, "where": where},
                }
                out.append(open_)
    return sorted(
        (
            (
                *(o["stream"], o["kind"], *o["terms"], o["from"], o["to"], o["seen"], o["ended"]),
                *(o["again"], o["sha"], o["where"]),
            )
            for o in out
        ),
        key=lambda row: (row[0], row[1], row[5]),
    )


def moment_of(record):
    return datetime.fromisoformat(record["at"]).astimezone(UTC)
