"""Checks on a payload before a build uses it: the bad one is named and isolated, the one before it stays."""

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow.parquet as pq
import pytest
from given_payloads import land_files, land_payload
from made import make_offer, store
from small_round import entry, small_round
from small_training import small_training_round

from ingest.core.landing import Landing
from ingest.core.records import Parsed
from ingest.core.source import Part
from ingest.mlperf.registry import (
    MLPERF_INFERENCE,
    MLPERF_SOURCES,
    MLPERF_TRAINING,
)
from ingest.registry import SOURCES
from warehouse.inputs.active import INFERENCE_SOURCES, TRAINING_SOURCES, select_active
from warehouse.inputs.isolation import accept_payloads, problems_of, read_isolated, write_isolated
from warehouse.inputs.raw import CONFIGURATIONS, PRICE_OFFERS, Provenance, write_part
from warehouse.storage.home import Home

GOOD = [entry(n) for n in range(100)]


CATALOG = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
    "gpu-h100-sxm_8gpu-128vcpu-1600gb,H100,8,128,1600,23.5,eu-north1,,\n"
)


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


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (GOOD[:97], "3 of 100 rows of the payload before it are gone"),
        (
            [entry(n, Platform=f"{16 + n}xH100_system", Nodes=2) if n < 12 else entry(n, Platform=f"8xH100_{n}")
             for n in range(1, 101)],
            "contradicts the system's name in 11 of 100 systems",
        ),
        ([*GOOD[:49], *({"version": "v9.9"} for _ in range(51))], "51 of 100 records cannot be read"),
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
    landed([*GOOD[:49], *({"version": "v9.9"} for _ in range(51))])
    assert used(home)[0] == 0


@pytest.mark.parametrize("copies", [GOOD[:1], GOOD[:50], GOOD])
def test_copies_of_a_record_count_once(home, landed, copies):
    landed([*GOOD, *copies])
    assert used(home) == (100, [])


def test_results_that_contradict_are_rejected_and_the_round_is_used(home, landed):
    landed([*GOOD, GOOD[7] | {"Performance_Result": 16000.0}])
    assert used(home) == (99, [])


def test_single_losses_and_a_few_contradictions_are_sound(home, landed):
    landed(GOOD)
    assert used(home)[0] == 100
    landed([entry(n, Platform=f"{8 if n > 3 else 16}xH100_{n}") for n in range(1, 100)])
    assert used(home) == (99, [])


def test_of_a_small_round_one_result_may_be_withdrawn_and_not_two(home, landed):
    landed(GOOD[:16])
    landed(GOOD[:15])
    assert used(home) == (15, [])
    landed(GOOD[:13])
    assert used(home) == (15, ["2 of 15 rows of the payload before it are gone"])


def test_an_accepted_payload_is_used(home, landed):
    landed(GOOD)
    landed(GOOD[:50])
    write_isolated(home, select_active(home).isolated, home.root / "isolated.parquet")
    (item,) = read_isolated(home)
    assert (item.source, item.release, item.name) == (MLPERF_INFERENCE, "v9.9", "mlperf-inference v9.9")
    accept_payloads(home, [item])
    assert used(home) == (50, [])


def test_a_form_that_the_newest_payload_lacks_is_not_taken_from_an_older_one(home, tmp_path):
    summary = {"summary_results.json": json.dumps(GOOD[:10])}
    for name, files, rows in (("both", summary | small_round(1600), 11), ("summary", summary, 10)):
        land_files(home, MLPERF_INFERENCE, "v9.9", tmp_path / name, files)
        assert used(home)[0] == rows


def table_of(entries):
    """Return the entries as MLCommons' summary.csv has them, the columns that are read."""
    columns = {
        "ID": "SubmissionID", "Submitter": "Organization", "Category": "Division", "Suite": "SystemType",
        "System": "SystemName", "UsedModel": "Model", "Model": "MlperfModel", "Performance_Result": "Result",
        "Performance_Units": "Units", "Nodes": "number_of_nodes", "a#": "accelerators_per_node",
    }  # fmt: skip
    names = list(entries[0])
    lines = [[columns.get(n, n) for n in names], *([e[n] for n in names] for e in entries)]
    return "".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines)


def test_a_form_shrinks_against_its_own_payloads_whatever_their_dialect(home, landed, tmp_path):
    """A tree beside a summary is another form: it is no shrunk summary."""
    landed(GOOD)
    landed(table_of(GOOD[:90]))
    assert used(home) == (100, ["10 of 100 rows of the payload before it are gone"])
    land_files(home, MLPERF_INFERENCE, "v9.9", tmp_path / "tree", small_round(1600))
    assert used(home)[0] == 101


def test_results_of_earlier_payloads_are_handed_on_to_tell_what_was_withdrawn(home, landed, tmp_path):
    first, second, third = landed(GOOD), landed(GOOD[:99]), landed([*GOOD[:99], entry(200)])
    active = select_active(home, INFERENCE_SOURCES)
    of_round = [p for p in active.parts if p.account.release == "v9.9"]
    assert [p.provenance.payload_sha256 for p in of_round] == [third.sha256]
    assert {p.provenance.payload_sha256 for p in active.earlier} == {first.sha256, second.sha256}
    # a bundled copy of the first is the same part
    snapshot = shutil.copytree(home.raw, tmp_path / "snapshot")
    for path in snapshot.rglob(f"*{second.sha256[:16]}*"):
        path.unlink()
    earlier = [p.stem for p in select_active(home, INFERENCE_SOURCES, snapshot=snapshot).earlier]
    assert sorted(earlier) == sorted({p.stem for p in active.earlier})
    landed(GOOD)  # the first again
    (now,) = [p for p in select_active(home, INFERENCE_SOURCES).parts if p.account.release == "v9.9"]
    assert now.provenance.payload_sha256 == first.sha256


def broken(*_, **__):
    raise KeyError("nobody expected this")


def test_a_new_version_of_a_parser_parses_again_and_what_it_fails_on_is_isolated(home, landed, monkeypatch):
    landed(GOOD)
    landed([*GOOD, entry(301)])
    assert used(home) == (101, [])
    source = MLPERF_SOURCES[MLPERF_INFERENCE]
    newer = replace(source, parser_version=source.parser_version + 1)
    monkeypatch.setitem(SOURCES, MLPERF_INFERENCE, newer)
    (part,) = (p for p in select_active(home, INFERENCE_SOURCES).parts if p.account.release == "v9.9")
    assert part.provenance.parser_version == newer.parser_version and part.account.rows_out == 101
    monkeypatch.setitem(SOURCES, MLPERF_INFERENCE, replace(newer, parser_version=99, parse=broken))
    rows, problems = used(home)
    assert rows == 0 and len(problems) == 2 and "its parser fails on it (KeyError" in problems[0]


@pytest.mark.parametrize("is_absent", [False, True])
def test_a_damaged_or_absent_payload_is_not_missed_while_its_rows_are_there_and_isolated_once_they_are_not(
    home, landed, is_absent
):
    landed(GOOD)
    payload = landed([*GOOD, entry(301)])
    stored = next(p for p in (home.root / "landing").rglob("*") if payload.sha256 in p.name and p.is_file())
    stored.chmod(0o644)
    stored.write_bytes(b"x")
    if is_absent:
        stored.unlink()
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


def test_a_check_that_raises_isolates_its_payload_and_nothing_else(home, landed, tmp_path, monkeypatch):
    monkeypatch.setattr("warehouse.inputs.isolation._row_problems", broken)
    landed(GOOD)
    (tmp_path / "vms.csv").write_text(CATALOG)
    land_payload(home, "skypilot-catalog", "yotta", tmp_path / "vms.csv")
    now = select_active(home)
    assert [(i.source, i.release, i.problem) for i in now.isolated] == [
        (MLPERF_INFERENCE, "v9.9", "its check fails (KeyError: 'nobody expected this')")
    ]
    files = [part.files[PRICE_OFFERS] for part in now.all_parts if PRICE_OFFERS in part.files]
    assert 23.5 in {row["price"] for file in files for row in pq.read_table(file).to_pylist()}


def test_a_training_round_with_its_configurations_is_used(home, tmp_path):
    """Two folders are implementations of one benchmark there: their files are no copies of each other."""
    config = "Dell/benchmarks/{}/implementations/pytorch/config_8.sh"
    more = {config.format(folder): "export FP8=True\n" for folder in ("dlrm", "dlrm_v2")}
    land_files(home, MLPERF_TRAINING, "v3.0", tmp_path / "round", small_training_round() | more)
    active = select_active(home, TRAINING_SOURCES)
    parts = {p.record_table: p for p in active.parts if p.root == home.raw and p.account.release == "v3.0"}
    assert active.isolated == [] and parts[CONFIGURATIONS].account.rows_out == 3
    (result,) = pq.read_table(parts["mlperf_training_results"].path("mlperf_training_results")).to_pylist()
    assert result["minutes"] == pytest.approx(8 / 60)  # run_start at 21 s, run_stop at 29 s


def offers(counts):
    """A part of offers, so many of each seller."""
    made = make_offer(source="x", instance_type="t")
    rows = [replace(made, provider_published=seller) for seller, n in counts.items() for _ in range(n)]
    return Part("", "prices", Parsed(rows))


def grids(home, tmp_path, **changed):
    """Land a list of countries; return the one that a build would use, and what is isolated."""
    figures = {"FRA": 56.0, "DEU": 381.0, "UZB": 1167.6, "LSO": 20.0, "ESP": 174.0} | changed
    entries = {c: {"carbon_intensity": f, "country_name": c, "year": 2023} for c, f in figures.items()}
    (tmp_path / "countries.json").write_text(json.dumps(entries))
    land_payload(home, "codecarbon", "countries", tmp_path / "countries.json")
    active = select_active(home, ["codecarbon"], snapshot=tmp_path / "none")
    (part,) = active.parts
    table = pq.read_table(part.path("grid_intensities"))
    used = dict(
        zip(table["place_published"].to_pylist(), table["intensity_published"].to_pylist(), strict=True)
    )
    return {place: float(figure) for place, figure in used.items()}, [i.problem for i in active.isolated]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        # tenfold off, which is still what a grid can have
        (
            {"FRA": 5.6, "DEU": 38.1, "UZB": 116.76, "LSO": 2.0, "ESP": 17.4},
            "are 0.1 times those of the payload before it",
        ),
        # one place in kg in place of g, and one in pounds per MWh of another place
        ({"UZB": 1.1676}, "the carbon intensity of UZB is 0.001 times"),
        ({"LSO": 2573.9}, "the carbon intensity of LSO is 129 times"),
    ],
)
def test_carbon_intensities_that_moved_too_far_leave_those_before_in_force(home, tmp_path, changed, problem):
    before, none = grids(home, tmp_path)
    now, (found,) = grids(home, tmp_path, **changed)
    assert now == before and none == [] and problem in found
    # a year of change is none
    later = {"FRA": 41.0, "UZB": 1105.0, "LSO": 31.0}
    assert grids(home, tmp_path, **later) == (before | later, [])


def test_a_list_that_lost_nearly_all_of_a_seller_is_named(tmp_path):
    provenance = Provenance(
        source="x", payload_key="us", payload_url="u", payload_sha256="a", payload_bytes=1, licence="l",
        fetched_at=datetime(2026, 11, 1, tzinfo=UTC), parser_version=1,
    )  # fmt: skip
    same = offers({"many": 20, "few": 19, "half": 40})
    before = write_part(tmp_path, same, provenance, parts_in_payload=1)
    now = offers({"many": 2, "few": 1, "half": 20})
    assert problems_of(now, "us", before) == ["18 of 20 offers of many are gone since the poll before"]
    assert problems_of(now, "us", None) == problems_of(same, "us", before) == []
    assert problems_of(now, "us@2026-01-01", before) == []


@pytest.mark.parametrize("source", ["vast", "codecarbon", "mlperf-inference"])
def test_a_key_of_before_keys_had_a_form_is_isolated_and_stops_nothing(tmp_path, source, monkeypatch):
    """Its parts could not even be written: names of files end at 255 characters."""
    home = Home(tmp_path, str(tmp_path / "landing"))
    with monkeypatch.context() as before:
        before.setattr("ingest.core.landing.as_key", str)
        store(Landing(home.landing_url), b"{}", source=source, key="x" * 240)
    active = select_active(home, [source], snapshot=tmp_path / "none")
    (isolated,) = active.isolated
    assert (isolated.source, isolated.payload_key) == (source, "x" * 240) and active.all_parts == []
    assert "of 240 characters, is no key: use at most 100 letters" in isolated.problem
