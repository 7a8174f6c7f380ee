"""Future rounds and price lists: 200 entries of rounds drawn by Hypothesis, each parsed alone, then all published
(`landed_home`).

Every example changes a real payload as upstream may: new part, model, scenario, unit, submitter, key, harness; a missing
key; no accelerator. Each record is a row or a listed reject, and all of them are published.

Training rounds are landed with them: old dialects, and a round that no seed knows.
"""

import csv
import io
import json
import sys
import tarfile
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from home_copies import land_given
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).resolve().parents[1] / "ingest" / "mlperf"))
from mlperf_payloads import OFFLINE, V51, V61
from operated_home import PRICES
from small_training import SYSTEM, a_log, as_text
from test_odd_prices import AZURE, METER

from ingest.mlperf.published import parse_summary
from ingest.mlperf.raw_tree import parse_tree
from ingest.mlperf.summary_csv import parse_summary_csv
from warehouse.home import Home
from warehouse.overrides import read_overrides

pytestmark = pytest.mark.xdist_group("landed")
MLPERF_TESTS = Path(__file__).resolve().parents[1] / "ingest" / "mlperf"
EXAMPLES = 40  # examples of each of four forms
NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), exclude_characters="\x00/\\"),
    min_size=1,
    max_size=12,
).map(lambda words: f"Future {words.strip() or 'x'}")
ONE_SHAPE = settings(
    max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)  # fmt: skip

# keys of each dialect: part, benchmark, model of the folder, scenario, unit, submitter
KEYS = {
    "list": ("Accelerator", "Model", "UsedModel", "Scenario", "Performance_Units", "Submitter", "a#"),
    "dict": (
        "accelerator_model_name", "MlperfModel", "Model", "Scenario", "Units", "Organization", "accelerators_per_node",
    ),
}  # fmt: skip
KEYS["csv"] = KEYS["dict"]
TEMPLATES = {"list": V51, "dict": V61, "csv": V61}
VERSIONS = {"list": "v90.1", "dict": "v90.2", "csv": "v90.3"}
KINDS = ("part", "benchmark", "scenario", "unit", "submitter", "key", "missing", "required", "none")


# changes of one entry (eight H100 do 8,000 tokens/s) → accelerator, count, unit, result, why it has no figure per accelerator
H100, SEVERAL = "nvidia-h100-sxm-80gb", "several accelerator models in one system"
UNCOUNTED, TOO_MANY = "accelerator count is unknown", "more accelerators than a cluster can have"
UNNAMED, UNIT = "accelerator name is not mapped", "unit is not mapped"
AWKWARD = [
    ({}, H100, 8, "tokens/s", 8000, None),
    ({"Accelerator": "NVIDIA VR200 (72x) + NVIDIA H100-SXM-80GB (8x)", "a#": "72,8", "Total Accelerators": 80}, None, 80, "tokens/s", 8000, SEVERAL),
    ({"Accelerator": "8x NVIDIA B200\n8x AMD Instinct MI355X"}, None, 8, "tokens/s", 8000, SEVERAL),
    ({"Accelerator": ["NVIDIA L40S", "NVIDIA L4"]}, None, 8, "tokens/s", 8000, SEVERAL),
    ({"Accelerator": "H100-SXM-80GB; H100-PCIe-80GB"}, None, 8, "tokens/s", 8000, SEVERAL),
    ({"System": "4x H100 with 4x A100"}, None, 8, "tokens/s", 8000, SEVERAL),
    ({"Accelerator": ["NVIDIA GB300"]}, "nvidia-gb300-288gb", 8, "tokens/s", 8000, None),
    ({"Accelerator": "NVIDIA H100X-NEXT"}, "unmapped:NVIDIA H100X-NEXT", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA B200 Ultra9"}, "unmapped:NVIDIA B200 Ultra9", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA H100-SXM-160GB"}, "unmapped:NVIDIA H100-SXM-160GB", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA H100 SXM or PCIe"}, "unmapped:NVIDIA H100 SXM or PCIe", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA B200-PCIe-180GB"}, "unmapped:NVIDIA B200-PCIe-180GB", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA H100 SXM/PCIe"}, "unmapped:NVIDIA H100 SXM/PCIe", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA H100 80GB and 94GB"}, "unmapped:NVIDIA H100 80GB and 94GB", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA H100-SXM-80GB and Acme X9"}, "unmapped:NVIDIA H100-SXM-80GB and Acme X9", 8, "tokens/s", 8000, UNNAMED),
    ({"Performance_Units": "Requests/min"}, H100, 8, "unmapped:Requests/min", 8000, UNIT),
    ({"Performance_Units": "mTokens/s"}, H100, 8, "unmapped:mTokens/s", 8000, UNIT),
    ({"Performance_Units": "Furlongs"}, H100, 8, "unmapped:Furlongs", 8000, UNIT),
    ({"Performance_Units": None}, H100, 8, None, 8000, "unit is unknown"),
    ({"Performance_Units": "kTokens/s", "Performance_Result": 8}, H100, 8, "tokens/s", 8000, None),
    ({"Performance_Units": "Tokens/min", "Performance_Result": 480000}, H100, 8, "tokens/s", 8000, None),
    ({"a#": 1e12}, H100, None, "tokens/s", 8000, TOO_MANY),
    ({"a#": 1000001}, H100, None, "tokens/s", 8000, TOO_MANY),
    ({"a#": 9e18, "Nodes": 9e18}, H100, None, "tokens/s", 8000, TOO_MANY),
    ({"Total Accelerators": 1e15}, H100, None, "tokens/s", 8000, TOO_MANY),
    ({"a#": -8}, H100, None, "tokens/s", 8000, UNCOUNTED),
    ({"a#": 0}, H100, None, "tokens/s", 8000, UNCOUNTED),
    ({"a#": 8.5}, H100, None, "tokens/s", 8000, UNCOUNTED),
    ({"a#": "eight"}, H100, None, "tokens/s", 8000, UNCOUNTED),
    ({"a#": "NaN", "Nodes": "inf"}, H100, None, "tokens/s", 8000, UNCOUNTED),
    ({"a#": 2**70}, H100, None, "tokens/s", 8000, UNCOUNTED),
]  # fmt: skip
# the same of systems that train
AWKWARD_SYSTEMS = {
    "several": ({"accelerator_model_name": "NVIDIA H100-SXM5-80GB & AMD Instinct MI300X"}, None, 8, SEVERAL),
    "listed": ({"accelerator_model_name": ["NVIDIA H100", "NVIDIA H200"]}, None, 8, SEVERAL),
    "described": ({"system_name": "1x4x H100 + 1x4x A100", "accelerator_model_name": "NVIDIA H100"}, None, 8, SEVERAL),
    "wide": ({"accelerator_model_name": "NVIDIA H100 Ultra2"}, "unmapped:NVIDIA H100 Ultra2", 8, UNNAMED),
    "million": ({"accelerator_model_name": "NVIDIA H100", "number_of_nodes": 10**6}, H100, None, TOO_MANY),
    "beyond": ({"accelerator_model_name": "NVIDIA H100", "number_of_nodes": 9e18, "accelerators_per_node": 9e18}, H100, None, TOO_MANY),
    "negative": ({"accelerator_model_name": "NVIDIA H100", "number_of_nodes": -2}, H100, None, UNCOUNTED),
}  # fmt: skip


def awkward_list():
    """Return the entries of AWKWARD, each on its own platform."""
    base = V51 | {
        "version": "v90.6",
        "Accelerator": "NVIDIA H100-SXM-80GB",
        "System": "box",
        "Performance_Result": 8000,
    }
    return json.dumps(
        [
            base | {"Platform": f"awkward_{n}", "Location": f"closed/AMD/results/awkward_{n}"} | row[0]
            for n, row in enumerate(AWKWARD)
        ]
    )


def awkward_tree(folder):
    """Write a round of training by AWKWARD_SYSTEMS."""
    for name, (described, *_) in AWKWARD_SYSTEMS.items():
        results = folder / "ACME" / "results" / name / "bert"
        results.mkdir(parents=True)
        (folder / "ACME" / "systems").mkdir(exist_ok=True)
        (folder / "ACME" / "systems" / f"{name}.json").write_text(
            json.dumps(SYSTEM | {"system_name": name} | described)
        )
        for n in range(2):
            (results / f"result_{n}.txt").write_text(as_text(a_log(seed=n)))
    return folder


@st.composite
def changes(draw):
    """Draw the novelties of an entry, each with its new name."""
    kinds = draw(st.sets(st.sampled_from(KINDS[:7]), max_size=3))
    # entries without identifying keys are rejected: they are few, so that the round keeps most of its rows
    if draw(st.integers(0, 9)) == 0:
        kinds = kinds | {"required"}
    if draw(st.integers(0, 5)) == 0:
        kinds = (kinds - {"part"}) | {"none"}
    return {kind: draw(NAMES) for kind in sorted(kinds)}


def entry(form, novelty, number):
    """Return one entry of a dialect with these novelties, on its own platform."""
    part, benchmark, model, scenario, unit, submitter, per_node = KEYS[form]
    body = TEMPLATES[form] | {"version": VERSIONS[form], "Platform": f"future_{form}_{number}"}
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


def parsed(form, entry):
    """Parse a payload of one entry."""
    if form == "list":
        return parse_summary(
            json.dumps([entry]).encode(), where="summary_results.json", release=VERSIONS[form]
        )
    if form == "dict":
        return parse_summary(as_dict([entry]), where="summary.json", release=VERSIONS[form])
    return parse_summary_csv(as_csv([entry]), where="summary.csv", release=VERSIONS[form])[1]


def as_dict(entries):
    return json.dumps({str(n): body for n, body in enumerate(entries)}).encode()


def as_csv(entries):
    columns = list(dict.fromkeys(key for body in [V61, *entries] for key in body))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    writer.writerows(entries)
    return out.getvalue().encode()


@cache
def summaries(form):
    """Generate the entries of a summary, each parsed alone."""
    entries = []

    @seed(90)
    @ONE_SHAPE
    @given(changes())
    def check(novelty):
        body = entry(form, novelty, len(entries))
        entries.append(body)
        result = parsed(form, body)
        assert result.is_balanced and result.records_in == 1
        if "required" in novelty:
            assert len(result.rejects) == 1 and "Platform" in result.rejects[0].problem
            return
        (row,) = result.rows
        if "scenario" in novelty:
            assert row.scenario == f"unmapped:{novelty['scenario']}"
        if "part" in novelty:
            assert row.accelerator_name_published == novelty["part"]
        if "unit" in novelty:
            assert row.result_unit_published == novelty["unit"]

    check()
    return entries


@cache
def trees():
    """Generate the files of trees, each parsed alone."""
    generated = []

    @seed(90)
    @ONE_SHAPE
    @given(changes(), st.sampled_from(["loadgen", "endpoints", "no harness we know"]))
    def check(novelty, harness):
        files = tree_files(novelty, harness, len(generated))
        generated.append(files)
        result = parse_tree(((name, text.encode()) for name, text in files.items()), release="v90.4")
        assert result.is_balanced and result.records_in == 1
        assert len(result.rows) + len(result.rejects) == 1

    check()
    return generated


def price_records():
    """Return records of Azure's list and of SkyPilot's catalog: known and new types, regions, currencies and keys."""
    items, lines = [], []
    # eastus and eastus2 are in test_odd_prices.py
    for n, (is_new_type, is_new_region, currency) in enumerate(
        product((False, True), (False, True), ("USD", "XTS")), 10
    ):
        size = f"Standard_ND{n}future" if is_new_type else "Standard_ND96isr_H100_v5"
        region = f"future{n}" if is_new_region else f"eastus{n}"
        items.append(
            METER
            | {
                "retailPrice": 98.32,
                "currencyCode": currency,
                "armRegionName": region,
                "armSkuName": size,
                "futureKey": {"x": 1},
            }
        )
        kind = f"gpu-future{n}_8gpu" if is_new_type else "gpu-h100-sxm_8gpu-128vcpu-1600gb"
        lines.append(
            [kind, "Future9" if is_new_type else "H100", "8", "8", "64", "21.6", f"future-{n}", "", ""]
        )
    return items, lines


@pytest.mark.parametrize("form", [*TEMPLATES, "tree"])
def test_every_record_of_a_future_round_is_a_row_or_a_listed_reject(form):
    assert len(trees() if form == "tree" else summaries(form)) >= EXAMPLES


def tree_files(novelty, harness, number):
    """A system with one scenario folder."""
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


def azure_page(items):
    return json.dumps(
        {"BillingCurrency": "USD", "Items": items, "NextPageLink": None, "Count": len(items)}
    ).encode()


def skypilot_table(lines):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerows(lines)
    return (PRICES + out.getvalue()).encode()


def round_of_the_future(target: Path) -> Path:
    """A round with an unknown benchmark, part and submitter, and one malformed log."""
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


def land_training(home, mlperf_data, folder):
    """Land v0.7, the collection and a future round; the snapshot supplies the rest."""
    if mlperf_data is None:
        return
    releases = mlperf_data / "releases"
    tarballs = {"v0.7": releases / "training_results_v0.7.tar.gz"}
    tarballs["v6.1"] = round_of_the_future(folder / "v6.1.tar.gz")
    for release, path in tarballs.items():
        land_given(home, "mlperf-training", release, path)
    land_given(home, "mlperf-training-collection", "all", releases / "cm4mlperf-results.tar.gz")


def land_payloads(home, folder, mlperf_data):
    """Land the generated rounds and lists and the training rounds."""
    folder.mkdir()
    tree = folder / "tree"
    for files in trees():
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
    items, lines = price_records()
    payloads = {
        "summary_results.json": json.dumps(summaries("list")).encode(),
        "summary.json": as_dict(summaries("dict")),
        "summary.csv": as_csv(summaries("csv")),
        "awkward.json": awkward_list().encode(),
        "azure.json": azure_page([*items, *AZURE]),
        "vms.csv": skypilot_table(lines),
    }
    for name, data in payloads.items():
        (folder / name).write_bytes(data)
    for release, path in (
        ("v90.1", folder / "summary_results.json"),
        ("v90.2", folder / "summary.json"),
        ("v90.3", folder / "summary.csv"),
        ("v90.4", tree),
        ("v90.6", folder / "awkward.json"),
    ):
        land_given(home, "mlperf-inference", release, path)
    land_given(home, "azure-retail-prices", "nd", folder / "azure.json")
    land_given(home, "skypilot-catalog", "nebius", folder / "vms.csv")
    land_given(home, "mlperf-training", "v90.6", awkward_tree(folder / "training"))
    land_training(home, mlperf_data, folder)


def test_all_generated_rounds_and_lists_are_published(landed_db):
    assert landed_db.execute("select distinct source from ops_isolated_payload").fetchall() == []
    published = landed_db.execute(
        """
        select release, sum(records_in), sum(rows_out), sum(duplicates + merged + left_out), sum(rejects),
            (select count(*) from fct_inference_result as f where f.release = any_value(a.release)),
            (select count(*) from ops_reject as r where r.release = any_value(a.release) and r.severity = 'reject')
        from ops_reconciliation as a where release like 'v90.%' group by release
        """
    ).fetchall()
    accounts = {release: counts for release, *counts in published}
    generated = {VERSIONS[form]: summaries(form) for form in TEMPLATES} | {"v90.4": trees()}
    for release, entries in generated.items():
        records_in, rows_out, others, rejected, n_facts, n_listed = accounts[release]
        assert records_in == len(entries) == rows_out + rejected + others, release
        assert (n_facts, n_listed) == (rows_out, rejected), release


def test_awkward_names_units_and_counts_give_no_figure(landed_db):
    facts = landed_db.execute(
        "select platform, accelerator_id, accelerator_count, result_unit, result, invalid_reason, "
        "throughput_per_accelerator, output_tokens_per_s_per_accelerator, is_per_accelerator_valid "
        "from fct_inference_result where release = 'v90.6'"
    ).fetchall()
    assert sorted(facts) == sorted(
        (
            f"awkward_{n}",
            part,
            count,
            unit,
            result,
            why,
            *((None, None, False) if why else (1000, 1000, True)),
        )
        for n, (_, part, count, unit, result, why) in enumerate(AWKWARD)
    )
    trained = landed_db.execute(
        "select platform, accelerator_id, accelerator_count, invalid_reason, is_per_accelerator_valid, "
        "coalesce(accelerator_hours, trained_tokens_per_s_per_accelerator, watts_per_accelerator, mfu_pct) "
        "from fct_training_result where release = 'v90.6'"
    ).fetchall()
    assert sorted(trained) == sorted(
        (name, part, count, why, False, None) for name, (_, part, count, why) in AWKWARD_SYSTEMS.items()
    )
    compared = landed_db.execute(
        "select sum(n_results) from mart_inference_throughput where release = 'v90.6' union all "
        "select count(*) from mart_training_efficiency where release = 'v90.6'"
    ).fetchall()
    assert compared == [(sum(row[-1] is None for row in AWKWARD),), (0,)]


def test_every_unmapped_row_is_listed_and_stays_out_of_figures(landed_db):
    for query in (
        "fct_inference_result where throughput_per_accelerator is not null and (starts_with(accelerator_id, 'unmapped:') "
        "or starts_with(benchmark_id, 'unmapped:') or starts_with(scenario, 'unmapped:') or starts_with(result_unit, 'unmapped:'))",
        "fct_price_interval where is_comparable and (starts_with(accelerator_id, 'unmapped:') "
        "or starts_with(provider, 'unmapped:') or currency = 'XTS')",
        "fct_inference_result as f anti join dim_benchmark as d using (benchmark_id) where f.benchmark_id is not null",
    ):
        assert landed_db.execute(f"select count(*) from {query}").fetchone() == (0,), query
    listed = landed_db.execute(
        "select distinct kind from ops_unmapped where seed_line is not null"
    ).fetchall()
    assert {kind for (kind,) in listed} >= {
        "accelerator", "benchmark", "scenario", "unit", "submitter", "region", "instance_type",
    }  # fmt: skip


def test_every_proposed_line_is_a_valid_override(landed_db, tmp_path):
    (tmp_path / "overrides").mkdir()
    lines = landed_db.execute("select seed_file, seed_line from ops_unmapped").fetchall()
    for name, line in lines:
        with (tmp_path / "overrides" / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    assert len(read_overrides(Home(tmp_path, str(tmp_path / "landing")))) == len(lines)


def test_landed_rounds_are_published_with_their_scores(landed_db, mlperf_data):
    with (MLPERF_TESTS / "referee" / "training_v0.7_scores.csv").open(encoding="utf-8", newline="") as lines:
        theirs = {
            "/".join(("training/v0.7", row["submitter"], row["system"], row["benchmark"])): float(
                row["minutes"]
            )
            for row in csv.DictReader(lines)
        }
    ours = dict(
        landed_db.execute(
            "select result_id, score_minutes from fct_training_result where release = 'v0.7' and score_minutes > 0"
        ).fetchall()
    )
    assert ours == pytest.approx(theirs, rel=1e-6)


def test_an_unknown_benchmark_is_published_without_a_score(landed_db, mlperf_data):
    assert landed_db.execute(
        """
        select benchmark_id, benchmark_published, submitter, score_minutes, n_runs, accelerator_count, no_score_reason,
            (select count(*) from fct_training_run where release = 'v6.1'),
            (select count(*) from mart_training_efficiency where benchmark_id like 'unmapped:%')
        from fct_training_result where release = 'v6.1'
        """
    ).fetchall() == [
        ("unmapped:sora9", "sora9", "Acme Computing", None, 4, 8, "no rule at hand states how many runs of sora9 count", 3, 0)
    ]  # fmt: skip


def test_records_of_landed_rounds_reconcile(landed_db, mlperf_data):
    """One log of the future round is a reject; of v0.7 every folder and log is a row."""
    assert landed_db.execute(
        "select release, dialect, records_in, rows_out, rejects, is_balanced from ops_reconciliation "
        "where source = 'mlperf-training' and release in ('v0.7', 'v6.1') order by all"
    ).fetchall() == [
        ("v0.7", "training_results", 129, 129, 0, True),
        ("v0.7", "training_runs", 910, 910, 0, True),
        ("v6.1", "training_results", 1, 1, 0, True),
        ("v6.1", "training_runs", 4, 3, 1, True),
    ]
