"""What a hold or a withdrawal leaves in force: payloads, parts, months of prices, specifications, the fingerprint."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import partial

import pyarrow.parquet as pq
import pytest
from made import make_warehouse, store

from ingest.core.errors import AccelmartError
from ingest.core.landing import Landing
from ingest.registry import SOURCES
from warehouse.decisions import holds
from warehouse.decisions.holds import (
    Action,
    Hold,
    Holds,
    exclude,
    holds_or_problem,
    read_holds,
    unfreeze,
    write_holds,
)
from warehouse.decisions.override_forms import HOLDS, WITHDRAWALS, OverridesRejected
from warehouse.decisions.overrides import convert_records, read_overrides, replace_rows
from warehouse.inputs.active import Active, select_active
from warehouse.inputs.isolation import accepted_payloads
from warehouse.inputs.raw import FAMILIES, SPEC_FAMILY, write_missing_tables
from warehouse.publication.pointer import publish
from warehouse.storage.home import Home

NOW = datetime(2026, 11, 20, tzinfo=UTC)
BUILT_AT = datetime(2026, 1, 1, tzinfo=UTC)
A, B, C = (letter * 64 for letter in "abc")


@pytest.fixture
def home(tmp_path) -> Home:
    return Home(tmp_path / "home", str(tmp_path / "home" / "landing"))


def put(home: Home, source: str, key: str, body: bytes, at: datetime):
    return store(Landing(home.landing_url), body, source=source, key=key, fetched_at=at)


def with_holds(home: Home, *items: Hold) -> Active:
    """What a build of the home would use under these holds."""
    rows = {HOLDS: [], WITHDRAWALS: []}
    for h in items:
        of = {"source": h.source, "release": h.release or ""}
        if h.action is Action.hold:
            kept = {"published_at": h.as_of.isoformat(), "payloads": " ".join(h.payloads)}
            rows[HOLDS].append({**of, "held_at": h.at.isoformat(), **kept})
        else:
            rows[WITHDRAWALS].append({**of, "withdrawn_at": h.at.isoformat()})
    for name, cells in rows.items():
        (home.overrides / f"{name}.csv").unlink(missing_ok=True)
        replace_rows(home, name, add=cells)
    return select_active(home)


def hold(source: str, release: str | None = None, *payloads: str) -> Hold:
    return Hold(source=source, release=release, action=Action.hold, at=NOW, payloads=payloads, as_of=NOW)


def withdrawn(source: str, release: str | None = None) -> Hold:
    return Hold(source=source, release=release, action=Action.withdraw, at=NOW)


def test_a_held_round_uses_the_payloads_of_then_and_others_the_newest(home):
    first = put(home, "mlperf-inference", "v5.1", b"[1]", NOW)
    second = put(home, "mlperf-inference", "v5.1", b"[2]", NOW + timedelta(days=1))

    def used(*holds):
        return {p.provenance.payload_sha256 for p in with_holds(home, *holds).parts}

    landed = {first.sha256, second.sha256}
    assert used(hold("mlperf-inference", "v5.1", first.sha256)) & landed == {first.sha256}
    assert used() & landed == {second.sha256}


@pytest.mark.parametrize(
    ("source", "release", "descriptions"),
    [
        ("mlperf-inference", "v4.1", {"inference_results_v4.1"}),
        ("mlperf-training-collection", "v2.0", set()),
    ],
)
def test_a_withdrawn_round_leaves_alone_with_its_descriptions_of_systems(home, source, release, descriptions):
    everything, left = select_active(home), with_holds(home, withdrawn(source, release))
    gone = set(everything.parts) - set(left.parts)
    results = {(p.provenance.source, p.account.release) for p in gone if p.family is not SPEC_FAMILY}
    assert results == {(source, release)}  # another source keeps its rows of the round
    assert {p.provenance.payload_key for p in gone if p.family is SPEC_FAMILY} == descriptions


def test_withdrawn_sources_leave_nothing_and_tables_of_the_right_form(home, tmp_path):
    active = with_holds(home, *(withdrawn(name) for name in SOURCES))
    assert active.parts == active.prices == []
    write_missing_tables(tmp_path / "raw")
    for table in (t for family in FAMILIES for t in family.tables):
        (path,) = (tmp_path / "raw" / table).glob("*.parquet")
        assert pq.read_metadata(path).num_rows == 0


def test_a_held_price_list_knows_nothing_landed_later(home):
    source = "aws-price-list"
    put(home, source, "us-east-1", b"{}", NOW - timedelta(days=1))
    put(home, source, "us-east-1", b"[]", NOW + timedelta(days=1))
    payloads = {i.payload_sha256: i.fetched_at for i in with_holds(home).isolated}
    held = {i.payload_sha256: i.fetched_at for i in with_holds(home, hold(source, None, A)).isolated}
    # neither can be read: what is not looked at is not said to be unreadable
    assert len(payloads) == 2 and list(held.values()) == ["2026-11-19T00:00:00+00:00"]


def test_a_held_specification_uses_the_payload_of_then(home):
    first = put(home, "rocm", "gpu-arch-specs", b"a", NOW)
    put(home, "rocm", "gpu-arch-specs", b"b", NOW + timedelta(days=1))
    # the first is no table; the second is not looked at
    assert [i.payload_sha256 for i in with_holds(home, hold("rocm", None, first.sha256)).isolated] == [
        first.sha256
    ]
    assert with_holds(home, withdrawn("rocm")).isolated == []


def test_a_decision_is_kept_until_it_is_released(home):
    done = exclude(home, "vast", None, set())
    assert exclude(home, "vast", None, set()) == done  # said twice is said once
    exclude(home, "mlperf-inference", "5.1", {"v5.1"})
    assert done in read_holds(home).items and len(read_holds(home).items) == 2
    assert unfreeze(home, "vast", None) == done
    with pytest.raises(AccelmartError, match=r"nothing to unfreeze for mlperf-inference: excluded:\s"):
        unfreeze(home, "mlperf-inference", None)
    assert unfreeze(home, "mlperf-inference", "v5.1").release == "v5.1"
    assert not list(home.overrides.iterdir())  # as if nothing had been decided: no build is needed
    with pytest.raises(AccelmartError, match="nothing is frozen or excluded"):
        unfreeze(home, "vast", None)


def test_a_hold_keeps_the_payloads_of_the_published_generation(home):
    reconciled = f"""
        create table ops_reconciliation as
        select * from (values ('vast', null, '{A}'), ('mlperf-inference', 'v5.1', '{B}'), ('mlperf-inference', 'v5.0', '{C}'))
            as t(source, release, payload_sha256)
        """
    publish(make_warehouse(home.builds / "build.duckdb", "20260101T000000-aaaaaa", None, reconciled), home)
    assert holds.freeze(home, "mlperf-inference", "5.1", {"v5.1"}).payloads == (B,)
    done = holds.freeze(home, "vast", None, set())
    assert (done.payloads, done.as_of) == ((A,), BUILT_AT)
    assert holds.freeze(home, "mlperf-inference", None, set()).payloads == (B, C)
    for source, release, problem in (
        ("rocm", None, "was never built"),
        ("vast", "v5.1", "not split by round"),
        ("vats", None, r"no source 'vats'\. Did you mean vast"),
        ("mlperf-inference", "v9.9", "has no round 'v9.9' here"),
        ("mlperf-inference", "latest", "names no MLPerf round"),
    ):
        with pytest.raises(AccelmartError, match=problem):
            holds.freeze(home, source, release, {"v5.1"})


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        ("holds", f"vats,,2026-11-20,2026-11-20,{A}", "Did you mean vast"),
        ("holds", "vast,,2026-11-20,2026-11-20,", "payloads is empty: it must have a value"),
        ("holds", f"vast,,soon,2026-11-20,{A}", "held_at is a day or a time"),
        ("holds", f"vast,,2026-11-20,2026-11-20,{A};{B}", "payloads are SHA-256 hashes"),
        ("holds", f"vast,v5.1,2026-11-20,2026-11-20,{A}", "release is a round of an MLPerf source"),
        ("holds", f"mlperf-inference,5.1,2026-11-20,2026-11-20,{A}", "release is a round of an MLPerf source"),
        ("withdrawals", "vast,2026-11-20", "2 cells instead of 3"),
        ("withdrawals", "vast,,2026-11-20\nvast,,2026-11-21", "repeats the key"),
        ("withdrawals", "lambda,,2026-11-20", "source and release are not in holds.csv too"),
    ],
)  # fmt: skip
def test_a_damaged_line_never_means_that_nothing_is_held(home, name, line, says):
    with_holds(home, hold("lambda", None, C))
    path = home.overrides / f"{name}.csv"
    with path.open("a") as file:
        file.write(f"{line}\n")
    before = path.read_bytes()
    for read in (read_holds, read_overrides, partial(unfreeze, source="lambda", release=None)):
        with pytest.raises(OverridesRejected) as e:
            read(home)
        (problem,) = e.value.problems
        assert problem.startswith(f"{name}.csv, line ") and says in problem
    shown, problem = holds_or_problem(home)
    assert shown == Holds() and f"{name}.csv, line " in problem and path.read_bytes() == before


def test_commands_keep_comments_and_the_order_of_a_persons_file(home):
    home.overrides.mkdir(parents=True)
    path = home.overrides / "withdrawals.csv"
    written = '# "why", it says\nrelease,source,withdrawn_at\n,vast,2026-11-01\n# until they answer\n,lambda,2026-11-02'
    path.write_text(written)
    exclude(home, "mlperf-inference", "v5.1", {"v5.1"})
    added = path.read_text()
    assert added.startswith(f"{written}\nv5.1,mlperf-inference,20")
    unfreeze(home, "vast", None)
    assert path.read_text() == added.replace(",vast,2026-11-01\n", "")
    path.write_text("source,withdrawn_at\n")
    with pytest.raises(
        OverridesRejected, match=r"withdrawals.csv, line 1: add the column release to the header"
    ):
        exclude(home, "vast", None, set())


HELD = {"source": "vast", "release": None, "action": "hold", "at": "2026-11-20T00:00:00+00:00", "payloads": [B, A],
        "as_of": "2026-11-10T00:00:00+00:00"}  # fmt: skip
GONE = {
    **HELD,
    "source": "mlperf-inference",
    "release": "v5.1",
    "action": "withdraw",
    "payloads": [],
    "as_of": None,
}


def test_records_of_earlier_versions_are_read_and_converted(home):
    home.root.mkdir()
    home.holds.write_text(json.dumps({"holds": [HELD, GONE]}))
    home.accepted_payloads.write_text(json.dumps([C, A]))
    before = read_holds(home), accepted_payloads(home)
    assert [(h.source, h.release, h.action) for h in before[0].items] == [
        ("mlperf-inference", "v5.1", "withdraw"),
        ("vast", None, "hold"),
    ]
    held = before[0].hold_of("vast")
    assert (held.payloads, held.as_of) == ((B, A), datetime(2026, 11, 10, tzinfo=UTC)) and before[1] == {A, C}
    records = {path: path.read_bytes() for path in (home.holds, home.accepted_payloads)}
    for _ in range(2):  # the second time as after a kill between the two files
        convert_records(home)
        assert (read_holds(home), accepted_payloads(home)) == before and len(read_overrides(home)) == 4
        for path, content in records.items():
            assert not path.exists() and path.with_name(f"{path.name}.converted").read_bytes() == content
            path.write_bytes(content)
        assert (read_holds(home), accepted_payloads(home)) == before  # and in between
    # what was decided since counts
    unfreeze(home, "vast", None)
    assert read_holds(home).items == before[0].items[:1] and not home.holds.exists()


def test_the_next_generation_states_what_is_new_kept_and_ended(home, tmp_path):
    before = """
        create table staging.stg_accelmart__holds as
        select * from (values ('vast', '', 'withdraw', 'new'), ('lambda', '', 'hold', 'kept'), ('nebius', '', 'hold', 'ended'))
            as t(source, release, action, change)
        """
    make_warehouse(home.published, "20260101T000000-aaaaaa", None, "create schema staging", before)
    write_holds(Holds((withdrawn("vast"), withdrawn("rocm"))), home.published, tmp_path / "holds.parquet")
    rows = pq.read_table(tmp_path / "holds.parquet").to_pylist()
    assert {(r["source"], r["action"], r["change"]) for r in rows} == {
        ("vast", "withdraw", "kept"),
        ("rocm", "withdraw", "new"),
        ("lambda", "hold", "ended"),
    }
    write_holds(Holds(), None, tmp_path / "none.parquet")
    assert pq.read_table(tmp_path / "none.parquet").num_rows == 0


def test_a_hold_on_a_round_comes_before_that_on_its_source():
    both = Holds((hold("mlperf-inference", None, "a"), hold("mlperf-inference", "v5.1", "b")))
    assert both.hold_of("mlperf-inference", "v5.1").payloads == ("b",)
    assert both.hold_of("mlperf-inference", "v5.0").payloads == ("a",)
    exempt = Holds((withdrawn("mlperf-inference"), hold("mlperf-inference", "v5.1", "b")))
    assert not exempt.is_withdrawn("mlperf-training", "v5.1") and exempt.is_withdrawn(
        "mlperf-inference", "v5.0"
    )
