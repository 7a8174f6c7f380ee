"""One question asked of SQL, Python, the command and the agents' tool: the same rows, for drawn arguments.

The fifth way, the report, is compared in test_report_choosing. `bench/five_ways.py` draws more of them.
"""

import json
import random
from datetime import date
from functools import partial

import duckdb
import pytest
from drill_processes import IS_FULL

import accelmart as reader
from accelmart.agents.access import Access
from accelmart.agents.tools import Tools

# question, the function of the file, and arguments with what is drawn for each; None is left out
PARTS = ("H100", "nvidia-b200-sxm-180gb", "MI300X", "GB300", "H200", "A100-80GB", "nvidia-l40s-48gb")
MODELS = ("llama3.1-405b", "deepseek-r1", "llama2-70b-99", "Llama2 70B 99.9", "gpt-oss-120b", "mixtral-8x7b")
OWNERS = (None, None, "hyperscaler", "neocloud_giant")
PRICING = ("on_demand", "on_demand", "spot", "reserved_1y")
QUESTIONS = {
    ("rank", "cost_per_mtok"): {
        "model": MODELS, "scenario": ("Server", "Offline"), "pricing": (*PRICING, None), "provider": (None, None, "aws", "Azure"),
        "region": (None, None, "EU", "US"), "release": (None, None, "v5.1"), "max_j_per_token": (None, 0.5, 20.0),
        "as_of": (None, None, "2026-06-01"),
    },
    ("choose", "choose"): {
        "model": MODELS, "tokens_per_day": (1e6, 1e8, 3e9), "budget": (3e4, 1e6, 3e7), "months": (1, 12, 36.5), "region": (None, None, "EU"),
        "max_j_per_token": (None, None, 5.0), "max_ttft_ms": (None, None, 2000.0), "scenario": ("Server", "Offline"),
        "utilisation": (35, 60, 100), "owner": OWNERS, "as_of": (None, None, "2026-06-01"), "have": (None, "A100-80GB:64", "8xH100"),
    },
    ("tokens", "token_cost_and_price"): {"model": MODELS, "scenario": ("Server", "Offline", None)},
    ("electricity", "electricity_per_mtok"): {
        "model": MODELS, "places": ("Germany, Sweden", "DE,SE", "US-TX, europe-west4, EU", "Atlantis"), "scenario": ("Server", None),
        "pricing": (None, "spot"),
    },
    ("compare", "compare"): {"a": PARTS, "b": PARTS},
    ("alternatives", "alternatives"): {"accelerator": (*PARTS, "TPU", "Gaudi", "Instinct")},
    ("prices", "seller_offers"): {
        "accelerator": PARTS, "pricing": (*PRICING, None), "region": (None, None, "EU", "US"), "provider": (None, None, None, "Azure"),
        "machine_size": (None, None, 8), "as_of": (None, None, "2026-06-01"),
    },
    ("prices", "price_quote"): {
        "accelerator": PARTS, "quoted": (0.5, 3.2, 9.0, 25.0), "pricing": PRICING, "region": (None, None, "EU"), "as_of": (None, None, "2026-06-01"),
    },
    ("keep_or_sell", "keep_or_sell"): {
        "model": MODELS, "have": ("A100-80GB:64", "64xA100-80GB", "H100:8", "256 x H200", "MI300X:16", "B200"), "months": (1, 24, 60),
        "age_months": (None, 12, 80), "scenario": ("Server", "Offline"), "utilisation": (35, 60), "owner": OWNERS,
        "as_of": (None, None, "2026-06-01"),
    },
    ("power_budget", "power_budget"): {
        "model": MODELS, "megawatts": (None, 0.02, 5.0, 100.0), "machines": (None, None, 3), "months": (24, 36.5),
        "scenario": ("Server", "Offline"), "utilisation": (35, 60), "owner": OWNERS, "as_of": (None, None, "2026-06-01"),
    },
    ("estimate_ownership", "rent_or_own"): {
        "accelerator": PARTS, "gpus": (1, 8, 500), "months": (1, 18, 36, 120), "utilisation": (0.5, 60, 100), "scenario": OWNERS,
        "price_each": (None, None, 30_000.0), "price_is": ("all-in", "server"), "running": (None, None, 0.6), "residual_pct": (None, 0.0, 40.0),
        "interest_pct": (None, 0.0, 9.0), "rent": (None, None, 2.5), "rent_1y": (None, 2.1), "rent_3y": (None, 1.7),
    },
    ("estimate_training", "estimate_training"): {
        "params": (8e9, 70e9, 405e9, 671e9, 1.2e12), "tokens": (1e11, 15e12), "accelerator": PARTS, "gpus": (8, 1024, 16_000),
        "price": (None, None, 2.0), "pricing": PRICING, "mfu": (None, None, 40.0), "precision": (None, None, "fp8"),
        "pue": (None, 1.1), "electricity": (None, 0.05), "grid": (None, "world_2023"), "capex": (None, 4e4),
        "depreciation_years": (None, 5.0),
    },
    ("estimate_serving", "estimate_serving"): {
        "model": MODELS, "tokens_per_day": (1e8, 3e9), "accelerator": (None, *PARTS), "price": (None, None, None, 2.0),
        "pricing": PRICING, "utilisation": (30, 60), "weights": (None, None, "fp8"), "kv_cache": ("fp16", "fp8"),
        "context_length": (4096, 32_768), "sequences": (1, 16), "pue": (None, 1.1), "electricity": (None, 0.05), "capex": (None, 4e4),
    },
}  # fmt: skip
# so many answers of each question, beside refusals; one costs a second of processor time
DRAWS = 20 if IS_FULL else 2
# what SQL calls an argument that is a word of its language
SQL_NAMES = {"precision": "number_format"}
TEXTS_OF_PYTHON = {"notes"}


def drawn(arguments, chance):
    """Draw a value for each argument, without those left out."""
    values = {name: chance.choice(choices) for name, choices in arguments.items()}
    return {name: value for name, value in values.items() if value is not None}


def by_sql(home, function, given):
    """Rows of the function as a client of DuckDB gets them, or its error."""
    words = ", ".join(f"{SQL_NAMES.get(name, name)} := ${name}" for name in given)
    with duckdb.connect(str(home / "accelmart.duckdb"), read_only=True) as db:
        done = db.execute(f"from {function}({words})", given)
        columns = [c[0] for c in done.description]
        return [dict(zip(columns, row, strict=True)) for row in done.fetchall()]


def by_python(home, question, given):
    return rows_of(getattr(reader, question)(**given, database=home))


def by_command(accelmart, home, question, given):
    positions = {"compare": ("a", "b"), "alternatives": ("accelerator",), "prices": ("accelerator",)}.get(
        question, ()
    )
    places = [given[name] for name in positions]
    options = [x for n, v in given.items() if n not in positions for x in (f"--{n.replace('_', '-')}", v)]
    command = question.replace("estimate_", "estimate ").replace("_", "-").split()
    done = accelmart(home, *command, *places, *options, "--json")
    if done.returncode:
        raise reader.QuestionError(done.stderr)
    return rows_of(json.loads(done.stdout))


def by_agent(tools, question, given):
    return rows_of(getattr(tools, question)(**given, details=True, limit=1000))


def rows_of(answer):
    """Return the rows of an answer in any form; an estimate is one row."""
    if isinstance(answer, reader.Table):
        return answer.records()
    if isinstance(answer, list):
        return answer
    if isinstance(answer, dict):
        return answer["rows"] if "rows" in answer else [{**answer["inputs"], **answer["figures"], **answer}]
    return [{**answer.inputs, **answer.figures, **vars(answer)}]


def plain(row, columns):
    """Return the values of a row that JSON can hold, without nulls."""
    values = {name: row.get(name) for name in columns}
    return {n: str(v) if isinstance(v, date) else v for n, v in values.items() if v not in (None, [])}


def compare_ways(accelmart, home, question, function, given):
    """Ask a question in four ways; return the number of rows, None if all refuse it."""
    tools = Tools(Access(home))
    ways = {
        "SQL": partial(by_sql, home, function, given),
        "Python": partial(by_python, home, question, given),
        "command": partial(by_command, accelmart, home, question, given),
        "agent": partial(by_agent, tools, question, given),
    }
    answers, refused = {}, {}
    for way, ask in ways.items():
        try:
            answers[way] = ask()
        except (reader.QuestionError, duckdb.InvalidInputException) as e:
            refused[way] = str(e)
    if not answers.get("SQL"):  # Python and those that ask it say why there is nothing
        assert set(refused) >= {"Python", "command", "agent"}, (question, given, answers, refused)
        return None
    assert not refused, (question, given, refused)
    expected = answers.pop("SQL")
    columns = set(expected[0]) - TEXTS_OF_PYTHON
    for row, end in (
        (row, name[: -len("_low")]) for row in expected for name in columns if name.endswith("_low")
    ):
        held = [x for x in (row[f"{end}_low"], row.get(end), row.get(f"{end}_high")) if x is not None]
        assert held == sorted(held), (question, given, end)
    for way, rows in answers.items():
        assert len(rows) == len(expected), (way, question, given)
        for row, right in zip(rows, expected, strict=True):
            seen, wanted = plain(row, columns), plain(right, columns)
            assert seen.keys() == wanted.keys(), (way, question, given)
            for name, value in wanted.items():
                same = pytest.approx(value, rel=1e-9) if isinstance(value, float | int) else value
                assert seen[name] == same, (way, question, given, name)
    return len(expected)


@pytest.mark.drills
@pytest.mark.parametrize(("question", "function"), QUESTIONS)
def test_an_answer_is_the_same_in_sql_python_command_and_tool(built_home, accelmart, question, function):
    chance, counts = random.Random(f"62 {question}"), []
    while sum(n is not None for n in counts) < DRAWS:
        assert len(counts) < 3 * DRAWS, "most are refused"
        given = drawn(QUESTIONS[question, function], chance)
        counts.append(compare_ways(accelmart, built_home, question, function, given))
