"""The price history: the intervals that dbt makes of all observations, against a plain reading of every single one."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import made
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ingest.core.errors import PayloadRejected
from ingest.core.landing import Landing
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.prices.offers import settled
from warehouse.inputs.parsing import RawLayer
from warehouse.inputs.price_observations import observe, polls_of, write_observations, write_poll_index
from warehouse.inputs.price_spark import create_observed, render_model
from warehouse.inputs.raw import PRICE_FAMILY, PRICE_OFFERS, read_parts
from warehouse.storage.files import link_or_copy, replace_by_copy
from warehouse.storage.home import DBT_PROJECT_DIR, Home

START = datetime(2026, 1, 30, 12, tzinfo=UTC)


def at(days=0.0, hours=0.0):
    return START + timedelta(days=days, hours=hours)


def offer(price, kind="gpu", **more):
    return {"type": kind, "price": price, **more}


def parse(members, *, key):
    """Read a JSON list of offers."""
    ((_, file),) = members
    records = json.loads(file.read())
    parsed = Parsed(records_in=len(records))
    for i, r in enumerate(records):
        parsed.rows.append(
            made.make_offer(
                r["price"],
                instance_type=r["type"],
                record=f"[{i}]",
                upfront=r.get("upfront", 0.0),
                term_hours=8760.0 if r.get("upfront") else None,
                accelerator_count=r.get("count"),
                observed_at=datetime.fromisoformat(r["at"]) if "at" in r else None,
            )
        )
    return settled(parsed, key)


def make_source(**change):
    return made.make_source(**({"parse": parse} | change))


@dataclass
class World:
    """An installation with nothing but one price source."""

    root: Path
    source: Source = field(default_factory=make_source)
    landing_url: str = ""

    @property
    def home(self):
        return Home(self.root, self.landing_url or str(self.root / "landing"))

    @property
    def landing(self):
        return Landing(self.home.landing_url)

    @property
    def snapshot(self):
        return self.root / "snapshot"

    @property
    def layer(self):
        return RawLayer(self.home, [*read_parts(self.snapshot), *read_parts(self.home.raw)])

    def observed(self):
        layer = self.layer
        landed = [seen for one in layer.landed(self.source) if (seen := one.until(None))]
        return observe(self.source, read_parts(self.snapshot), landed, layer.is_sound, self.snapshot)

    def polls(self):
        return polls_of(self.source, self.layer.landed(self.source), self.snapshot)

    def land(self, when, records, key="us"):
        data = records if isinstance(records, bytes) else json.dumps(records).encode()
        return made.store(self.landing, data, source=self.source.name, key=key, fetched_at=when)

    def refresh(self):
        return [one.problem for one in self.layer.landed(self.source) if one.problem]

    def intervals(self, stretch=64):
        return intervals_of(self.observed(), stretch)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


MODELS = ("int_price__joined", "int_price__dated", "int_price__intervals")


def intervals_of(observed, stretch=64):
    """Rows of int_price__intervals as dicts, by stream, offer and time; a stretch of polls has 64 in a build."""
    files = {p.stem: p.path(PRICE_OFFERS) for p in observed.parts if p.record_table == PRICE_OFFERS}
    if not files:
        return []
    with TemporaryDirectory() as folder, duckdb.connect() as db:
        for stem, file in files.items():
            link_or_copy(file, Path(folder, PRICE_OFFERS, f"{stem}.parquet"))
        write_observations([observed], Path(folder))
        db.execute("set timezone = 'UTC'; set threads = 1")
        create_observed(db, Path(folder))
        seed = DBT_PROJECT_DIR / "seeds" / "price_effective_dates.csv"
        db.execute(f"create view price_effective_dates as select * from read_csv('{seed}')")
        for model in MODELS:
            sql = render_model(model, {})
            assert ("/ 64)" in sql) == (model == "int_price__joined")
            db.execute(f"create view {model} as {sql.replace('/ 64)', f'/ {stretch})')}")
        found = db.execute("select * from int_price__intervals order by stream, offer_id, valid_from")
        names = [d[0] for d in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


WHAT = (
    *("stream", "instance_type", "price", "accelerator_count", "valid_from", "valid_to"),
    *("last_seen_at", "ended_because", "is_seen_again", "payload_sha256", "payload_record"),
)


def brief(rows):
    """What of an interval the plain reading below knows too."""
    out = [
        tuple(row[w].astimezone(UTC) if isinstance(row[w], datetime) else row[w] for w in WHAT)
        for row in rows
    ]
    return sorted(out, key=lambda row: (row[0], row[1], row[4]))


def stretches(rows, kind="gpu"):
    """(price, valid from, valid to, last seen, why it ended) in order of time."""
    chosen = sorted((r for r in rows if r["instance_type"] == kind), key=lambda r: r["valid_from"])
    moments = ("valid_from", "valid_to", "last_seen_at")
    return [
        (r["price"], *(r[m] and r[m].astimezone(UTC) for m in moments), r["ended_because"]) for r in chosen
    ]


# the plain reading: observation by observation, no SQL


@dataclass(frozen=True)
class Event:
    """A payload that came under a key at a time."""

    key: str
    when: datetime
    body: list

    @property
    def sha256(self):
        return hashlib.sha256(json.dumps(self.body).encode()).hexdigest()


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
        if len({(r["price"], r.get("count")) for _, r in same}) == 1:
            out[same[0][0]] = same[0][1]
    return out


def plain_reading(events, polls_to_close):
    """Intervals as `brief` gives them."""
    streams = {}
    for event in events:
        streams.setdefault(event.key.split("@")[0], []).append(event)
    out = []
    for stream, of_stream in streams.items():
        # what was said of each moment: [((when it was last said, sha, by a list of that moment), sha,
        # {offer: (record, where)})]: the greatest is believed
        moments = {}

        def say(moment, event, usable, of_the_day=False, moments=moments):
            sha = event.sha256
            newest = max(e.when for e in events if (e.key, e.sha256) == (event.key, sha))
            # of one offer, the price of the day beats a dated one, and a later date an earlier one
            by_age = sorted(usable.items(), key=lambda item: ("at" not in item[1], item[1].get("at", "")))
            moments.setdefault(moment, []).append(
                ((newest, sha, of_the_day), sha, {r["type"]: (r, f"[{i}]") for i, r in by_age})
            )

        for event in of_stream:
            usable = sane(event.body)
            if "@" in event.key:
                # its prices are of its day; one that says so itself is no other than one that does not
                usable = {i: {"at": date_in(event.key).isoformat(), **r} for i, r in usable.items()}
                if not usable:
                    say(date_in(event.key), event, {})
            elif not usable or any("at" not in r for r in usable.values()):
                # a list with the prices of the day: it repeats what it dated before
                now = {i: r for i, r in usable.items() if "at" not in r or moment_of(r) <= event.when}
                say(event.when, event, now, of_the_day=True)
            for moment in {moment_of(r) for r in usable.values() if "at" in r}:
                of_then = {i: r for i, r in usable.items() if "at" in r and moment_of(r) == moment}
                say(moment, event, dict(sorted(of_then.items(), reverse=True)))
        order = sorted(moments)
        for kind in sorted({k for said in moments.values() for *_, offers in said for k in offers}):
            open_ = None
            missing = 0
            for number, moment in enumerate(order):
                said = [
                    (weight, sha, offers[kind]) for weight, sha, offers in moments[moment] if kind in offers
                ]
                if not said:
                    missing += 1
                    if open_ and not open_["ended"] and missing == polls_to_close:
                        open_ |= {"ended": "withdrawn", "to": order[number - missing + 1]}
                    continue
                missing = 0
                _, sha, (record, where) = max(said, key=lambda one: one[0])
                terms = record["price"], record.get("count")
                if open_ and not open_["ended"] and open_["terms"] == terms:
                    open_ |= {"seen": moment, "again": True}
                    continue
                if open_ and not open_["ended"]:
                    open_ |= {"ended": "price changed", "to": moment}
                open_ = {
                    "stream": stream,
                    "kind": kind,
                    "terms": terms,
                    "from": moment,
                    "to": None,
                    "seen": moment,
                    "ended": None,
                    "again": False,
                    "sha": sha,
                    "where": where,
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
        key=lambda row: (row[0], row[1], row[4]),
    )


def moment_of(record):
    return datetime.fromisoformat(record["at"]).astimezone(UTC)


def land_all(world, events, refresh_after=()):
    """Land events in the order given; parse after those named, and at the end."""
    for number, event in enumerate(events):
        world.land(event.when, event.body, event.key)
        if number in refresh_after:
            world.refresh()
    assert world.refresh() == []


KINDS = ("a", "b", "c")
PRICES = (1.5, 2.0, 2.25)
DATED_KEYS = ("us@2026-01-31", "us@2026-02-01", "us@2026-02", "eu@20260201060000")


def payloads(dated):
    """Lists in which an offer may be missing, said twice, or said twice with two prices."""
    moments = [None, at(hours=-20), at(hours=0), at(hours=36), at(hours=80)] if dated else [None]
    one = st.builds(
        lambda kind, price, count, moment: offer(
            price,
            kind,
            **({"count": count} if count else {}),
            **({"at": moment.isoformat()} if moment else {}),
        ),
        st.sampled_from(KINDS),
        st.sampled_from(PRICES),
        st.sampled_from((None, None, None, 8.0)),
        st.sampled_from(moments),
    )
    return st.lists(one, max_size=4)


@st.composite
def histories(draw):
    """(events in the order in which they come here, polls to close, whether rows are dated, when to parse)."""
    dated = draw(st.booleans())
    pool = draw(st.lists(payloads(dated), min_size=2, max_size=4))
    keys = st.sampled_from(("us", "us", "us", "eu", *(draw(st.sampled_from(((), DATED_KEYS))))))
    hours = draw(st.lists(st.integers(0, 30), min_size=3, max_size=14, unique=True))
    # four hours apart, so that the month turns among them and a poll may fall on a dated moment; or through five months
    step = draw(st.sampled_from((4, 4, 100)))
    events = [Event(draw(keys), at(hours=step * h), draw(st.sampled_from(pool))) for h in sorted(hours)]
    order = draw(st.one_of(st.just(events), st.permutations(events)))
    after = draw(st.sets(st.integers(0, len(events) - 1), max_size=2))
    return order, draw(st.sampled_from((0, 1, 2, 3))), dated, after


# a list repeats at the very moment that it dated a price to what it says of the day: the day's word counts
_OF_THAT_MOMENT = [offer(1.5, "a", at=at(hours=80).isoformat()), offer(2.0, "a")]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@example(([Event("us", at(hours=h), _OF_THAT_MOMENT) for h in (4, 80)], 0, True, set()), 64)
@given(histories(), st.sampled_from((1, 2, 3, 5, 64)))
def test_intervals_are_what_a_plain_reading_of_every_observation_gives(history, stretch):
    order, polls_to_close, has_dated_rows, after = history
    with TemporaryDirectory() as folder:
        source = make_source(polls_to_close=polls_to_close, has_dated_rows=has_dated_rows)
        world = World(Path(folder), source, f"memory://{folder}")
        land_all(world, order, after)
        assert brief(world.intervals(stretch)) == plain_reading(order, polls_to_close)


# what it shows → (polls until an offer is withdrawn, [(day, offers, key)] in the order of landing, intervals of the offer)
OTHER, MINUS_5, FEB_5 = offer(9.0, "other"), at(-5), datetime(2026, 2, 5, tzinfo=UTC)
BY_HAND = {
    "an offer is withdrawn from the first of three polls that miss it, and may come back": (
        3, [(day, [OTHER, *([offer(2.0)] * (seen == "x"))], "us") for day, seen in enumerate("x..x...x")],
        [(2.0, at(0), at(4), at(3), "withdrawn"), (2.0, at(7), None, at(7), None)],
    ),
    "an archived list speaks of its own day among polls": (
        3, [(1.5, [offer(2.0)], "us"), (10.5, [offer(2.0)], "us"), (30, [offer(3.0)], "us@2026-02-05")],
        [(2.0, at(1.5), FEB_5, at(1.5), "price changed"), (3.0, FEB_5, at(10.5), FEB_5, "price changed"),
         (2.0, at(10.5), None, at(10.5), None)],
    ),
    "a price of an earlier date is not made younger by polling": (
        3, [(day, [offer(2.0, at=MINUS_5.isoformat())], "us") for day in range(4)], [(2.0, MINUS_5, None, MINUS_5, None)],
    ),
    "a price announced in a list holds from its day and as long as the list says so": (
        0, [(day, [offer(9.0 + day, "other"), offer(2.5, at=FEB_5.isoformat())], "us") for day in range(12)],
        [(2.5, FEB_5, None, at(11), None)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BY_HAND)
def test_intervals_by_hand(tmp_path, what):
    polls_to_close, events, expected = BY_HAND[what]
    is_dated = any("at" in record for _, records, _ in events for record in records)
    world = World(tmp_path, make_source(polls_to_close=polls_to_close, has_dated_rows=is_dated))
    for day, records, key in events:
        world.land(at(day), records, key)
    assert world.refresh() == []
    assert stretches(world.intervals()) == expected


def test_a_list_that_did_not_change_is_seen_again(world):
    first = world.land(at(0), [offer(2.0)])
    world.landing.unchanged(first, fetched_at=at(2))
    assert stretches(world.intervals()) == [(2.0, at(0), None, at(2), None)]


def test_quarantined_payloads_are_no_polls(world):
    world.land(at(0), [offer(2.0)])
    rejected = PayloadRejected(payload="us", problem="it has no offers", remedy="look")
    made.store(world.landing, b"[]", source=world.source.name, key="us", rejected=rejected, fetched_at=at(1))
    assert [poll.polled_at for poll in world.polls()] == [at(0)]


def test_a_day_more_parses_its_own_payload_and_settings_hold_for_all_of_its_history(tmp_path):
    calls = Counter()

    def counted(members, *, key):
        calls[key] += 1
        return parse(members, key=key)

    world = World(tmp_path, make_source(parse=counted))
    for day, parsed in ((0, 1), (40, 2), (40, 2)):
        world.land(at(day), [offer(2.0 + day)])
        assert world.refresh() == [] and calls == {"us": parsed}
    world.source = replace(world.source, parser_version=2, polls_to_close=5, rank=4)
    assert world.refresh() == []
    assert {(r["source_rank"], r["parser_version"], r["polls_to_close"]) for r in world.intervals()} == {
        (4, 2, 5)
    }


def test_a_payload_that_cannot_be_read_is_named_and_the_others_are_used(world):
    world.land(at(0), [offer(2.0)])
    damaged = world.land(at(1), [offer(2.5)])
    world.land(at(1.5), [{"a": "trap"}])
    world.land(at(2), [offer(3.0)], "eu")
    path = world.root / "landing" / "objects" / damaged.sha256[:2] / f"{damaged.sha256}.gz"
    path.write_bytes(path.read_bytes()[:-9])
    first, second = world.refresh()
    assert "listed us of 2026-01-31 12:00 UTC" in first and "damaged" in first and "KeyError" in second
    # the last good list stays in force, and is not said to have been seen when it was not
    of_eu = (3.0, at(2), None, at(2), None)
    assert stretches(world.intervals()) == [(2.0, at(0), None, at(0), None), of_eu]
    # a good fetch mends the object
    world.land(at(3), [offer(2.5)])
    assert len(world.refresh()) == 1
    assert [s[:3] for s in stretches(world.intervals())] == [
        (2.0, at(0), at(1)),
        (2.5, at(1), None),
        of_eu[:3],
    ]


EVENTS = [
    Event("us", at(0), [offer(2.0)]),
    Event("us", at(1), [offer(2.0)]),
    Event("us", at(5), [offer(2.5)]),
    Event("us@2026-02-20", at(40), [offer(3.0)]),
]


def shipped(tmp_path, source):
    """An installation that has nothing but a snapshot of these events, as the bundled facts are made."""
    maker, world = World(tmp_path / "maker", source), World(tmp_path / "user", source)
    land_all(maker, EVENTS)
    for part in maker.observed().parts:
        for table, path in part.files.items():
            replace_by_copy(path, world.snapshot / table / path.name)
    write_poll_index(world.snapshot, source, maker.polls())
    return world


def test_what_is_shipped_and_landed_counts_once(tmp_path):
    world = shipped(tmp_path, make_source())
    again = Event("us", at(45), [offer(3.0)])
    land_all(world, [*EVENTS[1:], again])
    assert len(world.polls()) == 4 and len(world.observed().parts) == 4
    assert brief(world.intervals()) == plain_reading([*EVENTS, again], 3)
    files = [part.files[PRICE_FAMILY.reconciliation] for part in world.observed().parts]
    accounts = Counter(row["payload_sha256"] for file in files for row in pq.read_table(file).to_pylist())
    # three payloads, one of which came under two keys
    assert sorted(accounts.values()) == [1, 1, 2]


def test_a_shipped_part_of_an_older_parser_is_used_until_its_payload_is_here(tmp_path):
    old, new = 9, 10
    world = shipped(tmp_path, make_source(parser_version=old))
    world.source = make_source(parser_version=new)
    assert {r["parser_version"] for r in world.intervals()} == {old}
    land_all(world, EVENTS[:2])  # one payload of three, parsed by the new one
    assert {(r["price"], r["parser_version"]) for r in world.intervals()} == {
        (2.0, new),
        (2.5, old),
        (3.0, old),
    }
    assert brief(world.intervals()) == plain_reading(EVENTS, 3)
