"""The published file in the clients that people have: what the pages ask is answered alike by each."""

import json
import math
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from drill_processes import IS_FULL

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "tests/versions"
VERSIONS = sorted(p.stem for p in LOCKS.glob("duckdb-*.lock"))
# 1.2 and 1.3 read tables: they know no function whose arguments all have defaults, and no name for the rows of another one
WITH_FUNCTIONS = [v for v in VERSIONS if not v.startswith(("duckdb-1.2.", "duckdb-1.3."))]
PAGES = [p.read_text(encoding="utf-8") for p in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))]
# what a page says to ask: blocks, the table of macros, and statements in lines of the shell, of Python and of R
SHOWN = re.compile(
    r"```sql\n(.*?)```|^\| `(from [^`…]*)` \||accelmart sql \"([^\"…]*)\"|(?:\.sql\(|dbGetQuery\(db, )\"([^\"…]*)\"",
    flags=re.DOTALL | re.MULTILINE,
)
DOCUMENTED = dict.fromkeys("".join(found) for page in PAGES for found in SHOWN.findall(page))
# text, whole numbers, decimals and days, without nulls, which agents' answers leave out
ONE = [next(statement for statement in DOCUMENTED if "observed_at::timestamp::date" in statement)]
# what no page asks: arguments one by one, names that are no keys, and every other macro of the file
FURTHER = [
    "from best_result('deepseek-r1', 'Offline', accelerator := 'zzz9')",
    "from carbon_per_mtok('405b', 'Server', region := 'Atlantis', provider := 'amazon', as_of := '2026-06-01')",
    "from choose('405b', 1e8, 1e6, region := 'EU', max_ttft_ms := 4000, have := 'H100:64')",
    "from compare('mi300', 'H100')",
    "from alternatives('A100')",
    "from alternatives('zzz9')",
    "from accelerators_had('64xH100')",
    "from keep_or_sell('llama3.1-405b', 'A100-80GB:64', months := 60, age_months := 12, as_of := '2026-06-01')",
    "from power_budget('405b', 1, machines := 3, owner := 'hyperscaler', scenario := 'Offline', utilisation := 80)",
    "from cost_headline(as_of := '2026-06-01', release := 'v5.1')",
    "from cost_per_mtok('405b', 'Server', provider := 'zzz9')",
    "from cost_per_mtok('405b', 'Server', provider := 'aws', pricing := 'spot', region := 'US', max_j_per_token := 20)",
    "from estimate_serving('llama3.1-405b', 1e9, 'H100', price := 2.5, weights := 'fp16', context_length := 4096)",
    "from electricity_per_mtok('405b', 'DE, EU, US-TX, europe-west4', scenario := 'Offline', pricing := 'spot')",
    "from token_cost_and_price('405b', scenario := 'Offline')",
    "from estimate_serving('405b', 1e9, region := 'EU', electricity := 'Germany', grid := 'us_2022')",
    "from hourly_rate(null, region := 'Germany')",
    "from estimate_serving('my own', 1e8, params := 32e9, mlperf_scenario := 'Offline', provider := 'aws')",
    "from estimate_serving('deepseek-r1', tokens_per_s_per_user := 50, tokens_per_day := 1e9)",
    "from estimate_serving('llama-3.1-405b', accelerator := 'H100', tokens_per_s_per_user := 25.7, weights := 'fp8', price := 2)",
    "from estimate_serving('zzz9', tokens_per_s_per_user := 50)",
    "from estimate_serving('llama3.1-405b')",
    "from serving_model('my own', 32e9, 'Offline')",
    "from serving_result('deepseek-r1', null, 'Server', null)",
    "from serving_fleet('deepseek-r1', 1e9, 'nvidia-h200-sxm-141gb')",
    "from serving_for_load('deepseek-r1', 1e9, 'nvidia-h200-sxm-141gb', sequences := 64)",
    "from serving_readings('deepseek-r1', 50, null)",
    "from serving_at_speed('deepseek-r1', 50, null)",
    "from mlperf_serving(50)",
    "from serving_frontiers(50)",
    "from estimate_training(405e9, 15e12, 'H100', 2304)",
    "from estimate_training(13e9, 2e12, 'B200', 64, scenario := 'hyperscaler', layers := 40, hidden := 5120, sequence_length := 4096)",
    "from estimate_training(8e9, 1e11, 'A100 SXM 80GB', 8, price := 2, mfu := 40, number_format := 'bf16', grid := 'us_2022')",
    "from estimate_training(8e9, 1e11, 'zzz9', 8)",
    "from training_candidates('nvidia-h100-sxm-80gb', 8e9, 8e9, 64)",
    "from training_reference('nvidia-h100-sxm-80gb', 8e9, 8e9, 64, number_format := 'fp8')",
    "from training_speed('nvidia-h100-sxm-80gb', 8e9, 8e9, 6e10, 64)",
    "from training_speed_codes('nvidia-h100-sxm-80gb', 8e9, 8e9, 6e10, 64, mfu := 40)",
    "from training_model(70e9)",
    "from hourly_rate(null, scenario := 'hyperscaler')",
    "from hourly_rate('nvidia-h100-sxm-80gb', provider := 'zzz9')",
    "from hardware_and_site('nvidia-h100-sxm-80gb', electricity := 0.1)",
    "from measured_energy('nvidia-h100-sxm-80gb')",
    "from mlperf_serving_at(50, accelerator := 'H200', weights := 'fp8')",
    "from price_index('H100')",
    "from price_level(null, as_of := date '2026-06-01')",
    "from rent_or_own('H100', 64, 18, price_each := 30000, price_is := 'server', residual_pct := 10)",
    "from rent_or_own('GB300', 70, 121)",
    "from rent_rates('zzz9')",
    "from price_quote('H100', 3.2, pricing := 'reserved_1y', region := 'EU', as_of := date '2026-06-01')",
    "from price_quote('H100', -1)",
    "from seller_offers(null, pricing := null, region := 'EU', provider := 'amazon', as_of := date '2026-06-01')",
    "from sellers_in_region('EU')",
    "from serving_frontier_at(25, accelerator := 'B200', weights := 'fp4')",
    "from tco('H100', scenario := 'hyperscaler', price_level := '2025-08')",
    "from token_throughput(as_of := date '2025-12-01')",
    "select serving_model_named('llama-3.1-405b'), provider_of('zzz9'), benchmark_named(null), ownership_scenario_named('x')",
    "select accelerator_named('RTX 5090'), provider_named('amazon'), in_region('use1-az1', null, 'us-east-1')",
    "select amortised_usd(1e6, 100, 5), creation_outlay_usd(1e6), training_hours(1e12, 100, 8), training_state_bytes(4e9)",
    "select tokens_per_kwh(2), tokens_per_household_year(2), kg_co2e_per_mtok(2, 0.4), usd_per_total_mtok(2, 1000, 100)",
    "select usd_per_trained_mtok(2, 100), usd_per_output_mtok(2, 100), training_accelerator_hours(1e12, 100)",
    "select size_note([4, 8], 8), j_per_token(700, 1.2, 100), kv_cache_bytes_per_token(126, 8, 128, 2)",
    "select accelerators_bought('nvidia-h100-sxm-80gb', 12), accelerators_for_load(1e8, 100, 60)",
    "select accelerators_that_hold(8e11, 80), newest_price_day(), price_current_days(), default_owner()",
]
# the lock of further clients in Python
CLIENTS = "python"
pytestmark = pytest.mark.xdist_group("versions")


def environment(packages):
    """Return variables with which Python finds the packages of a lock; skip the test where they could not be installed."""
    folder = Path(sys.prefix) / "clients" / packages
    if not folder.exists():
        assert not os.environ.get("CI") or (packages == CLIENTS and not IS_FULL), (
            f"no {packages}: see Makefile"
        )
        pytest.skip(f"no {packages}: `make test` installs versions of DuckDB, `make drills` further clients")
    return os.environ | {"PYTHONPATH": str(folder)}


def asked(home, statements, packages=None, client="duckdb"):
    """Return the answers of a client, as `ask.py` prints them, with the packages of a lock, None for this environment's."""
    done = subprocess.run(
        [sys.executable, LOCKS / "ask.py", home / "accelmart.duckdb", client], input=json.dumps(statements),
        env=environment(packages) if packages else os.environ, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def plain(value):
    """Return a value as all clients can print it: numbers are floats, times are seconds, structs are lists."""
    if isinstance(value, dict):
        return [[name, plain(part)] for name, part in value.items()]
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d([ T][\d:.]+(Z|[+-][\d:]+)?)?", value):
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    return float(value) if type(value) is int else value


def alike(a, b):
    """Whether two values are the same but for the last digit of sums, and of rounding: 2.0.1 rounds 0.125 down."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if not isinstance(a, float) or not isinstance(b, float):
        return a == b
    decimals = max(len(repr(x).partition(".")[2]) for x in (a, b))
    return math.isclose(a, b, rel_tol=1e-9) or (decimals <= 4 and abs(a - b) < 1.5 * 10**-decimals)


def differing(statements, answers, expected):
    """Return statements with an answer that has not the expected rows, in any order."""
    other = []
    for statement, *both in zip(statements, answers, expected, strict=True):
        a, b = map(plain, both)
        are_rows = isinstance(a, list) and isinstance(b, list)
        if not alike(a, b) and not (are_rows and alike(sorted(a, key=str), sorted(b, key=str))):
            other.append((statement, *both))
    return other


@pytest.fixture(scope="module")
def expected(built_home):
    return asked(built_home, [*DOCUMENTED, *FURTHER])


def test_every_page_and_every_macro_is_asked(warehouse, expected):
    text = " ".join([*DOCUMENTED, *FURTHER])
    macros = warehouse.execute(
        "select distinct function_name from duckdb_functions() where schema_name = 'main' and not internal"
    ).fetchall()
    assert len(DOCUMENTED) > 60 and len(macros) > 40 and not [m for (m,) in macros if f"{m}(" not in text]
    # what the pages ask has an answer; of the further ones the mistyped ones are errors
    failed = {s: a for s, a in zip([*DOCUMENTED, *FURTHER], expected, strict=True) if isinstance(a, str)}
    assert not [s for s in failed if s in DOCUMENTED] and len(failed) == 11, failed


@pytest.mark.drills
@pytest.mark.parametrize("version", WITH_FUNCTIONS if IS_FULL else WITH_FUNCTIONS[:1])
def test_every_documented_query_gives_the_same_rows(built_home, expected, version):
    statements = [*DOCUMENTED, *FURTHER]
    other = differing(statements, asked(built_home, statements, version), expected)
    assert not other, other[0]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("client", "packages"),
    [("pandas", None), ("mcp", None), ("polars", CLIENTS), ("ibis", CLIENTS), ("sqlalchemy", CLIENTS)],
)
def test_a_documented_query_has_the_same_values(built_home, client, packages):
    assert differing(ONE, asked(built_home, ONE, packages, client), asked(built_home, ONE)) == []


@pytest.mark.nightly
def test_the_example_for_polars_gives_what_sql_gives(built_home, warehouse, tmp_path):
    (text,) = re.findall(r"```python\n(import polars .*?)```", "\n".join(PAGES), re.DOTALL)
    (tmp_path / "data").symlink_to(built_home)
    rows = 'print(cheapest.select("benchmark_id", "usd_per_output_mtok_at_level").rows())'
    done = subprocess.run(
        [sys.executable, "-c", f"{text}\n{rows}"], cwd=tmp_path, env=environment(CLIENTS), stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    expected = warehouse.execute(
        "select benchmark_id, min(usd_per_output_mtok_at_level) from mart_cost_headline where scenario = 'Server' "
        "and usd_per_output_mtok_at_level is not null group by 1 order by 1"
    ).fetchall()
    assert expected and done.stdout.strip() == str(expected)


@pytest.mark.nightly
@pytest.mark.parametrize(("client", "packages"), [("node", "clients/node"), ("wasm", "console")])
def test_duckdb_in_javascript_answers_every_documented_query_alike(built_home, expected, client, packages):
    folder = Path(sys.prefix) / packages
    if not (folder / "node_modules").exists():
        pytest.skip("`make node-client` brings its packages from the registry of npm")
    done = subprocess.run(
        ["node", LOCKS / "ask.mjs", built_home / "accelmart.duckdb", client, folder], input=json.dumps([*DOCUMENTED]),
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    other = differing(DOCUMENTED, json.loads(done.stdout), expected[: len(DOCUMENTED)])
    assert not other, other[0]


@pytest.fixture(scope="module")
def tables(built_home):
    """A statement that reads every value of each table, and one row of each view, with the answers of this environment."""
    listed = "select table_catalog || '.' || table_schema || '.' || table_name, table_type from information_schema.tables"
    (names,) = asked(built_home, [listed])
    statements = [
        f"from {name} limit 1" if kind == "VIEW" else f"select count(*), max(columns(*)) from {name}"
        for name, kind in names
    ]
    return dict(zip(statements, asked(built_home, statements), strict=True))


@pytest.mark.parametrize("version", VERSIONS)
def test_every_table_and_view_is_read(built_home, tables, version):
    answers = asked(built_home, [*tables], version)
    assert len(answers) > 190 and not [s for s in tables if isinstance(tables[s], str)]
    assert differing(tables, answers, tables.values()) == []
