"""A changed checkout: docs/how-to/add-a-source.md, followed to the letter on a copy, and a claim that one row adds.

Module, registry and seeds are changed; then come the commands of the page (`landed_home`).
"""

import csv
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/add-a-source.md").read_text(encoding="utf-8")
SEED_OF_CLAIMS = "dbt_project/seeds/claims.csv"
NEW_CLAIM = {
    "claim_id": "T1",
    "claimed_by": "a test",
    "claim_date": "2025-09-10",
    "source_url": "https://example.org/claim",
    "statement_short": "A GB300 is twice a GB200 on DeepSeek-R1 Offline",
    "metric": "inference_throughput_per_accelerator_ratio",
    "subject_accelerator_id": "nvidia-gb300-288gb",
    "baseline_accelerator_id": "nvidia-gb200-186gb",
    "claimed_value": "2",
    "unit": "ratio",
    "suite_kind": "inference",
    "benchmark_ids": "deepseek-r1",
    "scenarios": "Offline",
    "subject_count": "72",
}
pytestmark = pytest.mark.xdist_group("landed")
PRODUCT = ("accelmart", "ingest", "warehouse", "orchestration", "dbt_project", "deploy")


def block(language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return text


def write_checkout(copy):
    """Copy the product to a folder, with the source of the page and a new claim in it."""
    for name in PRODUCT:
        unneeded = shutil.ignore_patterns("__pycache__", "snapshot", "target", "logs")
        shutil.copytree(ROOT / name, copy / name, ignore=unneeded)
    (copy / "warehouse/snapshot").symlink_to(ROOT / "warehouse/snapshot")
    (copy / "ingest/prices/examplecloud.py").write_text(block("python"))
    registry = copy / "ingest/prices/registry.py"
    added = re.sub(r"(from ingest\.prices import \(\n)", r"\1    examplecloud,\n", registry.read_text())
    registry.write_text(re.sub(r"(_ALL: .* = \(\n)", r"\1    examplecloud.SOURCE,\n", added))
    rows = re.findall(r"`(dbt_project/seeds/\w+\.csv)`.*?```csv\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(rows) == 4
    for seed, row in rows:
        with (copy / seed).open("a", encoding="utf-8") as file:
            file.write(row)
    with (copy / SEED_OF_CLAIMS).open("r+", encoding="utf-8", newline="") as seed:
        columns = next(csv.reader(seed))
        seed.seek(0, os.SEEK_END)
        csv.DictWriter(seed, columns, lineterminator="\n").writerow(NEW_CLAIM)
    return copy


def commands(folder):
    """Write the file of the page, and return the words of its commands without the name of the program."""
    (folder / "instances.json").write_text(block("json"))
    lines = [shlex.split(line) for line in block("sh").splitlines()]
    assert [words[:2] for words in lines] == [["accelmart", w] for w in ("fetch", "build", "sql", "sql")]
    return [words[1:] for words in lines]


def test_the_page_adds_a_source(landed):
    outputs = landed.page
    # 23.92 US$ an hour for 8 accelerators
    assert re.search(r"h100-8x\W+on_demand\W+2\.99\b", outputs[2]), outputs[2]
    assert "spot" not in outputs[2]
    assert re.search(r"instances\[1\]", outputs[3]) and "what has no price is no offer" in outputs[3]


def test_a_new_claim_needs_only_one_seed_row(landed_db):
    """It has a verdict without new SQL."""
    (checked,) = landed_db.execute(
        "select release, verdict, measured_value from mart_claim_check where claim_id = 'T1'"
    ).fetchall()
    claims = landed_db.execute("select count(*) from mart_claim_check").fetchone()
    # 420,659 ÷ 289,712 of two racks of 72; the claim names no round, so the newest published by its day
    assert checked == ("v5.1", "overstated", pytest.approx(420_659 / 289_712, rel=1e-4))
    with (ROOT / SEED_OF_CLAIMS).open(encoding="utf-8", newline="") as seed:
        assert claims == (sum(1 for _ in csv.DictReader(seed)) + 1,)
