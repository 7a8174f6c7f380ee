"""A refresh from every upstream over real sockets, with every kind of fault: two refreshes of `refreshed_home`."""

import gzip
import io
import json
import re
import tarfile
import zipfile

import duckdb
import pytest
import serving_frontiers
from refreshed_home import AGAIN, FETCHED, LASTING, SETTINGS
from replay_world import KEYS
from secret_marks import leaks_in, printed_marks

from ingest.core.source import plan_of
from ingest.prices.registry import PRICE_SOURCES

pytestmark = pytest.mark.xdist_group("refresh")


@pytest.fixture
def prices(refreshed):
    with duckdb.connect(str(refreshed.home / "accelmart.duckdb"), read_only=True) as db:
        yield db


def lines(done):
    return [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]


def test_temporary_errors_lose_no_data(refreshed):
    first = refreshed.first
    assert first.returncode == 0, first.stdout + first.stderr
    reported = {line.partition(":")[0]: line for line in lines(first)}
    for source in FETCHED:
        planned = len(plan_of(source, {**SETTINGS, **KEYS})[0])
        assert f"{planned} new, 0 unchanged" in reported[source.name]


def test_lasting_errors_are_reported_and_do_not_stop_other_sources(refreshed):
    second = refreshed.second
    assert second.returncode == 1
    assert f"{len(LASTING)} of {len(AGAIN)} sources failed" in second.stderr
    for name in LASTING:
        assert re.search(rf"^{name}: \d+ of \d+ fetches failed; the last good data stay", second.stderr, re.M)
    for source in AGAIN:
        if source.name not in LASTING:
            assert re.search(rf"^{source.name}: 0 new, \d+ unchanged", second.stdout, re.M), second.stdout


def test_no_key_is_printed_or_in_any_file(refreshed):
    assert printed_marks("".join(lines(refreshed.first) + lines(refreshed.second)).encode()) == []
    assert leaks_in(refreshed.home) == []


def test_a_failed_source_keeps_its_last_prices(prices):
    for name in LASTING.keys() & PRICE_SOURCES.keys():
        in_force, ended = prices.execute(
            "select count(*) filter (where valid_to is null), count(*) filter (where valid_to is not null) "
            "from fct_price_interval where source = ?",
            [name],
        ).fetchall()[0]
        assert in_force > 0 and ended == 0, name


def test_prices_of_the_day_are_published(prices):
    published = prices.execute(
        "select accelerator_count, usd_per_accelerator_hour from fct_price_interval "
        "where source = 'lambda' and valid_to is null and price_published like '%7.77%'"
    ).fetchall()
    assert published == [(8, pytest.approx(7.77))]
    assert prices.execute("select * from ops_isolated_payload").fetchall() == []


def test_a_price_that_only_grew_old_is_no_alarm(refreshed, prices):
    """Since the bundled prices days have passed: who has no list of today has older prices, of which fewer stand for it."""
    asked = [source.name for source in FETCHED]
    moved = "from mart_changes where kind like 'moved%' and generation_id = (select generation_id from ops_generation)"
    aged = prices.execute(f"select count(*) {moved} and source not in (select unnest(?))", [asked]).fetchone()
    assert aged > (0,)
    assert prices.execute(f"select subject {moved} and cause = 'no new input'").fetchall() == []


def test_every_record_of_every_payload_is_accounted_for(refreshed, prices):
    accounts = prices.execute(
        "select source, payload_key, records_in, rows_out + duplicates + merged + rejects + out_of_scope, is_balanced "
        "from ops_reconciliation where dialect in ('prices', 'rates', 'specs', 'grids', 'serving')"
    ).fetchall()
    assert all(balanced and read == reported and read > 0 for _, _, read, reported, balanced in accounts)
    landed = {(source, key) for source, key, *_ in accounts}
    planned = {(s.name, f.key) for s in FETCHED for f in plan_of(s, {**SETTINGS, **KEYS})[0]}
    assert planned <= landed


@pytest.mark.parametrize(
    ("accelerator_id", "attribute", "source", "value"),
    [
        # a rack ÷ 72, its sparse rate
        ("nvidia-gb300-288gb", "bf16_dense_tflops", "nvidia", 360e3 / 72 / 2),
        ("amd-mi300x", "memory_gb", "rocm", 192),
        # bits, in one direction
        ("google-tpu-v5p", "scale_up_bandwidth_gb_s", "google-tpu", 4800 / 8 * 2),
        ("nvidia-h100-sxm-80gb", "memory_gb", "epoch", 80),
    ],
)
def test_a_vendor_value_is_compared_with_other_sources(prices, accelerator_id, attribute, source, value):
    rows = prices.execute(
        "select values_by_source from mart_spec_agreement where accelerator_id = ? and attribute = ?",
        [accelerator_id, attribute],
    ).fetchall()
    said = {v["source"]: v["value"] for (text,) in rows for v in json.loads(text or "[]")}
    assert said[source] == pytest.approx(value) and "curated" in said


def files_of(path):
    """Return the files of a landed object, read with the standard library only: name → content."""
    data = gzip.decompress(path.read_bytes())
    if data[257:262] != b"ustar":
        return {"": data}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}


def text_of(data):
    """Return the text of a file, or of all files that an archive holds."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = b"\n".join(archive.read(name) for name in archive.namelist())
    return data.decode("utf-8")


def test_every_price_can_be_traced_to_its_payload(refreshed, prices):
    """Find the payload by hash, the file by name and the record by position; it has the published price."""
    objects = {p.name.removesuffix(".gz"): p for p in (refreshed.home / "landing" / "objects").rglob("*.gz")}
    payloads = prices.execute(
        "select source, payload_sha256, any_value(payload_key), list((payload_member, payload_record, price_published)) "
        "from fct_price_interval group by 1, 2"
    ).fetchall()
    walked, missing = 0, []
    for source, sha256, key, rows in payloads:
        if sha256 not in objects:
            assert "@" in key, (source, key)  # bundled data: the payload is not landed
            continue
        files = files_of(objects[sha256])
        text = "\n".join(map(text_of, files.values())).replace(",", "")
        parsed = PRICE_SOURCES[source].parse(
            [(name, io.BytesIO(data)) for name, data in files.items()], key=key
        )
        records = {(r.member, r.record) for r in parsed.rows}
        for member, record, published in rows:
            walked += 1
            # GCP publishes no price per machine: its record names the parts, by SKU
            words = re.findall(r"sku (\S+)", record) if source == "gcp-billing-catalog" else re.findall(r"\d[\d.]*", published.replace(",", ""))  # fmt: skip
            if (member or "", record) not in records or not words or not all(word in text for word in words):
                missing.append((source, key, member, record, published))
    assert walked > 500 and missing == []


def test_every_frontier_of_fetched_runs_is_that_of_a_comparison_of_every_pair(prices):
    expected = serving_frontiers.frontiers(prices)
    assert len(expected) > 250 and serving_frontiers.published(prices) == expected
    assert {group[0] for _, group in expected} == {"mlenergy", "inferencex", "inferencex-points"}
