"""Future rounds: 80 entries drawn by Hypothesis, all published (`landed_home`).

Every example changes a real payload as upstream may: new part, model, scenario, unit, submitter, key, harness; a missing
key; no accelerator. Each record is a row or a listed reject, and all of them are published.
"""

import json
import sys
from functools import cache
from pathlib import Path

import pytest
from home_copies import land_given
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).resolve().parents[1] / "ingest" / "mlperf"))
from mlperf_payloads import OFFLINE, V51, V61
from small_training import SYSTEM, a_log, as_text

from warehouse.decisions.overrides import read_overrides
from warehouse.storage.home import Home

pytestmark = pytest.mark.xdist_group("landed")
EXAMPLES = 40  # examples of summaries, and of trees
NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"), exclude_characters="\x00/\\"),
    min_size=1,
    max_size=12,
).map(lambda words: f"Future {words.strip() or 'x'}")
ONE_SHAPE = settings(
    max_examples=EXAMPLES, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)  # fmt: skip

# novelties of an entry, and the keys that get a new name
KEYS = {
    "part": "accelerator_model_name",
    "benchmark": "MlperfModel",
    "scenario": "Scenario",
    "unit": "Units",
    "submitter": "Organization",
}


# changes of one entry (eight H100 do 8,000 tokens/s) → accelerator, count, unit, result, why it has no figure per accelerator
H100, SEVERAL = "nvidia-h100-sxm-80gb", "several accelerator models in one system"
UNCOUNTED, TOO_MANY = "accelerator count is unknown", "more accelerators than a cluster can have"
UNNAMED, UNIT = "accelerator name is not mapped", "unit is not mapped"


AWKWARD = [
    ({}, H100, 8, "tokens/s", 8000, None),
    ({"Accelerator": "NVIDIA VR200 (72x) + NVIDIA H100-SXM-80GB (8x)", "a#": "72,8", "Total Accelerators": 80}, None, 80, "tokens/s", 8000, SEVERAL),
    ({"Accelerator": "8x NVIDIA B200\n8x AMD Instinct MI355X"}, None, 8, "tokens/s", 8000, SEVERAL),
    ({"Accelerator": ["NVIDIA L40S", "NVIDIA L4"]}, None, 8, "tokens/s", 8000, SEVERAL),
    ({"System": "4x H100 with 4x A100"}, None, 8, "tokens/s", 8000, SEVERAL),
    ({"Accelerator": "NVIDIA H100X-NEXT"}, "unmapped:NVIDIA H100X-NEXT", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA H100-SXM-160GB"}, "unmapped:NVIDIA H100-SXM-160GB", 8, "tokens/s", 8000, UNNAMED),
    ({"Accelerator": "NVIDIA H100 SXM or PCIe"}, "unmapped:NVIDIA H100 SXM or PCIe", 8, "tokens/s", 8000, UNNAMED),
    ({"Performance_Units": "Requests/min"}, H100, 8, "unmapped:Requests/min", 8000, UNIT),
    ({"Performance_Units": "mTokens/s"}, H100, 8, "unmapped:mTokens/s", 8000, UNIT),
    ({"Performance_Units": None}, H100, 8, None, 8000, "unit is unknown"),
    ({"Performance_Units": "kTokens/s", "Performance_Result": 8}, H100, 8, "tokens/s", 8000, None),
    ({"Performance_Units": "Tokens/min", "Performance_Result": 480000}, H100, 8, "tokens/s", 8000, None),
    ({"a#": 1000001}, H100, None, "tokens/s", 8000, TOO_MANY),
    ({"a#": 9e18, "Nodes": 9e18}, H100, None, "tokens/s", 8000, TOO_MANY),
    ({"a#": -8}, H100, None, "tokens/s", 8000, UNCOUNTED),
    ({"a#": 8.5}, H100, None, "tokens/s", 8000, UNCOUNTED),
    ({"a#": "NaN", "Nodes": "inf"}, H100, None, "tokens/s", 8000, UNCOUNTED),
]  # fmt: skip
# the same of systems that train
AWKWARD_SYSTEMS = {
    "several": ({"accelerator_model_name": "NVIDIA H100-SXM5-80GB & AMD Instinct MI300X"}, None, 8, SEVERAL),
    "described": ({"system_name": "1x4x H100 + 1x4x A100", "accelerator_model_name": "NVIDIA H100"}, None, 8, SEVERAL),
    "wide": ({"accelerator_model_name": "NVIDIA H100 Ultra2"}, "unmapped:NVIDIA H100 Ultra2", 8, UNNAMED),
    "beyond": ({"accelerator_model_name": "NVIDIA H100-SXM5-80GB", "number_of_nodes": 9e18, "accelerators_per_node": 9e18}, H100, None, TOO_MANY),
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
    """Write a round of training by AWKWARD_SYSTEMS, and with a benchmark that no seed knows."""
    described = {name: row[0] for name, row in AWKWARD_SYSTEMS.items()}
    described["unknown"] = {"accelerator_model_name": "NVIDIA H100"}
    for name, system in described.items():
        benchmark = "sora9" if name == "unknown" else "bert"
        results = folder / "ACME" / "results" / name / benchmark
        results.mkdir(parents=True)
        (folder / "ACME" / "systems").mkdir(exist_ok=True)
        (folder / "ACME" / "systems" / f"{name}.json").write_text(
            json.dumps(SYSTEM | {"system_name": name} | system)
        )
        for n in range(2):
            (results / f"result_{n}.txt").write_text(as_text(a_log(seed=n, submission_benchmark=benchmark)))
    return folder


@st.composite
def changes(draw):
    """Draw the novelties of an entry, each with its new name."""
    kinds = draw(st.sets(st.sampled_from([*KEYS, "key", "missing"]), max_size=3))
    # entries without identifying keys are rejected: they are few, so that the round keeps most of its rows
    if draw(st.integers(0, 9)) == 0:
        kinds = kinds | {"required"}
    if draw(st.integers(0, 5)) == 0:
        kinds = (kinds - {"part"}) | {"none"}
    return {kind: draw(NAMES) for kind in sorted(kinds)}


def entry(novelty, number):
    """Return one entry of a summary with these novelties, on its own platform."""
    body = V61 | {"version": "v90.2", "Platform": f"future_{number}"}
    body |= {key: novelty[kind] for kind, key in KEYS.items() if kind in novelty}
    if "benchmark" in novelty:
        body["Model"] = "future-model"
    if "none" in novelty:
        body |= {"accelerator_model_name": None, "accelerators_per_node": None}
    if "key" in novelty:
        body["a key of the future"] = {"deep": [novelty["key"]]}
    if "missing" in novelty:
        for key in ("Availability", "Accuracy", "notes", "SystemName"):
            body.pop(key, None)
    if "required" in novelty:
        body.pop("Platform")
    return body


def drawn(strategy, make):
    """Return what is made of each example of a strategy and its number."""
    made = []

    @seed(90)
    @ONE_SHAPE
    @given(strategy)
    def draw(example):
        made.append(make(example, len(made)))

    draw()
    return made


@cache
def summary():
    """Draw the entries of a summary."""
    return drawn(changes(), entry)


@cache
def trees():
    """Draw the files of trees."""
    harnesses = st.sampled_from(["loadgen", "endpoints", "no harness we know"])
    return drawn(st.tuples(changes(), harnesses), lambda example, number: tree_files(*example, number))


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


def land_payloads(home, folder):
    """Land the generated rounds."""
    folder.mkdir()
    tree = folder / "tree"
    for files in trees():
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
    rounds = {
        "v90.2": ("summary.json", json.dumps({str(n): body for n, body in enumerate(summary())})),
        "v90.6": ("awkward.json", awkward_list()),
    }
    for release, (name, text) in rounds.items():
        (folder / name).write_text(text)
        land_given(home, "mlperf-inference", release, folder / name)
    land_given(home, "mlperf-inference", "v90.4", tree)
    land_given(home, "mlperf-training", "v90.6", awkward_tree(folder / "training"))


def test_all_generated_rounds_are_published(landed_db):
    assert landed_db.execute("select * from ops_isolated_payload").fetchall() == []
    published = landed_db.execute(
        """
        select release, sum(records_in), sum(rows_out), sum(duplicates + merged + out_of_scope), sum(rejects),
            (select count(*) from fct_inference_result as f where f.release = any_value(a.release)),
            (select count(*) from ops_reject as r where r.release = any_value(a.release) and r.severity = 'reject')
        from ops_reconciliation as a where release like 'v90.%' group by release
        """
    ).fetchall()
    accounts = {release: counts for release, *counts in published}
    for release, entries in (("v90.2", summary()), ("v90.4", trees())):
        records_in, rows_out, others, rejected, n_facts, n_listed = accounts[release]
        assert records_in == len(entries) >= EXAMPLES and records_in == rows_out + rejected + others, release
        assert (n_facts, n_listed) == (rows_out, rejected), release


def test_what_is_new_is_published_in_upstreams_words(landed_db):
    published = landed_db.execute(
        "select platform, accelerator_name_published, result_unit_published, scenario from fct_inference_result "
        "where release = 'v90.2'"
    ).fetchall()
    entries, checked = {body.get("Platform"): body for body in summary()}, 0
    for platform, *words in published:
        for word, kind, mark in zip(words, ("part", "unit", "scenario"), ("", "", "unmapped:"), strict=True):
            new = entries[platform].get(KEYS[kind])
            if new not in (None, V61.get(KEYS[kind])):
                assert word == f"{mark}{new}"
                checked += 1
    assert checked > 10


def test_awkward_names_units_and_counts_give_no_figure(landed_db):
    facts = landed_db.execute(
        "select platform, accelerator_id, accelerator_count, result_unit, result, invalid_reason, "
        "throughput_per_accelerator, output_tokens_per_s_per_accelerator, is_per_accelerator_valid "
        "from fct_inference_result where release = 'v90.6'"
    ).fetchall()
    assert sorted(facts) == sorted(
        (f"awkward_{n}", *expected, *((None, None, False) if expected[-1] else (1000, 1000, True)))
        for n, (_, *expected) in enumerate(AWKWARD)
    )
    trained = landed_db.execute(
        "select platform, accelerator_id, accelerator_count, invalid_reason, is_per_accelerator_valid, "
        "coalesce(accelerator_hours, trained_tokens_per_s_per_accelerator, watts_per_accelerator, mfu_pct) "
        "from fct_training_result where release = 'v90.6' and platform <> 'unknown'"
    ).fetchall()
    assert sorted(trained) == sorted(
        (name, *expected, False, None) for name, (_, *expected) in AWKWARD_SYSTEMS.items()
    )
    compared = landed_db.execute(
        "select sum(n_results) from mart_inference_throughput where release = 'v90.6' union all "
        "select count(*) from mart_training_efficiency where release = 'v90.6'"
    ).fetchall()
    assert compared == [(sum(row[-1] is None for row in AWKWARD),), (0,)]


def test_an_unknown_benchmark_of_training_is_published_without_a_score(landed_db):
    assert landed_db.execute(
        "select benchmark_id, score_minutes, n_runs, accelerator_count, no_score_reason is not null from fct_training_result "
        "where release = 'v90.6' and platform = 'unknown'"
    ).fetchall() == [("unmapped:sora9", None, 2, 8, True)]


def test_what_is_unmapped_stays_out_of_figures(landed_db):
    for query in (
        "fct_inference_result where throughput_per_accelerator is not null and (starts_with(accelerator_id, 'unmapped:') "
        "or starts_with(benchmark_id, 'unmapped:') or starts_with(scenario, 'unmapped:') or starts_with(result_unit, 'unmapped:'))",
        "fct_inference_result as f anti join dim_benchmark as d using (benchmark_id) where f.benchmark_id is not null",
    ):
        assert landed_db.execute(f"select count(*) from {query}").fetchone() == (0,), query


def test_every_proposed_line_is_a_valid_override(landed_db, tmp_path):
    (tmp_path / "overrides").mkdir()
    lines = landed_db.execute("select seed_file, seed_line from ops_unmapped").fetchall()
    for name, line in lines:
        with (tmp_path / "overrides" / name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    assert len(read_overrides(Home(tmp_path, str(tmp_path / "landing")))) == len(lines)
