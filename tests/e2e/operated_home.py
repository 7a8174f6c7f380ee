"""Operate one installation with the real commands in three builds.

A copy of the built warehouse goes through four stories in parallel. Each has its own payloads and its own assertions, in
the test file named here:

- unknown names and bad payloads never stop a publication (test_degrade.py);
- the user's own prices are added as documented, one with a wrong line, and removed (test_own_prices.py);
- a round and a price list are held, withdrawn and released (test_control.py);
- a build is killed while a reader keeps the file open, then one goes through (test_commands.py).
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
from home_copies import land_given
from small_round import LOG, SYSTEM

# --- unknown names and bad payloads ---

PRICES = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
KNOWN_OFFER = "gpu-h100-sxm_8gpu-128vcpu-1600gb,H100,8,128,1600,{price},eu-north1,,\n"
NEW_REGION = "gpu-h100-sxm_8gpu-128vcpu-1600gb,H100,8,128,1600,24.8,xx-north9,,\n"
ONE_OF_MANY = "1A100.22V,A100-80GB,1,22,120,1.29,FIN-01,,\n"
"""What is left of Verda's list: it is not used."""
NEW_TYPE = "gpu-q900_8gpu-128vcpu-1600gb,Q900,8,128,1600,99.2,eu-north1,,\n"


def entry(number, **changes):
    """A published entry of a synthetic round: eight H100 of Dell do 1,600 samples/s of resnet Offline."""
    platform = changes.pop("Platform", f"system{number}")
    scenario = changes.get("Scenario", "Offline")
    return {
        "ID": f"9.9-{number:04}", "Submitter": "Dell", "Availability": "available", "Category": "closed",
        "Suite": "datacenter", "System": "A system", "Platform": platform, "UsedModel": "resnet50", "Model": "resnet",
        "Scenario": "Offline", "Accuracy": "acc: 76", "Nodes": 1, "Accelerator": "NVIDIA H100-SXM-80GB", "a#": 8,
        "Location": f"closed/Dell/results/{platform}/resnet50/{scenario}", "version": "v9.9", "inferred": 0,
        "Performance_Result": 1600.0, "Performance_Units": "Samples/s",
    } | changes  # fmt: skip


ROUND = [
    entry(1),
    entry(2, Accelerator="AMD Instinct MI455X", Model="llama2-70b-99", Performance_Units="Tokens/s"),
    entry(
        3,
        Model="agentic chess",
        UsedModel="chess-70b",
        Performance_Units="Tokens/s",
        Performance_Result=808.0,
    ),
    entry(4, Scenario="Streaming"),
    entry(5, Model="page reader", Performance_Units="Pages/s"),
    entry(6, Submitter="Newcomer AI"),
    entry(7, Accelerator=None, **{"a#": ""}),
]
UNMAPPED = {
    ("accelerator", "AMD Instinct MI455X"): ("accelerator_aliases.csv", 1),
    ("benchmark", "agentic chess"): ("mlperf_benchmarks.csv", 1),
    ("benchmark", "page reader"): ("mlperf_benchmarks.csv", 1),
    ("scenario", "Streaming"): ("mlperf_scenarios.csv", 1),
    ("unit", "Pages/s"): ("mlperf_units.csv", 1),
    ("submitter", "Newcomer AI"): ("mlperf_submitters.csv", 1),
    ("region", "nebius/xx-north9"): ("cloud_regions.csv", 1),
    ("instance_type", "nebius/gpu-q900_8gpu-128vcpu-1600gb"): ("instance_accelerators.csv", 1),
}


def written(folder, entries, prices):
    """Write one payload of the synthetic round and one price list, and return their paths."""
    summary, catalog = folder / "summary_results.json", folder / "vms.csv"
    folder.mkdir()
    summary.write_text(json.dumps(entries))
    catalog.write_text(PRICES + prices)
    return summary, catalog


def rows(home, query):
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        return db.execute(query).fetchall()


def state(home):
    """Return rows of the synthetic round, its unmapped names and the price of the known offer."""
    facts = (
        "select submission_id, accelerator_id, benchmark_id, scenario, submitter_id, result, result_unit, "
        "throughput_per_accelerator, invalid_reason, overridden_by from fct_inference_result where release = 'v9.9'"
    )
    return {
        "generation": rows(home, "select generation_id from ops_generation")[0][0],
        "round": {row[0]: row[1:] for row in rows(home, facts)},
        "unmapped": {
            (kind, words): (seed_file, n)
            for kind, words, seed_file, n in rows(home, "select kind, words, seed_file, n_rows from ops_unmapped")
        },
        "accounts": rows(
            home,
            "select records_in, rows_out, duplicates, merged, rejects, left_out from ops_reconciliation "
            "where release = 'v9.9'",
        ),
        "price": rows(
            home,
            "select price from fct_price_interval where source = 'skypilot-catalog' and provider = 'nebius' "
            "and region = 'eu-north1' and instance_type like 'gpu-h100-sxm_8gpu%' and pricing_model = 'on_demand' "
            "and valid_to is null",
        ),
        "prices": rows(
            home,
            "select instance_type, region, accelerator_id, is_comparable, country_reason, overridden_by "
            "from fct_price_interval where provider = 'nebius' and (region = 'xx-north9' or instance_type like '%q900%')",
        ),
        "isolated": rows(
            home, "select source, release, problem from ops_isolated_payload where source = 'mlperf-inference'"
        ),
        "added": rows(
            home,
            "select accelerator_id, is_mapped, is_override, tdp_w from dim_accelerator where accelerator_id in "
            "('amd-instinct-mi455x', 'q900') order by 1",
        ),
        # rounds of the other stories are excluded
        "others": rows(
            home,
            "select count(*), round(sum(result), 3) from fct_inference_result where release not in ('v9.9', 'v5.0', 'v5.1')",
        )[0],
    }  # fmt: skip


# --- held, released, withdrawn ---

HELD_ROUND, HELD_LIST = ("mlperf-inference", "v5.1"), ("aws-price-list",)
CONTROLLED_RESULTS = (
    "select release, result_id, result, throughput_per_accelerator, payload_url from fct_inference_result "
    "where release not in ('v9.9', 'v5.0')"  # rounds landed by the other stories
)
CONTROLLED_PRICES = (
    "select source, offer_id, stream, valid_from, price, payload_url from fct_price_interval "
    "where not (source = 'skypilot-catalog' and provider = 'nebius') and source <> 'own-prices'"  # of the other stories
)
TRAINING = "select * from fct_training_result"


def figures(home):
    """Return rows of facts: of the round, of the list, and all others."""
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        results, prices = db.execute(CONTROLLED_RESULTS).fetchall(), db.execute(CONTROLLED_PRICES).fetchall()
        return {
            "round": sorted(r for r in results if r[0] == HELD_ROUND[1]),
            "list": sorted(r for r in prices if r[0] == HELD_LIST[0]),
            "others": (
                sorted(r for r in results if r[0] != HELD_ROUND[1]),
                sorted(r for r in prices if r[0] != HELD_LIST[0]),
                sorted(db.execute(TRAINING).fetchall(), key=str),
            ),
        }


def changed_summary(mlperf_data, target):
    """The published summary with one figure raised by 10 %."""
    rows = json.loads((mlperf_data / "inference_v5.1/summary_results.json").read_text(encoding="utf-8"))
    closed = next(r for r in rows if r["Category"] == "closed" and r["Performance_Units"] == "Tokens/s")
    closed["Performance_Result"] = float(closed["Performance_Result"]) * 1.1
    target.write_text(json.dumps(rows), encoding="utf-8")
    return target


def changed_list(price_data, target):
    """AWS's list with the price of one instance type raised by a dollar."""
    text = (price_data / "aws/ec2_offer_us-east-1_excerpt.csv").read_text(encoding="utf-8")
    assert '"55.0400000000"' in text
    target.write_text(text.replace('"55.0400000000"', '"56.0400000000"'), encoding="utf-8")
    return target


# --- the user's own prices ---

OWN_PRICES = Path(__file__).resolve().parents[2] / "docs/how-to/add-your-own-prices.md"


def documented(language):
    """Return the only block of a language on the page about own prices."""
    text = OWN_PRICES.read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return block


def paste(home, commands):
    """Run commands of the page in a shell, and return what they print."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-e", "-c", commands],
        env={"PATH": path, "HOME": str(home), "ACCELMART_HOME": str(home), "COLUMNS": "300"},
        cwd=home, capture_output=True, text=True, timeout=300, check=True,
    ).stdout  # fmt: skip


def own_prices(home):
    return rows(
        home,
        "select payload_url, payload_record, price, is_comparable from fct_price_interval where source = 'own-prices' order by all",
    )


# --- killed builds ---

READER = """
import duckdb, sys
path = sys.argv[1]
db = duckdb.connect(path, read_only=True)
first = db.execute("select generation_id from ops_generation").fetchone()[0]
print(first, flush=True)
sys.stdin.readline()                       # the other side publishes meanwhile
again = db.execute("select generation_id, (select count(*) from fct_inference_result) from ops_generation").fetchone()
second = duckdb.connect(path, read_only=True).execute("select generation_id from ops_generation").fetchone()[0]
db.close()
print(again[0], again[1], second, flush=True)
"""


def damaged_round(folder):
    """A round with valid results next to every kind of damaged one."""
    tree = folder / "inference_results_v5.0"
    systems = tree / "closed/Dell/systems"
    systems.mkdir(parents=True)
    (systems / "good.json").write_text(json.dumps(SYSTEM))
    (systems / "broken.json").write_text('{"system_name": "cut')
    cases = {
        "good/resnet50/Offline": LOG.format(rate=1600, verdict="VALID"),
        "good/retinanet/offline": LOG.format(rate=160, verdict="VALID"),
        "broken/resnet50/Offline": LOG.format(rate=1600, verdict="VALID"),
        "absent/resnet50/Offline": LOG.format(rate=1600, verdict="VALID"),
        "good/3d-unet-99/Offline": LOG.format(rate=1600, verdict="INVALID"),
        "good/bert-99/Offline": LOG.format(rate="N/A", verdict="VALID"),
        "good/bert-99.9/Offline": "",
        "good/rnnt/Offline": LOG.format(rate=5, verdict="VALID").split("Result is")[0],
    }
    for folder, text in cases.items():
        file = tree / "closed/Dell/results" / folder / "performance/run_1/mlperf_log_summary.txt"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return tree


def published(path):
    """Read in a separate process, as another program would."""
    code = "import duckdb,sys; print(duckdb.connect(sys.argv[1], read_only=True).execute('from ops_generation').fetchone()[0])"
    return subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    ).stdout.strip()


def kill_a_build(home):
    """Start a build and kill it while dbt writes its file; return the folders that it leaves."""
    command = [Path(sys.executable).with_name("accelmart"), "build", "--force"]
    file = home / "builds" / "current" / "build.duckdb"
    with subprocess.Popen(
        command,
        env={"PATH": "/usr/bin:/bin", "ACCELMART_HOME": str(home), "HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as build:
        until = time.monotonic() + 120
        while not (file.exists() and file.stat().st_size > 1_000_000):
            assert build.poll() is None and time.monotonic() < until, "the build does not write its file"
            time.sleep(0.1)
        build.send_signal(signal.SIGKILL)
    return [p.name for p in (home / "builds").iterdir()]


def killed_and_built(home, build):
    """Kill a build, then let one succeed, while a reader keeps the file open."""
    path = home / "accelmart.duckdb"
    outputs = {"before": published(path)}
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        outputs["read_first"] = reader.stdout.readline().strip()
        outputs["left by the kill"] = kill_a_build(home)
        outputs["after kill"] = published(path)
        outputs["overrides"] = build()
        outputs["new"] = published(path)
        outputs["left"] = [p.name for p in (home / "builds").iterdir() if not p.is_symlink()]
        reader.stdin.write("\n")
        reader.stdin.flush()
        outputs["read_again"], outputs["rows"], outputs["reopened"] = reader.stdout.readline().split()
    return outputs


# --- all of it ---


def operate(accelmart, home, folder, mlperf_data, price_data):
    """Run the stories on a built home.

    Args:
        accelmart: runs the command on a home.
        home: an installation with a published warehouse; it is changed.
        folder: folder for payloads.
        mlperf_data: folder of real MLPerf payloads, or None.
        price_data: folder of real price lists, or None. Holds are only tested with both folders.

    Returns:
        Output and observations of each step.
    """
    outputs = {"home": home}

    def must(*arguments):
        done = accelmart(home, *arguments, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def build(*options):
        done = accelmart(home, "build", *options, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Published generation" in done.stdout
        return done, state(home)

    is_controlled = bool(mlperf_data and price_data)

    def control(command):
        return "".join(must(command, *what) for what in (HELD_ROUND, HELD_LIST) if is_controlled)

    outputs["names before"] = rows(home, "select kind, words from ops_unmapped")
    seen = {"before": figures(home)}
    overrides = home / "overrides"
    overrides.mkdir()
    (overrides / "cloud_regions.csv").write_text("nebius,xx(,DE,fixed,Nowhere,https://nebius.com,\n")
    outputs["before bad override"] = state(home)
    outputs["bad override"] = accelmart(home, "build"), state(home), must("status")
    (overrides / "cloud_regions.csv").unlink()

    # first build: unknown names; the changed payloads are held
    outputs["hold"] = control("hold")
    if is_controlled:
        summary = changed_summary(mlperf_data, folder / "summary_results.json")
        land_given(home, "mlperf-inference", "v5.1", summary)
        land_given(home, "aws-price-list", "us-east-1", changed_list(price_data, folder / "index.csv"))
    first = KNOWN_OFFER.format(price="21.6") + NEW_REGION + NEW_TYPE
    summary, catalog = written(folder / "first", ROUND, first)
    must("fetch", "mlperf-inference", "--release", "v9.9", "--from", summary)
    must("fetch", "skypilot-catalog", "--key", "nebius", "--from", catalog)
    _, short = written(folder / "short", [], ONE_OF_MANY)
    must("fetch", "skypilot-catalog", "--key", "verda", "--from", short)
    before_the_build, after_the_build = documented("sh").split("accelmart build\n")
    paste(home, before_the_build)
    outputs["degrade"] = build()
    outputs["own prices"] = [(paste(home, after_the_build), own_prices(home))]
    seen["held"] = figures(home)
    outputs["unmapped status"] = must("status", "--unmapped")
    outputs["degrade status"] = outputs["status held"] = must("status")

    # second build, after a killed one: every proposed line is used; round and list are withdrawn
    for seed_file, seed_line in rows(home, "select seed_file, seed_line from ops_unmapped"):
        with (overrides / seed_file).open("a") as file:
            file.write(seed_line + "\n")
    quotes = overrides / "prices" / "quotes.csv"
    quotes.write_text(quotes.read_text(encoding="utf-8").replace("2.35", "-2.35"), encoding="utf-8")
    control("withdraw")
    outputs["status json"] = must("status", "--json")
    outputs |= killed_and_built(home, build)
    seen["withdrawn"] = figures(home)
    outputs["own prices"].append((outputs["overrides"][0].stdout, own_prices(home)))
    outputs["alarms"] = rows(home, "select rule, severity, subject from ops_change_alarm")

    # third build: a damaged round, a doubled one, new prices; round and list are released
    tree = damaged_round(folder / "round")
    outputs["fetch of a damaged round"] = accelmart(
        home, "fetch", "mlperf-inference", "--release", "v5.0", "--from", tree
    )
    summary, catalog = written(folder / "second", [*ROUND, *ROUND], KNOWN_OFFER.format(price="19.2"))
    land_given(home, "mlperf-inference", "v9.9", summary)
    land_given(home, "skypilot-catalog", "nebius", catalog)
    quotes.unlink()
    outputs["release"] = control("release")
    outputs["isolated"] = build()
    outputs["isolated status"] = must("status")
    seen["released"] = figures(home)
    outputs["own prices"].append((outputs["isolated"][0].stdout, own_prices(home)))
    return outputs | {"seen": seen}
