"""Several workers share one store: nothing is lost, nothing half there, and who was too slow writes nothing."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from uuid import uuid4

import drill_steps
import pytest
from drill_processes import faults
from object_store import FaultyProxy, s3_server, used_here

from ingest.prices.registry import PRICE_SOURCES
from warehouse import leases, outputs
from warehouse.build import BuildRunningError, exclusive, follow_store, parsing, raw_layer
from warehouse.doctor.storage import store
from warehouse.holds import Action, hold, read_holds, release_hold
from warehouse.lake import Lake
from warehouse.leases import LeaseLostError, leased
from warehouse.places import LocalPlace, RemotePlace, place_at
from warehouse.price_fold import BUNDLE_TABLES, PRICE_CLOSED, PRICE_OPEN, PRICE_POLLS, PRICE_WITHDRAWN
from warehouse.publish import generations, is_intact, publication
from warehouse.store import StoreError

FIRST, SECOND, THIRD = (f"2026010{n}T000000-aaaaaa" for n in (1, 2, 3))


@pytest.fixture(scope="module")
def server():
    with (
        s3_server() as address,
        FaultyProxy(address) as proxy,
        pytest.MonkeyPatch.context() as patch,
        used_here(patch, proxy.address),
    ):
        yield proxy


@pytest.fixture(params=["folder", "s3"])
def url(request, tmp_path):
    if request.param == "folder":
        return str(tmp_path / "store")
    request.getfixturevalue("server")
    return f"s3://warehouses/{uuid4().hex}"


@pytest.fixture
def workers(url, tmp_path, monkeypatch):
    """Two data roots with one store; report and pages are one line each."""
    monkeypatch.setattr(outputs, "_make_report", drill_steps.one_line_report)
    monkeypatch.setattr(outputs, "_make_pages", drill_steps.one_line_pages)
    monkeypatch.setattr(leases, "_PAUSE_S", 0.05)
    monkeypatch.setenv("ACCELMART_STORE", url)
    roots = SimpleNamespace(**{name: tmp_path / name for name in ("one", "other", "third")})
    for root in vars(roots).values():
        root.mkdir()
    return roots


def build(root, generation_id):
    assert drill_steps.build_step(root, generation_id) == []


def published(root):
    """Return what a worker that has just read the store has published, whose outputs must be whole."""
    home = drill_steps.home_of(root)
    follow_store(home)
    with exclusive(home, 5):
        assert outputs.repair(home) == []
    return publication(home).generation.generation_id


def test_what_one_worker_publishes_the_other_has(workers):
    build(workers.one, FIRST)
    assert published(workers.other) == FIRST and faults_of(workers.other) == []
    build(workers.other, SECOND)
    assert published(workers.one) == SECOND and faults_of(workers.one) == []
    for root in (workers.one, workers.other):
        kept = generations(drill_steps.home_of(root))
        assert [g.generation_id for g in kept] == [FIRST, SECOND]
        assert all(is_intact(g.path, g) for g in kept)


def faults_of(root):
    return [f for f in faults(root) if "left over" not in f]


def test_superseded_generations_go_everywhere(workers):
    for generation_id in (FIRST, SECOND, THIRD, "20260104T000000-aaaaaa"):
        build(workers.one, generation_id)
    assert published(workers.other) == "20260104T000000-aaaaaa"
    assert len(list((workers.other / "generations").glob("*.duckdb"))) == 3
    assert {p.split(".")[0] for p in place_at(drill_steps.home_of(workers.one).store_url).sizes("generations")} == {
        SECOND, THIRD, "20260104T000000-aaaaaa",
    }  # fmt: skip


def test_what_one_worker_parses_the_other_has(workers):
    one, other = drill_steps.home_of(workers.one), drill_steps.home_of(workers.other)
    files = {
        "raw/t/a.parquet": b"a",
        "raw/t_reconciliation/a.parquet": b"account",
        "raw/price_months/r/old.parquet": b"o",
    }
    with raw_layer(one):
        for path, content in files.items():
            (one.root / path).parent.mkdir(parents=True, exist_ok=True)
            (one.root / path).write_bytes(content)
        (one.raw / "inputs.json").write_text("of this machine")
        (one.raw / "t" / ".half.tmp").write_text("being written")
    with parsing(other):
        assert {p: (other.root / p).read_bytes() for p in files} == files
        assert not (other.raw / "inputs.json").exists() and not list(other.raw.rglob(".*"))
    with raw_layer(other):  # a new fold removes the one before
        (other.raw / "price_months" / "r" / "old.parquet").unlink()
        (other.raw / "price_months" / "r" / "new.parquet").write_bytes(b"n")
    with raw_layer(one):
        assert [p.name for p in (one.raw / "price_months" / "r").iterdir()] == ["new.parquet"]
        assert (one.raw / "t" / "a.parquet").exists()


def test_what_states_that_others_are_complete_is_copied_after_them(tmp_path, monkeypatch):
    """Whatever is there after a kill: a month with its polls has all its tables, a part with its account its rows."""
    copied = []

    def kept_in_order(self, path, source, put=LocalPlace.put):
        copied.append(path)
        put(self, path, source)

    monkeypatch.setattr(LocalPlace, "put", kept_in_order)
    monkeypatch.setenv("ACCELMART_STORE", str(tmp_path / "store"))
    home = drill_steps.home_of(tmp_path / "home")
    with raw_layer(home):
        history = Lake(home).price_history(PRICE_SOURCES["skypilot-catalog"])
        history.parse()
        bundles = history.bundles()
        rows, account = (
            home.raw / "price_offers" / "a.parquet",
            home.raw / "price_reconciliation" / "a.parquet",
        )
        whole = home.raw / "parsed" / "a"
        for path in (whole, account, rows):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"a")
    place = {path: n for n, path in enumerate(copied)}

    def at(path):
        return place[path.relative_to(home.root).as_posix()]

    assert bundles and at(rows) < at(account) < at(whole)
    for bundle in bundles:
        last = [bundle.path(t) for t in (PRICE_POLLS, PRICE_OPEN, PRICE_CLOSED) if bundle.path(t).exists()]
        others = [
            p for t in (*BUNDLE_TABLES, PRICE_WITHDRAWN) if (p := bundle.path(t)).exists() and p not in last
        ]
        assert len(others) > 2 and max(map(at, others)) < min(map(at, last))


def test_one_worker_builds_at_a_time(workers):
    one, other = drill_steps.home_of(workers.one), drill_steps.home_of(workers.other)
    held = pytest.raises(BuildRunningError, match=r"process \d+ on .* works on .*expires 60 s after")
    with exclusive(one, 0), exclusive(one, 0), held, exclusive(other, 0):
        pass
    with exclusive(other, 0):
        pass


def test_a_dead_worker_is_replaced_and_a_slow_one_writes_nothing(workers, monkeypatch):
    build(workers.one, FIRST)
    monkeypatch.setenv("ACCELMART_LEASE", "0.4")
    slow, other = drill_steps.home_of(workers.one), drill_steps.home_of(workers.other)
    monkeypatch.setattr(leases.Lease, "renew", lambda self, **_: None)  # as a process that stands still
    with pytest.raises(LeaseLostError, match="taken over by lease"), exclusive(slow, 0):
        path = drill_steps.built_file(slow, SECOND)
        drill_steps.publish(path, slow)
        assert publication(slow).generation.generation_id == SECOND
        build(workers.other, THIRD)
    assert publication(other).generation.generation_id == THIRD
    assert published(workers.one) == THIRD == published(workers.third)
    assert not (workers.one / "generations" / f"{SECOND}.duckdb").exists()


def test_a_state_of_a_later_lease_is_not_written_over(workers, monkeypatch):
    """The check of the lease passes, and the other publishes before this one writes."""
    build(workers.one, FIRST)
    home = drill_steps.home_of(workers.one)
    with pytest.raises((LeaseLostError, StoreError), match=r"later lease|another worker"), exclusive(home, 0):
        drill_steps.publish(drill_steps.built_file(home, SECOND), home)
        with monkeypatch.context() as patch:
            patch.setattr(leases, "_holder", lambda *_: None)
            build(workers.other, THIRD)
        monkeypatch.setattr(leases.Lease, "check", lambda self: None)
    assert published(workers.third) == THIRD


def test_of_many_who_want_a_name_one_gets_it(url):
    place = place_at(url)
    with ThreadPoolExecutor(8) as pool:
        for n in range(10):
            wins = list(pool.map(lambda who, n=n: place.put_new(f"names/{n}", b"%d" % who), range(8)))
            assert wins.count(True) == 1
            assert place.read(f"names/{n}") == b"%d" % wins.index(True)
            assert place.put_new(f"names/{n}", b"%d" % wins.index(True))  # asked again after a lost answer


def test_of_many_who_want_a_lease_one_has_it(url, monkeypatch):
    monkeypatch.setattr(leases, "_PAUSE_S", 0.01)
    place, held, tokens = place_at(url), threading.Lock(), []

    def work(_):
        with leased(place, "build", seconds=60, wait_s=60) as lease:
            assert held.acquire(blocking=False)
            tokens.append(lease.token)
            held.release()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(12)))
    assert len(set(tokens)) == 12 and tokens == sorted(tokens)
    assert len(place.sizes("leases/build")) == 1


def test_files_of_the_user_reach_the_others_and_are_never_written_over(workers):
    build(workers.one, FIRST)
    assert published(workers.other) == FIRST
    (workers.one / "scenarios.yaml").write_text("mine")
    (workers.one / "overrides").mkdir()
    (workers.one / "overrides" / "providers.csv").write_bytes(b"name\xff\n")
    assert published(workers.one) == FIRST  # its next build or tick gives them to the store
    assert published(workers.other) == FIRST
    assert (workers.other / "scenarios.yaml").read_text() == "mine"
    assert (workers.other / "overrides" / "providers.csv").read_bytes() == b"name\xff\n"
    (workers.one / "scenarios.yaml").write_text("one's")
    published(workers.one)
    (workers.other / "scenarios.yaml").write_text("other's")
    with pytest.raises(
        StoreError, match=r"scenarios\.yaml was changed here, and by another worker.*remove the file"
    ):
        published(workers.other)
    assert (workers.other / "scenarios.yaml").read_text() == "other's"
    (workers.other / "scenarios.yaml").unlink()
    with pytest.raises(StoreError, match="changed here"):
        published(workers.other)


def test_a_hold_is_made_while_another_worker_builds(workers, monkeypatch):
    monkeypatch.setattr("warehouse.holds._published_payloads", lambda *_: ("a" * 64,))
    build(workers.one, FIRST)
    other = drill_steps.home_of(workers.other)
    follow_store(other)
    with exclusive(drill_steps.home_of(workers.one), 0):
        hold(other, "lambda", None, set())
    assert [h.action for h in read_holds(other).items] == [Action.hold]
    published(workers.third)
    assert read_holds(drill_steps.home_of(workers.third)) == read_holds(other)
    release_hold(drill_steps.home_of(workers.third), "lambda", None)
    published(workers.one)
    assert read_holds(drill_steps.home_of(workers.one)).items == ()


def test_a_hold_in_the_data_root_of_a_build_leaves_its_publication(workers, monkeypatch):
    """Another process of the same machine holds a source after the build has published and before it has given that back."""
    monkeypatch.setattr("warehouse.holds._published_payloads", lambda *_: ("a" * 64,))
    build(workers.one, FIRST)
    home = drill_steps.home_of(workers.one)
    with exclusive(home, 0):
        drill_steps.publish(drill_steps.built_file(home, SECOND), home)
        hold(home, "lambda", None, set())
    assert published(workers.one) == published(workers.other) == SECOND
    assert len(read_holds(drill_steps.home_of(workers.other)).items) == 1


def test_a_store_that_writes_over_taken_names_is_refused(workers, monkeypatch):
    def write_over(self, path, content):
        self.put(path, content)
        return True

    for place in (LocalPlace, RemotePlace):
        monkeypatch.setattr(place, "put_new", write_over)
    with pytest.raises(StoreError, match="cannot be a store: it writes over a file"):
        build(workers.one, FIRST)


@pytest.mark.parametrize("path", ["../outside", "/outside", "overrides/../../outside"])
def test_no_file_is_written_outside_of_the_data_root(workers, url, path, tmp_path):
    build(workers.one, FIRST)
    state = json.loads(place_at(url).read("state/000000000001.json"))
    document = {**state, "number": 2, "files": {**state["files"], path: "x"}}
    place_at(url).put("state/000000000002.json", json.dumps(document).encode())
    with pytest.raises(StoreError, match="outside of a data root"):
        published(workers.other)
    assert not list(tmp_path.rglob("outside"))


def test_a_data_root_of_one_machine_becomes_the_first_worker(workers, url, monkeypatch):
    with monkeypatch.context() as alone:
        alone.delenv("ACCELMART_STORE")
        build(workers.one, FIRST)
    assert published(workers.one) == FIRST
    assert published(workers.other) == FIRST


def test_an_unreachable_store_is_named_and_nothing_is_built(tmp_path, monkeypatch, server):
    monkeypatch.setenv("ACCELMART_STORE", "s3://no-such-bucket/store")
    home = drill_steps.home_of(tmp_path)
    with (
        pytest.raises(StoreError, match=r"the store s3://no-such-bucket/store cannot be reached"),
        exclusive(home, 0),
    ):
        raise AssertionError("it must not come to this")
    assert not home.publication.exists()
    (finding,) = store(home)
    assert (finding.check, finding.status) == ("store", "fail") and "no-such-bucket" in finding.found


def test_the_doctor_names_the_state_and_who_builds(workers, url):
    build(workers.one, FIRST)
    one, other = drill_steps.home_of(workers.one), drill_steps.home_of(workers.other)
    with exclusive(one, 0):
        (finding,) = store(one)
    assert finding.status == "ok"
    assert finding.found.startswith(f"{url}: state 1, this data root is equal to it; process ")
    (finding,) = store(other)
    assert finding.found == f"{url}: state 1, this data root is a copy of state 0; nobody builds"


def test_faults_of_the_network_lose_nothing(workers, url, server):
    """Errors, late and lost answers, cut uploads: each publication is whole or not there, and two workers agree."""
    if not url.startswith("s3"):
        pytest.skip("a folder has no network")
    build(workers.one, FIRST)
    server.share, published_ids, refused = 0.08, [FIRST], 0
    for n in range(8):
        root, generation_id = (workers.one, workers.other)[n % 2], f"20260201T0000{n:02d}-aaaaaa"
        try:
            build(root, generation_id)
        except (StoreError, BuildRunningError):
            refused += 1
            time.sleep(0.1)
        server.share = 0
        seen = published(workers.third)
        assert faults_of(workers.third) == []
        if seen == generation_id:
            published_ids.append(seen)
        assert seen == published_ids[-1]
        server.share = 0.08
    server.share = 0
    assert all(server.met.values()), server.met
    assert len(published_ids) > 4, (published_ids, refused)
    assert published(workers.one) == published(workers.other) == published_ids[-1]
    states = place_at(url).sizes("state")
    newest = json.loads(place_at(url).read(f"state/{max(states)}"))
    assert json.loads(newest["files"]["published.json"])["generation_id"] == published_ids[-1]
