"""Operate one installation with the real commands in two builds.

A copy of the built warehouse goes through four stories in parallel. Each has its own payloads and its own assertions, in
the test file named here:

- unknown names and bad payloads never stop a publication (test_degrade.py);
- the user's own prices are added as documented, and one line of them becomes wrong (test_own_prices.py);
- a round is frozen and then excluded, a price list excluded and then unfrozen (test_control.py);
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
from types import SimpleNamespace

import duckdb
from home_copies import land_given
from small_round import entry

from warehouse.publication.generation import read_generation

PRICES = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
# with characters that nobody sees, as web pages and spreadsheets leave them in names: all are read as if they were not there
KNOWN_OFFER = "gpu-h100\u200b-sxm_8gpu-128vcpu-1600gb,H1\u00ad00,8,128,1600,{price},eu-\u2060north1,,\n"
NEW_REGION = "gpu-h100-sxm_8gpu-128vcpu-1600gb,H100,8,128,1600,24.8,xx-\u200cnorth9,,\n"
# what is left of Verda's list: it is not used
ONE_OF_MANY = "1A100.22V,A100-80GB,1,22,120,1.29,FIN-01,,\n"
NEW_TYPE = "gpu-q900_8gpu-128vcpu-1600gb,Q9\ufeff00,8,128,1600,99.2,eu-north1,,\n"
HIDDEN_FORMULA = "\0\u200b\x1b=cmd|' /C calc'!A0"

ROUND = [
    entry(1, System=HIDDEN_FORMULA),
    entry(2, Accelerator="AMD Inst\u200dinct MI455X", Model="llama2-70b-99", Performance_Units="Tokens/s"),
    entry(
        3,
        Model="agentic chess",
        UsedModel="chess-70b",
        Performance_Units="Tokens/s",
        Performance_Result=808.0,
    ),
    entry(4, Scenario="Stream\u2060ing"),
    entry(5, Model="page\u00ad reader", Performance_Units="Pages/s"),
    entry(6, Submitter="\ufeffNew\u200bcomer AI"),
    entry(7, Accelerator=None, **{"a#": ""}),
]
UNREADABLE = [{"version": "v9.9"}] * 8
UNMAPPED = {
    ("accelerator", "AMD Instinct MI455X"): "accelerator_aliases.csv",
    ("benchmark", "agentic chess"): "mlperf_benchmarks.csv",
    ("benchmark", "page reader"): "mlperf_benchmarks.csv",
    ("scenario", "Streaming"): "mlperf_scenarios.csv",
    ("unit", "Pages/s"): "mlperf_units.csv",
    ("submitter", "Newcomer AI"): "mlperf_submitters.csv",
    ("region", "nebius/xx-north9"): "cloud_regions.csv",
    ("instance_type", "nebius/gpu-q900_8gpu-128vcpu-1600gb"): "instance_accelerators.csv",
}


def written(folder, entries, prices):
    """Write one payload of the synthetic round and one price list, and return their paths."""
    summary, catalog = folder / "summary_results.json", folder / "vms.csv"
    folder.mkdir()
    summary.write_text(json.dumps(entries))
    catalog.write_text(PRICES + prices, encoding="utf-8")
    return summary, catalog


def rows(database, query):
    """Ask a generation, or the published one of a home."""
    path = database / "accelmart.duckdb" if database.is_dir() else database
    with duckdb.connect(str(path), read_only=True) as db:
        return db.execute(query).fetchall()


HELD_ROUND, HELD_LIST = ("mlperf-inference", "v5.1"), ("aws-price-list",)


def land_changed(home, folder, mlperf_data, price_data):
    """Land the summary of v5.1 with one figure raised by 10 %, and AWS's list with one price raised by a dollar."""
    entries = json.loads((mlperf_data / "inference_v5.1/summary_results.json").read_text(encoding="utf-8"))
    closed = next(e for e in entries if e["Category"] == "closed" and e["Performance_Units"] == "Tokens/s")
    closed["Performance_Result"] = float(closed["Performance_Result"]) * 1.1
    (folder / "summary_results.json").write_text(json.dumps(entries), encoding="utf-8")
    land_given(home, "mlperf-inference", "v5.1", folder / "summary_results.json")
    text = (price_data / "aws/ec2_offer_us-east-1_excerpt.csv").read_text(encoding="utf-8")
    assert '"55.0400000000"' in text
    (folder / "index.csv").write_text(text.replace('"55.0400000000"', '"56.0400000000"'), encoding="utf-8")
    land_given(home, "aws-price-list", "us-east-1", folder / "index.csv")


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


READER = """
import duckdb, sys
db = duckdb.connect(sys.argv[1], read_only=True)
ask = "select generation_id, (select count(*) from fct_inference_result) > 30000 from ops_generation"
print(*db.execute(ask).fetchone(), flush=True)
sys.stdin.readline()  # the other side publishes meanwhile
print(*db.execute(ask).fetchone(), flush=True)
"""


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
        until = time.monotonic() + 600
        while not (file.exists() and file.stat().st_size > 1_000_000):
            assert build.poll() is None and time.monotonic() < until, "the build does not write its file"
            time.sleep(0.1)
        build.send_signal(signal.SIGKILL)
    return [p.name for p in (home / "builds").iterdir()]


def published(home):
    return read_generation(home / "accelmart.duckdb").generation_id


def killed_and_built(home, build):
    """Kill a build, then let one succeed, while a reader keeps the file open; return what was seen."""
    seen = {}
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(home / "accelmart.duckdb")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as reader:  # fmt: skip
        seen["read first"] = reader.stdout.readline().strip()
        seen["left by the kill"] = kill_a_build(home)
        seen["after the kill"] = published(home)
        seen["built"] = build()
        seen["left"] = [p.name for p in (home / "builds").iterdir() if not p.is_symlink()]
        reader.stdin.write("\n")
        reader.stdin.flush()
        seen["read again"] = reader.stdout.readline().strip()
    return seen


def operate(accelmart, home, folder, mlperf_data, price_data):
    """Run the stories on a built home.

    Args:
        accelmart: runs the command on a home.
        home: an installation with a published warehouse; it is changed.
        folder: folder for payloads.
        mlperf_data: folder of real MLPerf payloads, or None.
        price_data: folder of real price lists, or None. Holds are only tested with both folders.

    Returns:
        `home`; `before`, `first` and `second` (files of generations); `said` (what commands printed, by step); `names` (what was
        unmapped before); `own_prices` (of each build: what was printed, and the rows); `killed` (see `killed_and_built`).
    """
    overrides, said = home / "overrides", {}
    is_controlled = bool(mlperf_data and price_data)

    def must(*arguments):
        done = accelmart(home, *arguments, timeout=900)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def control(command, what):
        return must(command, *what) if is_controlled else ""

    def build():
        done = accelmart(home, "build", timeout=900)
        assert done.returncode == 0 and "Published generation" in done.stdout, done.stdout + done.stderr
        return done

    def generation():
        return home / "generations" / f"{published(home)}.duckdb"

    before, names = generation(), rows(home, "select kind, words from ops_unmapped")
    overrides.mkdir(exist_ok=True)
    (overrides / "cloud_regions.csv").write_text("nebius,xx(,DE,fixed,Nowhere,https://nebius.com,\n")
    said["bad override"] = accelmart(home, "build"), published(home), must("status")
    (overrides / "cloud_regions.csv").unlink()

    # first build: unknown names; the changed round is held, the list withdrawn
    said["hold"] = control("freeze", HELD_ROUND)
    if is_controlled:
        land_changed(home, folder, mlperf_data, price_data)
    control("exclude", HELD_LIST)
    summary, catalog = written(
        folder / "first", ROUND, KNOWN_OFFER.format(price="21.6") + NEW_REGION + NEW_TYPE
    )
    must("fetch", "mlperf-inference", "--release", "v9.9", "--from", summary)
    must("fetch", "skypilot-catalog", "--key", "nebius", "--from", catalog)
    _, short = written(folder / "short", [], ONE_OF_MANY)
    must("fetch", "skypilot-catalog", "--key", "verda", "--from", short)
    before_the_build, after_the_build = documented("sh").split("accelmart build\n")
    paste(home, before_the_build)
    said["first"] = build()
    first, shown = generation(), [(paste(home, after_the_build), own_prices(home))]
    said["unmapped"], said["first status"] = must("status", "--unmapped"), must("status")
    said["first json"] = must("status", "--json")

    # second build, after a killed one: every proposed line is used; a round that cannot be read, new prices
    for seed_file, seed_line in rows(home, "select seed_file, seed_line from ops_unmapped"):
        with (overrides / seed_file).open("a") as file:
            file.write(seed_line + "\n")
    quotes = overrides / "prices" / "quotes.csv"
    quotes.write_text(quotes.read_text(encoding="utf-8").replace("2.35", "-2.35"), encoding="utf-8")
    refused = "seller;accelerator;pricing_model;price;unit;first_seen\r\n" + "".join(
        f"scaleway;nvidia-l4;on_demand;{price};accelerator_hour;{day}\r\n"
        for price, day in [
            ("1,5", "10/05/2026"),
            ("28,500", "2026-10-05"),
            ("€ 1,5", "2026-10-05"),
            ("1,5", "soon"),
            ("", "2026-10-05"),
        ]
    )
    quotes.with_name("refused.csv").write_text(refused, encoding="utf-16")
    control("exclude", HELD_ROUND)
    said["earlier name"] = accelmart(home, "release", *HELD_LIST).stderr if is_controlled else ""
    summary, catalog = written(folder / "second", [*ROUND, *UNREADABLE], KNOWN_OFFER.format(price="19.2"))
    land_given(home, "mlperf-inference", "v9.9", summary)
    land_given(home, "skypilot-catalog", "nebius", catalog)
    killed = killed_and_built(home, build)
    said["second"], said["second status"] = killed["built"], must("status", "--json")
    shown.append((said["second"].stdout, own_prices(home)))
    return SimpleNamespace(
        home=home, before=before, first=first, second=generation(), said=said, names=names, own_prices=shown, killed=killed
    )  # fmt: skip
