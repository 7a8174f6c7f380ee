"""The fold of prices on a Spark Connect server (Sail, in this process) gives what DuckDB gives, row by row."""

import random
import socket
import sys
from datetime import UTC, datetime, timedelta

import duckdb
import pytest
from fold_comparison import verify_fold
from object_store import s3_server, used_here
from test_price_history import World, make_source

from warehouse.fold_engine import DUCKDB, DuckDbEngine, fold_engine
from warehouse.fold_spark import SparkEngine, SparkError
from warehouse.home import Home
from warehouse.lake import Lake
from warehouse.places import place_at
from warehouse.prepare import parse_prices
from warehouse.price_fold import FOLD_EXCHANGE, PRICE_RUNS

START = datetime(2026, 1, 5, 6, tzinfo=UTC)


class Counted(SparkEngine):
    """Counts what it joined on the server."""

    joined = 0

    def _join(self, folder, row):
        super()._join(folder, row)
        self.joined += 1


@pytest.fixture(scope="module")
def server():
    sail = pytest.importorskip("pysail.spark").SparkConnectServer(ip="127.0.0.1", port=0)
    sail.start(background=True)
    host, port = sail.listening_address
    yield f"sc://{host}:{port}"
    sail.stop()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Four months of a market: prices that come back, offers that are withdrawn, return, or have no term."""
    draw = random.Random(7)
    made = World(tmp_path_factory.mktemp("market"), make_source(polls_to_close=2))
    prices = {f"gpu{n}": float(n + 1) for n in range(40)}
    for day in range(0, 110, 2):
        for name in prices:
            if draw.random() < 0.15:
                prices[name] = draw.choice((1.0, 2.5, 1e-7, 123456.789))
        listed = [
            {
                "type": name,
                "price": price,
                "count": 8.0 if n % 3 else None,
                **({"upfront": 5.0} if n % 5 == 0 else {}),
            }
            for n, (name, price) in enumerate(prices.items())
            if draw.random() > 0.2
        ]
        made.land(START + timedelta(days=day), listed)
    made.refresh()
    return made


def test_every_row_is_that_of_duckdb(world, server, tmp_path):
    engine = Counted(server, tmp_path / "exchange", pieces_min=0)
    (done,) = verify_fold([world.history], engine)
    assert (done.differing, done.examples, done.months) == (0, (), 4)
    assert done.rows > 500 and engine.joined == 4 + 3, (
        "runs of four months, and intervals: of two, of the last two"
    )
    assert not list((tmp_path / "exchange").iterdir())


def test_prices_are_handed_over_through_an_object_store(world, tmp_path, monkeypatch):
    """The server and this machine share no folder: Sail reads and writes a real S3 server."""
    sail = pytest.importorskip("pysail.spark")
    with s3_server() as address, used_here(monkeypatch, address):
        monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
        server = sail.SparkConnectServer(ip="127.0.0.1", port=0)
        server.start(background=True)
        host, port = server.listening_address
        try:
            engine = Counted(
                f"sc://{host}:{port}", tmp_path / "exchange", "s3://warehouses/handed-over", pieces_min=0
            )
            (done,) = verify_fold([world.history], engine)
            assert (done.differing, done.examples, done.months) == (0, (), 4)
            assert done.rows > 500 and engine.joined == 4 + 3
            assert place_at("s3://warehouses/handed-over").sizes("") == {}
            nowhere = SparkEngine(
                f"sc://{host}:{port}", tmp_path / "exchange", "s3://no-such-bucket/x", pieces_min=0
            )
            with pytest.raises(SparkError, match=r"s3://no-such-bucket/x cannot be used"):
                list(verify_fold([world.history], nowhere))
        finally:
            server.stop()


def test_days_are_added_on_the_server_as_by_duckdb(server, tmp_path):
    """Runs that were folded before go on, over a new month too."""
    engine = Counted(server, tmp_path / "exchange", pieces_min=0)

    class OnSpark(World):
        @property
        def history(self):
            return type(super().history)(**{**vars(super().history), "engine": engine})

    grown = OnSpark(tmp_path / "grown", make_source(polls_to_close=2))
    for day, price in enumerate((1.0, 1.0, 2.0, 1.0, 1.0)):
        listed = [{"type": "a", "price": price}, *([{"type": "b", "price": 3.0}] if day < 2 else [])]
        grown.land(START + timedelta(days=7 * day), listed)
        grown.refresh()
    assert engine.joined >= 8
    (done,) = verify_fold([grown.history], DuckDbEngine())
    assert done.differing == 0
    assert [(r["offer_id"] is not None, r["hourly_price"]) for r in grown.intervals() if r["instance_type"] == "a"] == [
        (True, 1.0), (True, 2.0), (True, 1.0),
    ]  # fmt: skip


def test_a_row_that_differs_is_found_and_named(world):
    (bundle, *_) = world.history.bundles()
    path = bundle.path(PRICE_RUNS)
    whole = path.read_bytes()
    try:
        with duckdb.connect() as db:
            db.execute(
                f"create table runs as select * replace (price + 1 as price) from '{path}' order by all limit 3"
            )
            db.execute(f"insert into runs select * from (select * from '{path}' order by all offset 3)")
            db.execute(f"copy runs to '{path}' (format parquet)")
        (done,) = verify_fold([world.history], DuckDbEngine())
    finally:
        path.write_bytes(whole)
    assert (done.differing, done.examples) == (6, ("price_runs 2026-01: 6 rows",))


def test_few_pieces_are_not_sent(world, tmp_path):
    engine = Counted("sc://127.0.0.1:1", tmp_path)
    (done,) = verify_fold([world.history], engine)
    assert done.differing == 0 and engine.joined == 0


def test_a_server_that_is_not_there_is_named_with_the_way_out(tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"sc://127.0.0.1:{closed.getsockname()[1]}"
    with duckdb.connect() as db:
        pieces(db)
        engine = SparkEngine(url, tmp_path, pieces_min=0)
        with (
            pytest.raises(SparkError, match=f"answers at {url} .*ACCELMART_FOLD_ENGINE=duckdb"),
            engine.runs(db, "pieces", "place"),
        ):
            pass
    assert not list(tmp_path.iterdir())


def test_what_the_server_refuses_is_an_error_that_names_it(server, tmp_path):
    with duckdb.connect() as db:
        pieces(db)
        db.execute("alter table pieces alter price type varchar[] using [price]")
        db.execute("alter table pieces alter first_poll type varchar")
        engine = SparkEngine(server, tmp_path, pieces_min=0)
        with pytest.raises(SparkError, match=f"at {server} failed"), engine.runs(db, "pieces", "place"):
            pass
    assert not list(tmp_path.iterdir())


def test_without_its_client_the_package_is_named(server, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with duckdb.connect() as db:
        pieces(db)
        engine = SparkEngine(server, tmp_path, pieces_min=0)
        with pytest.raises(SparkError, match=r"accelmart\[spark\]"), engine.runs(db, "pieces", "place"):
            pass


def pieces(db):
    db.execute("""
        create table pieces as
        select 'all' as stream, 'a' as offer_id, 1.0 as price, 0.0 as upfront, null::double as term_hours,
            1.0 as accelerator_count, 1::bigint as first_poll, 1::bigint as last_poll, 1::bigint as place,
            0::bigint as polls_to_close
        """)


def test_an_engine_is_known_by_its_address(tmp_path):
    assert isinstance(fold_engine(DUCKDB, tmp_path), DuckDbEngine)
    spark = fold_engine("sc://spark:15002", tmp_path)
    assert isinstance(spark, SparkEngine) and spark.url == "sc://spark:15002"


def test_what_a_killed_fold_left_is_removed_by_the_next(tmp_path):
    home = Home(tmp_path, str(tmp_path / "landing"))
    left = home.raw / FOLD_EXCHANGE / "spark-killed" / "pieces"
    left.mkdir(parents=True)
    (left / "data.parquet").write_bytes(b"half")
    assert parse_prices(Lake(home, tmp_path / "no-snapshot")) == {}
    assert not left.exists()
