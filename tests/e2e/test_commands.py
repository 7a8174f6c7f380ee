"""The command line as people use it: real processes, real files, exit codes that mean something."""

import json
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from given_payloads import land_payload

from ingest.mlperf.registry import (
    MLPERF_COLLECTION,
    MLPERF_INFERENCE,
    MLPERF_TRAINING,
    MLPERF_TRAINING_COLLECTION,
    MLPERF_TRAINING_READ_SINGLY,
)
from orchestration.landing import WHOLE
from warehouse.storage.home import Home

ROOT = Path(__file__).resolve().parents[2]


def test_without_a_warehouse_it_says_how_to_make_one(tmp_path, accelmart):
    for command in (
        ["status"],
        ["sql", "select 1"],
        ["rollback"],
        ["freeze", "vast"],
        ["publish", "--to", "site"],
    ):
        done = accelmart(tmp_path, *command, here=True)
        assert done.returncode == 3, command
        assert "make warehouse" in done.stderr and "Traceback" not in done.stderr


def test_help_loads_nothing_heavy():
    code = (
        "import sys, accelmart.cli, orchestration.cli; "
        "print(sorted({'duckdb', 'dagster', 'pandas', 'pyarrow', 'dbt', 'requests', 'rich.console'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["rank", "--model", "llama3.1-405b", "--provider", "coreweve"], "near: coreweave, "),
        (["refresh", "corweave"], "Did you mean coreweave?"),
        (["sql", "select accelerator from mart_tco"], '"accelerator_id"'),
        (["sql", "delete from mart_tco"], "show tables"),
        (["sql", "from read_csv('/etc/passwd')"], "show tables"),
        (["fetch", "mlperf-inference", "--release", "five"], "write it like v5.1"),
        (["fetch", "mlperf-inference", "--release", "v5.1", "--from", "no/such/file"], "folder"),
    ],
)
def test_a_wrong_call_is_answered_with_what_is_right(spare_home, accelmart, arguments, hint):
    done = accelmart(spare_home, *arguments, here=True)
    assert done.returncode == 1 and hint in done.stderr


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("accelmart refresh corew", {"coreweave"}),
        ("accelmart rank --model llama3.1-4", {"llama3.1-405b"}),
    ],
)
def test_the_shell_completes(built_home, accelmart, typed, completed):
    settings = {
        "_ACCELMART_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    assert set(accelmart(built_home, settings=settings, here=True).stdout.split()) == completed


def test_status_is_short_and_begins_with_what_is_wrong(built_home, accelmart):
    done = accelmart(built_home, "status", settings={"COLUMNS": "100"}, here=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[0] == "All is well." and len(lines) <= 15
    assert max(map(len, lines)) <= 100
    assert re.search(r"published: \d{8}T\d{6}-[0-9a-f]{6}", done.stdout)
    # the counts of the bundled collection, by hand from its files
    health = json.loads(accelmart(built_home, "status", "--json", here=True).stdout)["sources"]
    (collection,) = [row for row in health if row["source"] == "mlperf-inference-collection"]
    assert (collection["records_in"], collection["rows"], collection["rejects"]) == (46393, 29246, 0)


def test_the_first_answers_are_figures_of_the_warehouse_and_what_to_try_runs(
    built_home, accelmart, warehouse
):
    """What `make warehouse` shows at its end."""
    done = accelmart(built_home, "status", "--short", here=True)
    commands = re.findall(r"^(?:Try:|    ) \S*accelmart (.*)$", done.stdout, flags=re.MULTILINE)
    assert len(commands) == 3 and len(done.stdout.splitlines()) <= 12
    for command in commands:
        assert accelmart(built_home, *command.split()).returncode == 0, command
    part, speed = warehouse.execute(
        "select short_name, format('{:,.0f}', throughput_per_accelerator) from best_result('deepseek-r1', 'Server') "
        "join dim_accelerator using (accelerator_id) order by throughput_per_accelerator desc"
    ).fetchone()
    printed = " ".join(done.stdout.split())
    assert f"Fastest: {part}, {speed} output tokens/s" in printed
    rented, usd, note = warehouse.execute(
        "select short_name, usd_per_output_mtok_at_level, size_note from mart_cost_headline join dim_accelerator "
        "using (accelerator_id) where scenario = 'Server' "
        "and benchmark_id = 'deepseek-r1' and pricing_model = 'on_demand' and is_representative order by 2 nulls last"
    ).fetchone()
    assert f"Rent: {rented}, ${usd:.3g} (" in printed and note in printed


def test_the_slim_file_has_the_public_tables_alone(built_home, accelmart, warehouse, tmp_path):
    slim = tmp_path / "slim.duckdb"
    assert accelmart(built_home, "export", slim, "--duckdb", here=True).returncode == 0
    tables = "select table_name, comment, estimated_size from duckdb_tables() {} order by 1"
    units = "select table_name, column_name, comment from duckdb_columns() where schema_name = 'main' and not internal order by all"
    with duckdb.connect(str(slim), read_only=True) as db:
        public = warehouse.execute(tables.format("where schema_name = 'main'")).fetchall()
        assert db.execute(tables.format("")).fetchall() == public
        assert db.execute(units).fetchall() == warehouse.execute(units).fetchall()
    (tmp_path / "notes.txt").write_text("mine")
    done = accelmart(built_home, "export", tmp_path / "notes.txt", "--duckdb", here=True)
    assert done.returncode == 1 and (tmp_path / "notes.txt").read_text() == "mine"


def test_sql_answers_a_query_or_standard_input(built_home, accelmart):
    query = "select count(*) as n from fct_inference_result where release = 'v2.0'"
    assert "2962" in accelmart(built_home, "sql", query).stdout
    piped = accelmart(built_home, "sql", "-", "-f", "json", input=query)
    assert json.loads(piped.stdout) == [{"n": 2962}]


@pytest.mark.xdist_group("snapshot")
def test_the_bundled_snapshot_is_what_the_parsers_give(tmp_path, mlperf_data, accelmart):
    """Fetched from the real upstream files, the raw layer equals what ships with the code."""
    home = tmp_path / "home"
    home.mkdir()
    releases = mlperf_data / "releases"
    summary = mlperf_data / "inference_v5.1/summary_results.json"
    calls = [
        (MLPERF_INFERENCE, "v5.1", summary),
        (MLPERF_INFERENCE, "v5.1", releases / "inference_results_v5.1.tar.gz"),
        *(
            (MLPERF_INFERENCE, of, releases / f"inference_results_{of}.tar.gz")
            for of in ("v0.5", "v0.7", "v1.1", "v4.1", "v6.0")
        ),
        (MLPERF_INFERENCE, "v6.1", mlperf_data / "inference_v6.1/summary_core.csv"),
        (MLPERF_COLLECTION, WHOLE, releases / "cm4mlperf-results.tar.gz"),
        (MLPERF_TRAINING, "v4.1", releases / "training_results_v4.1.tar.gz"),
        (MLPERF_TRAINING, "v5.0", releases / "training_results_v5.0.tar.gz"),
        (MLPERF_TRAINING_COLLECTION, WHOLE, releases / "cm4mlperf-results.tar.gz"),
        (MLPERF_TRAINING_READ_SINGLY, "v6.0", mlperf_data / "training_v6.0_partial"),
    ]
    place = Home(home, str(home / "landing"))
    for source, key, origin in calls:
        assert land_payload(place, source, key, origin).outcome == "landed"
    fresh = tmp_path / "snapshot"
    assert accelmart(home, "snapshot", "--folder", fresh).returncode == 0
    shipped = ROOT / "warehouse/snapshot"
    names = {p.relative_to(shipped) for p in shipped.rglob("*.parquet")}
    assert names == {p.relative_to(fresh) for p in fresh.rglob("*.parquet")}
    of_the_moment = ("fetched_at", "built_at")
    for name in names:
        columns = duckdb.sql(f"from '{shipped / name}'").columns
        kept = ", ".join(column for column in columns if column not in of_the_moment)
        theirs, ours = (f"select {kept} from '{folder / name}'" for folder in (shipped, fresh))
        differing = duckdb.sql(
            f"({ours} except all {theirs}) union all ({theirs} except all {ours})"
        ).fetchall()
        assert differing == [], name


def test_the_snapshot_is_small_and_names_no_machine():
    files = list((ROOT / "warehouse/snapshot").rglob("*.parquet"))
    assert files and sum(f.stat().st_size for f in files) < 19_000_000
    parsed = [f for f in files if "payload_url" in pq.read_schema(f).names]
    assert len(files) - len(parsed) == 10  # those that no parser makes
    for file in parsed:
        urls = duckdb.sql(f"select distinct payload_url from '{file}'").fetchall()
        home = "https://github.com/mlcommons/" if file.parent.name.startswith("mlperf") else "https://"
        assert all(url.startswith(home) for (url,) in urls), file


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "estimate serving --model 405b --tokens-per-day 1e9 --context-length 0",
            "--context-length is 0: it must be above 0",
        ),
        ("choose --model 405b --tokens-per-day 1e8 --budget 1 --months 500", "--months is 500: it must be"),
        (
            "estimate ownership --accelerator H100 --gpus 8 --months 9 --interest-pct 200",
            "--interest-pct is 200: it must",
        ),
    ],
)
def test_wrong_usage_names_the_option_as_it_is_typed(accelmart, built_home, words, said):
    done = accelmart(built_home, *words.split())
    assert done.returncode == 2 and said in done.stderr
