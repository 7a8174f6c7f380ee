"""Prices joined on a Spark Connect server (Sail, in this process) are what DuckDB makes of them, row by row."""

import random
import shutil
import socket
import sys
from contextlib import contextmanager

import duckdb
import fsspec
import pytest
from object_store import s3_server, used_here
from test_price_history import World, at, make_source, offer

from warehouse.inputs.price_observations import write_observations
from warehouse.inputs.price_spark import PRICE_JOINED, SparkError, SparkServer, create_observed, render_model
from warehouse.inputs.raw import PRICE_OFFERS
from warehouse.storage.files import link_or_copy


@contextmanager
def sail_server():
    server = pytest.importorskip("pysail.spark").SparkConnectServer(ip="127.0.0.1", port=0)
    server.start(background=True)
    host, port = server.listening_address
    try:
        yield f"sc://{host}:{port}"
    finally:
        server.stop()


@pytest.fixture(scope="module")
def sail():
    with sail_server() as url:
        yield url


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    """Raw tables of 75 polls of a market, more than the rule looks at in one stretch: prices that come back, offers that are withdrawn, return, or have no term."""
    tmp_path = tmp_path_factory.mktemp("market")
    draw = random.Random(7)
    made = World(tmp_path / "market", make_source(polls_to_close=2), f"memory://{tmp_path}")
    prices = {f"gpu{n}": float(n + 1) for n in range(40)}
    for day in range(0, 150, 2):
        for name in prices:
            if draw.random() < 0.15:
                prices[name] = draw.choice((1.0, 2.5, 1e-7, 123456.789))
        listed = [
            offer(price, name, count=8.0 if n % 3 else None, upfront=0.0 if n % 5 else 5.0)
            for n, (name, price) in enumerate(prices.items())
            if draw.random() > 0.2
        ]
        made.land(at(day), listed)
    assert made.refresh() == []
    observed = made.observed()
    for part in observed.parts:
        link_or_copy(part.path(PRICE_OFFERS), tmp_path / "raw" / PRICE_OFFERS / f"{part.stem}.parquet")
    write_observations([observed], tmp_path / "raw")
    return tmp_path / "raw"


@pytest.fixture
def raw(market, tmp_path):
    return shutil.copytree(market, tmp_path / "raw")


def joined_by_both(raw):
    """Number of rows of DuckDB, and rows that only one of the two has."""
    with duckdb.connect() as db:
        create_observed(db, raw)
        db.execute(f"create view ours as {render_model('int_price__joined', {})}")
        columns = ", ".join(name for name, *_ in db.execute("describe ours").fetchall())
        db.execute(f"create view theirs as select {columns} from '{raw / PRICE_JOINED / '*.parquet'}'")
        ((n,),) = db.execute("select count(*) from ours").fetchall()
        return n, db.execute(
            "(from ours except all from theirs) union all (from theirs except all from ours)"
        ).fetchall()


def test_every_row_is_that_of_duckdb(raw, sail, tmp_path):
    assert SparkServer(sail, tmp_path / "exchange", observed_min=0).join(raw)
    n, differing = joined_by_both(raw)
    assert n > 300 and differing == []
    assert not (tmp_path / "exchange").exists()


def test_prices_are_handed_over_through_an_object_store(raw, tmp_path, monkeypatch):
    """The server and this machine share no folder: Sail reads and writes a real S3 server."""
    exchange = tmp_path / "exchange"
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    with s3_server() as address, used_here(monkeypatch, address), sail_server() as url:
        assert SparkServer(url, exchange, "s3://warehouses/handed-over", observed_min=0).join(raw)
        n, differing = joined_by_both(raw)
        assert n > 300 and differing == []
        assert fsspec.filesystem("s3", skip_instance_cache=True).find("warehouses/handed-over") == []
        with pytest.raises(SparkError, match=r"s3://no-such-bucket/x cannot be used"):
            SparkServer(url, exchange, "s3://no-such-bucket/x", observed_min=0).join(raw)


def test_few_prices_are_not_sent(raw, tmp_path):
    assert not SparkServer("sc://127.0.0.1:1", tmp_path / "exchange").join(raw)
    assert not (raw / PRICE_JOINED).exists()


def test_a_server_that_is_not_there_is_named_with_the_way_out(raw, tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"sc://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(SparkError, match=f"answers at {url} .*unset ACCELMART_SPARK_URL"):
        SparkServer(url, tmp_path / "exchange", observed_min=0).join(raw)
    assert not (tmp_path / "exchange").exists() and not (raw / PRICE_JOINED).exists()


def test_what_the_server_refuses_is_an_error_that_names_it(raw, sail, tmp_path, monkeypatch):
    def refused(model, names):
        return "select no_such_column" if names else render_model(model, names)

    monkeypatch.setattr("warehouse.inputs.price_spark.render_model", refused)
    with pytest.raises(SparkError, match=f"at {sail} failed"):
        SparkServer(sail, tmp_path / "exchange", observed_min=0).join(raw)
    assert not (tmp_path / "exchange").exists()


def test_without_its_client_the_package_is_named(raw, sail, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with pytest.raises(SparkError, match=r"accelmart\[spark\]"):
        SparkServer(sail, tmp_path / "exchange", observed_min=0).join(raw)
