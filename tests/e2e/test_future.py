"""Rounds and price lists of the future: 600 made by Hypothesis, each parsed by itself, then all published in one build.

Every example changes real forms in ways that upstream may: new part, model, scenario, unit, submitter, key, harness; a key
that is gone; no accelerator. Each record is a row or a listed reject, and the warehouse of all of them is published.

Training rounds are landed into the same installation: old dialects, and a round that no seed knows.
"""

import csv
import io
import json
import sys
import tarfile
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from home_copies import copy_home
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).resolve().parents[1] / "ingest" / "mlperf"))
from mlperf_payloads import COLLECTED, OFFLINE, V51, V61
from small_training import SYSTEM, a_log, as_text

from ingest.mlperf.published import parse_summary
from ingest.mlperf.raw_tree import parse_tree
from ingest.mlperf.summary_csv import parse_summary_csv
from ingest.prices import azure, skypilot
from ingest.prices.registry import PRICE_SOURCES
from ingest.source import MLPERF_COLLECTION, SOURCES, parse_payload
from orchestration.defs.mlperf.landing import FetchConfig, land
from orchestration.list_landing import PriceFetchConfig, land_prices
from warehouse.home import Home
from warehouse.lake import COLLECTION_KEY, Lake
from warehouse.overrides import read_overrides

pytestmark = pytest.mark.xdist_group("future")
MLPERF_TESTS = Path(__file__).resolve().parents[1] / "ingest" / "mlperf"
EXAMPLES = 100  # of each of six forms
NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), exclude_characters="\x00/\\"),
    min_size=1,
    max_size=12,
).map(lambda words: f"Future {words.strip() or 'x'}")
ONE_SHAPE = settings(
    max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)  # fmt: skip
# form → (payload of one example, its records) in the order they were made
CORPUS = {form: [] for form in ("list", "dict", "csv", "collection", "tree", "skypilot", "azure")}

# which keys of a dialect hold what: part, benchmark, folder's model, scenario, unit, submitter
KEYS = {
    "list": ("Accelerator", "Model", "UsedModel", "Scenario", "Performance_Units", "Submitter", "a#"),
    "dict": (
        "accelerator_model_name", "MlperfModel", "Model", "Scenario", "Units", "Organization", "accelerators_per_node",
    ),
}  # fmt: skip
KEYS["csv"] = KEYS["collection"] = KEYS["dict"]
TEMPLATES = {"list": V51, "dict": V61, "csv": V61, "collection": COLLECTED}
VERSIONS = {"list": "v90.1", "dict": "v90.2", "csv": "v90.3", "collection": "v90.5"}
KINDS = ("part", "benchmark", "scenario", "unit", "submitter", "key", "missing", "required", "none")


@st.composite
def changes(draw):
    """Which of the kinds of novelty an entry has, with the new name."""
    kinds = draw(st.sets(st.sampled_from(KINDS[:7]), max_size=3))
    # entries without what identifies them are rejected: few, so that the round keeps most of its rows
    if draw(st.integers(0, 9)) == 0:
        kinds = kinds | {"required"}
    if draw(st.integers(0, 5)) == 0:
        kinds = (kinds - {"part"}) | {"none"}
    return {kind: draw(NAMES) for kind in sorted(kinds)}


def entry(form, novelty, number):
    """One entry of a dialect with these novelties, on a platform of its own."""
    part, benchmark, model, scenario, unit, submitter, per_node = KEYS[form]
    body = dict(TEMPLATES[form]) | {"version": VERSIONS[form], "Platform": f"future_{form}_{number}"}
    for kind, key in (("part", part), ("benchmark", benchmark), ("unit", unit), ("submitter", submitter)):
        if kind in novelty:
            body[key] = novelty[kind]
    if "benchmark" in novelty:
        body[model] = "future-model"
    if "scenario" in novelty:
        body[scenario] = novelty["scenario"]
    if "none" in novelty:
        body[part], body[per_node] = None, None
    if "key" in novelty:
        body["a key of the future"] = {"deep": [novelty["key"]]} if form != "csv" else novelty["key"]
    if "missing" in novelty:
        for key in ("Availability", "Accuracy", "notes", "Notes", "SystemName", "System"):
            body.pop(key, None)
    if "required" in novelty:
        body.pop("Platform")
    return body


def parsed(form, entries):
    """What the parser makes of entries of one payload."""
    if form == "list":
        return parse_summary(
            json.dumps(entries).encode(), where="summary_results.json", release=VERSIONS[form]
        )
    if form == "dict":
        return parse_summary(as_dict(entries), where="summary.json", release=VERSIONS[form])
    if form == "csv":
        return parse_summary_csv(as_csv(entries), where="summary.csv", release=VERSIONS[form])[1]
    (part,) = parse_payload(SOURCES[MLPERF_COLLECTION], release=None, members=as_collection(entries))
    return part.parsed


def as_dict(entries):
    return json.dumps({str(n): body for n, body in enumerate(entries)}).encode()


def as_csv(entries):
    columns = list(dict.fromkeys(key for body in [V61, *entries] for key in body))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(entries)
    return out.getvalue().encode()


def as_collection(entries):
    folder = "experiment/mlperf-inference--v90.5--datacenter--closed--x--offline"
    return [(f"{folder}/cm-result.json", json.dumps(entries).encode())]


@pytest.mark.parametrize("form", TEMPLATES)
def test_every_record_of_a_future_summary_is_a_row_or_a_listed_reject(form):
    @seed(90)
    @ONE_SHAPE
    @given(changes())
    def check(novelty):
        body = entry(form, novelty, len(CORPUS[form]))
        CORPUS[form].append(body)
        found = parsed(form, [body])
        assert found.is_balanced and found.records_in == 1
        if "required" in novelty:
            assert len(found.rejects) == 1 and "Platform" in found.rejects[0].problem
            return
        (row,) = found.rows
        if "scenario" in novelty:
            assert row.scenario == f"unmapped:{novelty['scenario']}"
        if "part" in novelty:
            assert row.accelerator_name_published == novelty["part"]
        if "unit" in novelty:
            assert row.result_unit_published == novelty["unit"]

    check()
    assert len(CORPUS[form]) >= EXAMPLES


def test_every_folder_of_a_future_tree_is_a_row_or_a_listed_reject():
    @seed(90)
    @ONE_SHAPE
    @given(changes(), st.sampled_from(["loadgen", "endpoints", "no harness we know"]))
    def check(novelty, harness):
        files = tree_files(novelty, harness, len(CORPUS["tree"]))
        CORPUS["tree"].append(files)
        found = parse_tree(((name, text.encode()) for name, text in files.items()), release="v90.4")
        assert found.is_balanced and found.records_in == 1
        assert len(found.rows) + len(found.rejects) == 1

    check()
    assert len(CORPUS["tree"]) >= EXAMPLES


def tree_files(novelty, harness, number):
    """A system and one scenario folder of it."""
    platform = f"future_tree_{number}"
    model, scenario = ("future-model", "Offline") if "benchmark" in novelty else ("resnet50", "Offline")
    if "scenario" in novelty:
        scenario = "".join(c for c in novelty["scenario"] if c.isalnum())
    system = {
        "system_name": "x", "submitter": novelty.get("submitter", "Dell"), "division": "closed", "status": "available",
        "system_type": "datacenter", "number_of_nodes": "1", "accelerators_per_node": "8",
        "accelerator_model_name": novelty.get("part", "NVIDIA H100-SXM-80GB"),
    }  # fmt: skip
    if "none" in novelty:
        del system["accelerator_model_name"], system["accelerators_per_node"]
    folder = f"closed/Dell/results/{platform}/{model}/{scenario}/performance"
    report = json.dumps(
        {"tps": 11.0, "qps": 1.0, "n_samples_completed": 5, "n_samples_failed": 0, "duration_ns": 5e9}
    )
    log = {
        "loadgen": {f"{folder}/run_1/mlperf_log_summary.txt": OFFLINE},
        "endpoints": {f"{folder}/result_summary.json": report},
        "no harness we know": {f"{folder}/run_1/mlperf_log_summary.txt": "a harness of the future\n"},
    }[harness]
    return {f"closed/Dell/systems/{platform}.json": json.dumps(system), **log}


def test_every_record_of_a_future_price_list_is_an_offer_or_listed():
    @seed(90)
    @ONE_SHAPE
    @given(st.sets(st.sampled_from(["type", "region", "currency", "key"])), NAMES, st.floats(0.5, 900))
    def check(novelty, name, price):
        number = len(CORPUS["azure"])
        word = "".join(c for c in name if c.isascii() and c.isalnum())
        size = f"Standard_ND{number}{word}" if "type" in novelty else "Standard_ND96isr_H100_v5"
        item = {
            "currencyCode": "XTS" if "currency" in novelty else "USD", "retailPrice": price, "tierMinimumUnits": 0.0,
            "armRegionName": f"future{number}" if "region" in novelty else f"eastus{number}", "unitOfMeasure": "1 Hour",
            "type": "Consumption", "armSkuName": size, "productName": "Virtual Machines", "skuName": size,
            "serviceName": "Virtual Machines", "isPrimaryMeterRegion": True, "meterName": size,
        } | ({"futureKey": {"x": 1}} if "key" in novelty else {})  # fmt: skip
        CORPUS["azure"].append(item)
        found = azure.parse([("", io.BytesIO(azure_page([item])))], key="nd")
        assert found.is_balanced and found.records_in == 1
        row = [
            f"gpu-{word}_8gpu" if "type" in novelty else "gpu-h100-sxm_8gpu-128vcpu-1600gb",
            word or "H100",
            "8",
            "8",
            "64",
        ]
        line = [*row, f"{price:.4f}", f"future-{number}", "", ""]
        CORPUS["skypilot"].append(line)
        catalog = skypilot.parse([("vms.csv", io.BytesIO(skypilot_table([line])))], key="nebius")
        assert catalog.is_balanced and catalog.records_in == 1

    check()
    assert len(CORPUS["azure"]) >= EXAMPLES


def azure_page(items):
    return json.dumps(
        {"BillingCurrency": "USD", "Items": items, "NextPageLink": None, "Count": len(items)}
    ).encode()


def skypilot_table(lines):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(
        [
            "InstanceType",
            "AcceleratorName",
            "AcceleratorCount",
            "vCPUs",
            "MemoryGiB",
            "Price",
            "Region",
            "GpuInfo",
            "SpotPrice",
        ]
    )
    writer.writerows(lines)
    return out.getvalue().encode()


def round_of_the_future(target: Path) -> Path:
    """A round with an unknown benchmark, an unknown part, an unknown submitter, and one log of no form."""
    log = as_text(a_log(submission_benchmark="sora9")).encode()
    system = SYSTEM | {"accelerator_model_name": "NVIDIA H100-SXM5-80GB", "submitter": "Acme Computing"}
    files = {f"ACME/results/box/sora9/result_{i}.txt": log for i in range(3)}
    files |= {
        "ACME/results/box/sora9/result_3.txt": b"no record",
        "ACME/systems/box.json": json.dumps(system).encode(),
    }
    with tarfile.open(target, "w:gz") as tar:
        for path, payload in files.items():
            info = tarfile.TarInfo(f"training_results_v6.1-main/{path}")
            info.size = len(payload)
            tar.addfile(info, io.BytesIO(payload))
    return target


# as the landing assets do; a process for each would start Dagster every time
def land_round(home, source, key, origin):
    landed = land(
        Lake(Home(home, str(home / "landing"))), SOURCES[source], key, FetchConfig(origin=str(origin))
    )
    assert landed.outcome == "landed", (source, key, landed.reason)


def land_list(home, source, key, origin):
    config = PriceFetchConfig(key=key, origin=str(origin))
    (fetched,) = land_prices(Lake(Home(home, str(home / "landing"))), PRICE_SOURCES[source], config)
    assert fetched.payload and fetched.payload.outcome == "landed", (source, key, fetched.problem)


def land_training(home, mlperf_data, folder):
    """Land v0.5, v0.7, the collection and a round of the future; the snapshot supplies the rest.

    Returns:
        Whether the real releases are at hand.
    """
    if mlperf_data is None:
        return False
    releases = mlperf_data / "releases"
    tarballs = {r: releases / f"training_results_{r}.tar.gz" for r in ("v0.5", "v0.7")}
    if not all(path.is_file() for path in tarballs.values()):
        return False
    tarballs["v6.1"] = round_of_the_future(folder / "v6.1.tar.gz")
    for release, path in tarballs.items():
        land_round(home, "mlperf-training", release, path)
    land_round(home, "mlperf-training-collection", COLLECTION_KEY, releases / "cm4mlperf-results.tar.gz")
    return True


@pytest.fixture(scope="module")
def future(built_home, accelmart, tmp_path_factory, real_data):
    """One build of everything that the tests above made, and of the training rounds."""
    assert all(CORPUS.values()), "the examples are made by the tests above: run the whole file"
    folder = tmp_path_factory.mktemp("future")
    home = folder / "home"
    copy_home(built_home, home)
    tree = folder / "tree"
    for files in CORPUS["tree"]:
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
    payloads = {
        "summary_results.json": json.dumps(CORPUS["list"]).encode(),
        "summary.json": as_dict(CORPUS["dict"]),
        "summary.csv": as_csv(CORPUS["csv"]),
        "azure.json": azure_page(CORPUS["azure"]),
        "vms.csv": skypilot_table(CORPUS["skypilot"]),
    }
    for name, data in payloads.items():
        (folder / name).write_bytes(data)
    for release, path in (
        ("v90.1", folder / "summary_results.json"),
        ("v90.2", folder / "summary.json"),
        ("v90.3", folder / "summary.csv"),
        ("v90.4", tree),
    ):
        land_round(home, "mlperf-inference", release, path)
    land_list(home, "azure-retail-prices", "nd", folder / "azure.json")
    land_list(home, "skypilot-catalog", "nebius", folder / "vms.csv")
    has_training = land_training(home, real_data("mlperf"), folder)
    return home, accelmart(home, "build", timeout=900), has_training


@pytest.fixture
def landed(future):
    home, done, has_training = future
    if not has_training:
        pytest.skip("the real releases are not at hand")
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        yield db


def test_all_of_them_are_published(future):
    home, done, _ = future
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        isolated = db.execute("select distinct source from ops_isolated_payload").fetchall()
        # of the real collection of training rounds half the records are copies: those of the snapshot stay in force
        assert [s for (s,) in isolated if s != "mlperf-training-collection"] == [], done.stdout
        accounts = {
            release: counts
            for release, *counts in db.execute(
                "select release, sum(records_in), sum(rows_out), sum(rejects), sum(duplicates + merged + left_out) "
                "from ops_reconciliation where release like 'v90.%' group by 1"
            ).fetchall()
        }
        facts = dict(
            db.execute(
                "select release, count(*) from fct_inference_result where release like 'v90.%' group by 1"
            ).fetchall()
        )
        rejects = dict(
            db.execute(
                "select release, count(*) from ops_reject where release like 'v90.%' and severity = 'reject' group by 1"
            ).fetchall()
        )
    for form, release in (("list", "v90.1"), ("dict", "v90.2"), ("csv", "v90.3"), ("tree", "v90.4")):
        records_in, rows_out, rejected, others = accounts[release]
        assert records_in == len(CORPUS[form]) == rows_out + rejected + others, form
        assert facts[release] == rows_out and rejects.get(release, 0) == rejected, form


def test_every_unmapped_row_is_listed_and_stays_out_of_figures(future):
    home, *_ = future
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        names = Counter(
            dict(
                db.execute(
                    "select kind, count(*) from ops_unmapped where seed_line is not null group by 1"
                ).fetchall()
            )
        )
        figures = db.execute(
            "select count(*) from fct_inference_result where throughput_per_accelerator is not null and "
            "(starts_with(accelerator_id, 'unmapped:') or starts_with(benchmark_id, 'unmapped:') "
            "or starts_with(scenario, 'unmapped:') or starts_with(result_unit, 'unmapped:'))"
        ).fetchone()
        compared = db.execute(
            "select count(*) from fct_price_interval where is_comparable and (starts_with(accelerator_id, 'unmapped:') "
            "or starts_with(provider, 'unmapped:') or currency = 'XTS')"
        ).fetchone()
        orphans = db.execute(
            "select count(*) from fct_inference_result as f anti join dim_benchmark as d using (benchmark_id) "
            "where f.benchmark_id is not null"
        ).fetchone()
    assert figures == compared == orphans == (0,)
    for kind in ("accelerator", "benchmark", "scenario", "unit", "submitter", "region", "instance_type"):
        assert names[kind] > 0, names


def test_every_proposed_line_is_a_valid_override(future):
    home, *_ = future
    overrides = Home(home, str(home / "landing"))
    (home / "overrides").mkdir()
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        lines = db.execute("select seed_file, seed_line from ops_unmapped").fetchall()
    for name, line in lines:
        with (home / "overrides" / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    assert len(read_overrides(overrides)) == len(lines)


def test_landed_rounds_are_published_with_their_scores(landed):
    with (MLPERF_TESTS / "referee" / "training_v0.7_scores.csv").open(encoding="utf-8", newline="") as lines:
        theirs = {
            "/".join(("training/v0.7", row["submitter"], row["system"], row["benchmark"])): float(
                row["minutes"]
            )
            for row in csv.DictReader(lines)
        }
    ours = dict(
        landed.execute(
            "select result_id, score_minutes from fct_training_result where release = 'v0.7' and score_minutes > 0"
        ).fetchall()
    )
    assert ours == pytest.approx(theirs, rel=1e-6)
    counts = dict(landed.execute("select release, count(*) from fct_training_result group by 1").fetchall())
    assert (counts["v0.5"], counts["v0.7"], counts["v1.0"], counts["v5.1"]) == (35, 129, 131, 184)


def test_an_unknown_benchmark_is_published_without_a_score(landed):
    ((benchmark, published, submitter, minutes, reason, runs, accelerators),) = landed.execute(
        """
        select benchmark_id, benchmark_published, submitter, score_minutes, no_score_reason, n_runs, accelerator_count
        from fct_training_result where release = 'v6.1'
        """
    ).fetchall()
    assert (benchmark, published, submitter) == ("unmapped:sora9", "sora9", "Acme Computing")
    assert (minutes, runs, accelerators) == (None, 4, 8)
    assert reason == "no rule at hand states how many runs of sora9 count"
    assert landed.execute("select count(*) from fct_training_run where release = 'v6.1'").fetchone() == (3,)
    assert landed.execute(
        "select count(*) from mart_training_efficiency where benchmark_id like 'unmapped:%'"
    ).fetchone() == (0,)


def test_the_account_of_landed_rounds_adds_up(landed):
    rows = landed.execute(
        """
        select release, dialect, records_in, rows_out, rejects, is_balanced from ops_reconciliation
        where source = 'mlperf-training' and release in ('v0.5', 'v0.7', 'v6.1') order by all
        """
    ).fetchall()
    assert rows == [
        ("v0.5", "training_results", 35, 35, 0, True),
        ("v0.5", "training_runs", 600, 600, 0, True),
        ("v0.7", "training_results", 129, 129, 0, True),
        ("v0.7", "training_runs", 910, 910, 0, True),
        ("v6.1", "training_results", 1, 1, 0, True),
        ("v6.1", "training_runs", 4, 3, 1, True),
    ]
