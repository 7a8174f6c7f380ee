"""Checks on a payload before a build uses it: the bad one is named and isolated, the one before it stays."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow.parquet as pq
import pytest
from given_payloads import land_payload
from made import make_offer
from small_training import small_training_round

from ingest.core.errors import PayloadRejected
from ingest.core.records import Parsed
from ingest.core.source import Part
from ingest.mlperf.registry import (
    MLPERF_INFERENCE,
    MLPERF_SOURCES,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
)
from ingest.registry import SOURCES
from orchestration.landing import WHOLE
from warehouse.active import INFERENCE_SOURCES, TRAINING_SOURCES, select_active
from warehouse.home import SNAPSHOT_DIR, Home
from warehouse.isolation import MLPERF_FAMILIES, accept_payloads, problems_of, read_isolated, write_isolated
from warehouse.parquet import arrow_fields
from warehouse.raw import (
    CONFIGURATIONS,
    FAMILIES,
    PRICE_OFFERS,
    Provenance,
    read_parts,
    write_part,
)


def entry(number, **changes):
    platform = changes.get("Platform", f"system{number}")
    return {
        "ID": f"9.9-{number:04}", "Submitter": "Dell", "Availability": "available", "Category": "closed",
        "Suite": "datacenter", "System": "A system", "Platform": platform, "UsedModel": "resnet50", "Model": "resnet",
        "Scenario": "Offline", "Accuracy": "acc: 76", "Nodes": 1, "Accelerator": "NVIDIA H100-SXM-80GB", "a#": 8,
        "Location": f"closed/Dell/results/{platform}/resnet50/Offline", "version": "v9.9", "inferred": 0,
        "Performance_Result": 1600.0, "Performance_Units": "Samples/s",
    } | changes  # fmt: skip


GOOD = [entry(n) for n in range(100)]


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "home", str(tmp_path / "home" / "landing"))


@pytest.fixture
def landed(home, tmp_path):
    def put(payload):
        path = tmp_path / "summary_results.json"
        path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
        return land_payload(home, MLPERF_INFERENCE, "v9.9", path)

    return put


def used(home):
    """(rows of the round that a build would use, what is isolated and why)."""
    active = select_active(home, INFERENCE_SOURCES)
    rows = sum(p.account.rows_out for p in active.parts if p.account.release == "v9.9")
    return rows, [i.problem for i in active.isolated]


def test_a_sound_round_is_used(home, landed):
    landed(GOOD)
    assert used(home) == (100, [])


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ([*GOOD, *GOOD], "100 of 200 records are copies of others: doubled rows"),
        (GOOD[:97], "3 of 100 rows of the payload before it are gone"),
        (
            [entry(n, Platform=f"{16 + n}xH100_system", Nodes=2) if n < 12 else entry(n, Platform=f"8xH100_{n}")
             for n in range(1, 101)],
            "contradicts the system's name in 11 of 100 systems",
        ),
        ([*GOOD[:40], *({"version": "v9.9"} for _ in range(60))], "60 of 100 records cannot be read"),
    ],
)  # fmt: skip
def test_a_payload_that_fails_a_check_leaves_the_one_before_in_force(home, landed, payload, problem):
    landed(GOOD)
    assert used(home) == (100, [])
    landed(payload)
    rows, problems = used(home)
    assert rows == 100
    assert any(problem in found for found in problems), problems
    # a later good one takes its place
    landed([*GOOD, entry(200)])
    assert used(home) == (101, [])


def test_a_first_payload_that_fails_stays_out(home, landed):
    landed([*GOOD, *GOOD])
    assert used(home)[0] == 0


def test_single_losses_and_a_few_contradictions_are_sound(home, landed):
    landed(GOOD)
    assert used(home)[0] == 100
    landed(GOOD[:99])
    assert used(home) == (99, [])


def test_an_accepted_payload_is_used(home, landed):
    landed(GOOD)
    landed(GOOD[:50])
    write_isolated(home, select_active(home).isolated, home.root / "isolated.parquet")
    (item,) = read_isolated(home)
    assert (item.source, item.release, item.name) == (MLPERF_INFERENCE, "v9.9", "mlperf-inference v9.9")
    accept_payloads(home, [item])
    assert used(home) == (50, [])


def test_a_form_that_the_newest_payload_lacks_is_not_taken_from_an_older_one(home, tmp_path):
    log = "closed/Dell/results/system0/resnet50/Offline/performance/run_1/mlperf_log_summary.txt"
    words = "Scenario : Offline\nMode : PerformanceOnly\nSamples per second: 371.423\nResult is : VALID\n"
    files = {"summary_results.json": json.dumps(GOOD[:10]), log: words}
    for name, members in (
        ("both", files),
        ("summary", {"summary_results.json": files["summary_results.json"]}),
    ):
        for path, text in members.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_text(text)
        land_payload(home, MLPERF_INFERENCE, "v9.9", tmp_path / name)
        assert used(home)[0] == {"both": 11, "summary": 10}[name]


def broken(*_, **__):
    raise KeyError("nobody expected this")


def test_a_payload_that_its_parser_fails_on_is_quarantined_where_it_lands(home, landed, monkeypatch):
    landed(GOOD)
    source = MLPERF_SOURCES[MLPERF_INFERENCE]
    monkeypatch.setitem(SOURCES, MLPERF_INFERENCE, replace(source, parse=broken))
    with pytest.raises(PayloadRejected, match=r"its parser fails on it \(KeyError.*kept as"):
        landed([*GOOD, entry(300)])
    assert used(home) == (100, [])


def test_a_new_version_of_a_parser_parses_again_and_what_it_fails_on_is_isolated(home, landed, monkeypatch):
    landed(GOOD)
    landed([*GOOD, entry(301)])
    assert used(home) == (101, [])
    source = MLPERF_SOURCES[MLPERF_INFERENCE]
    newer = replace(source, parser_version=source.parser_version + 1)
    monkeypatch.setitem(SOURCES, MLPERF_INFERENCE, newer)
    assert used(home) == (101, [])
    parts = [p for p in select_active(home, INFERENCE_SOURCES).parts if p.account.release == "v9.9"]
    assert {p.provenance.parser_version for p in parts} == {newer.parser_version}
    again = Home(home.root.with_name("again"), home.landing_url)  # the same landing zone, and no raw layer
    (fresh,) = (p for p in select_active(again, INFERENCE_SOURCES).parts if p.account.release == "v9.9")
    for table, path in parts[0].files.items():
        assert pq.read_table(path).equals(pq.read_table(fresh.path(table))), table
    monkeypatch.setitem(SOURCES, MLPERF_INFERENCE, replace(newer, parser_version=99, parse=broken))
    rows, problems = used(home)
    assert rows == 0 and len(problems) == 2 and "its parser fails on it (KeyError" in problems[0]


def test_a_damaged_payload_is_not_missed_while_its_rows_are_there_and_isolated_once_they_are_not(
    home, landed
):
    landed(GOOD)
    payload = landed([*GOOD, entry(301)])
    stored = next(p for p in (home.root / "landing").rglob("*") if payload.sha256 in p.name and p.is_file())
    stored.chmod(0o644)
    stored.write_bytes(b"x")
    assert used(home) == (101, [])
    shutil.rmtree(home.raw)
    rows, (problem,) = used(home)
    assert rows == 100 and payload.sha256[:8] in problem


def test_a_payload_killed_between_two_of_its_parts_is_parsed_again(home, landed, monkeypatch):
    landed(GOOD)
    parts = [p for p in select_active(home, INFERENCE_SOURCES).parts if p.root == home.raw]
    account = parts[0].path(parts[0].family.reconciliation)
    before = account.read_bytes()
    account.unlink()
    assert used(home) == (100, []) and account.read_bytes() == before


def raising(error):
    def check(*_, **__):
        raise error

    return check


CATALOG = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
    "gpu-h100-sxm_8gpu-128vcpu-1600gb,H100,8,128,1600,{price},eu-north1,,\n"
)


@pytest.fixture
def land_prices_of(home, tmp_path):
    def put(provider, price):
        path = tmp_path / f"{provider}.csv"
        path.write_text(CATALOG.format(price=price))
        assert land_payload(home, "skypilot-catalog", provider, path).outcome == "landed"

    return put


def prices_of_build(used):
    """Prices of the landed catalogs that a build would use."""
    parts = used.all_parts
    files = [part.files[PRICE_OFFERS] for part in parts if PRICE_OFFERS in part.files]
    rows = [row for f in files for row in pq.read_table(f).to_pylist() if row["source"] == "skypilot-catalog"]
    return {row["price"] for row in rows}


@pytest.mark.parametrize(
    "error", [KeyError("a table that nobody foresaw"), OSError("no such file"), ZeroDivisionError("x / 0")]
)
def test_a_check_that_raises_isolates_its_payload_and_nothing_else(
    home, landed, land_prices_of, monkeypatch, error
):
    monkeypatch.setattr("warehouse.isolation._row_problems", raising(error))
    landed(GOOD)
    land_prices_of("yotta", 23.5)
    now = select_active(home)
    assert [(i.source, i.release, i.problem) for i in now.isolated] == [
        (MLPERF_INFERENCE, "v9.9", f"its check fails ({type(error).__name__}: {error})")
    ]
    assert 23.5 in prices_of_build(now)


def test_every_table_of_mlperf_states_its_key():
    for family in FAMILIES:
        for table, of in family.records.items() if family in MLPERF_FAMILIES else ():
            names = {field.name for field in arrow_fields(of.record)}
            assert of.key and set(of.key) <= names, table


def landed_training(home, folder, files, release="v3.0"):
    """Land a round of training and return its parts by table."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    land_payload(home, MLPERF_TRAINING, release, folder)
    active = select_active(home, TRAINING_SOURCES)
    of_round = [p for p in active.parts if p.root == home.raw and p.account.release == release]
    return {p.record_table: p for p in of_round}, [i.problem for i in active.isolated]


def test_a_training_round_with_its_configurations_is_used(home, tmp_path):
    """Two folders are implementations of one benchmark there: their files are no copies of each other."""
    config = "Dell/benchmarks/{}/implementations/pytorch/config_8.sh"
    more = {config.format(folder): "export FP8=True\n" for folder in ("dlrm", "dlrm_v2")}
    parts, problems = landed_training(home, tmp_path / "round", small_training_round() | more)
    assert problems == [] and parts[CONFIGURATIONS].account.rows_out == 3
    (result,) = pq.read_table(parts["mlperf_training_results"].path("mlperf_training_results")).to_pylist()
    assert result["minutes"] == pytest.approx(8 / 60)  # run_start at 21 s, run_stop at 29 s


def training_entry(number, **changes):
    return {
        "version": "9.9", "submitter": "Dell", "system": "A server", "Model_ID": f"model{number}", "Result": 10.0 + number,
        "Result_Units": "min.", "division": "closed", "accelerators_count": 8, "accelerator_model_name": "NVIDIA H100",
        "details_url": "https://github.com/mlcommons/training_results_v9.9/blob/main/Dell/systems/box.json",
    } | changes  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # a system has several results; upstream lists each entry twice
        ([training_entry(n) for n in range(4)] * 2, (4, [])),
        ([*(training_entry(n) for n in range(4)), *({"version": "9.9"} for _ in range(5))],
         (0, ["5 of 9 records cannot be read: its form has changed"])),
    ],
)  # fmt: skip
def test_results_of_one_system_in_the_training_collection_are_no_doubled_rows(
    home, tmp_path, entries, expected
):
    folder = tmp_path / "collection" / "experiment" / "mlperf-training--9.9--closed" / "1"
    folder.mkdir(parents=True)
    (folder / "cm-result.json").write_text(json.dumps(entries))
    land_payload(home, MLPERF_TRAINING_COLLECTION, WHOLE, tmp_path / "collection")
    active = select_active(home, TRAINING_SOURCES)
    rows = sum(p.account.rows_out for p in active.parts if p.account.release == "v9.9")
    assert (rows, [i.problem for i in active.isolated]) == expected


def test_the_real_training_collection_takes_the_place_of_the_bundled_rows(home, mlperf_data):
    tarball = mlperf_data / "releases" / "cm4mlperf-results.tar.gz"
    land_payload(home, MLPERF_TRAINING_COLLECTION, WHOLE, tarball)
    active = select_active(home, TRAINING_SOURCES)
    parts = [p for p in active.parts if p.provenance.source == MLPERF_TRAINING_COLLECTION]
    assert active.isolated == []
    # distinct entries of each round, counted by json alone in tests/ingest/mlperf/test_training_collection.py
    assert {p.account.release: p.account.rows_out for p in parts} == {
        "v1.0": 131, "v1.1": 108, "v2.0": 234, "v2.1": 144, "v3.0": 214,
    }  # fmt: skip
    assert {p.root for p in parts} == {home.raw}
    bundled = read_parts(SNAPSHOT_DIR, MLPERF_TRAINING_COLLECTION)
    assert rows_of(parts) == rows_of(bundled)


def rows_of(parts):
    """Rows of training parts without the evidence of the fetch."""
    evidence = set(Provenance.__dataclass_fields__)
    return sorted(
        repr(sorted((k, v) for k, v in row.items() if k not in evidence))
        for part in parts
        for row in pq.read_table(part.path(part.record_table)).to_pylist()
    )


def offers(folder, counts, key="us-east-1", sha256="a"):
    """A part of offers, so many of each seller."""
    provenance = Provenance(
        source="x", payload_key=key, payload_url="u", payload_sha256=sha256, payload_bytes=1, licence="l",
        fetched_at=datetime(2026, 11, 1, tzinfo=UTC), parser_version=1,
    )  # fmt: skip
    made = make_offer(source="x", instance_type="t")
    rows = [replace(made, provider_published=seller) for seller, n in counts.items() for _ in range(n)]
    return write_part(folder, Part("", "prices", Parsed(rows)), provenance, parts_in_payload=1)


def test_a_list_that_lost_nearly_all_of_a_seller_is_named(tmp_path):
    before = offers(tmp_path, {"many": 20, "few": 19, "half": 40})
    now = offers(tmp_path, {"many": 2, "few": 1, "half": 20}, sha256="b")
    assert problems_of(now, before) == ["18 of 20 offers of many are gone since the poll before"]
    assert problems_of(now, None) == problems_of(before, before) == []
    dated = offers(tmp_path, {"many": 2}, key="us-east-1@2026-01-01")
    assert problems_of(dated, before) == []
