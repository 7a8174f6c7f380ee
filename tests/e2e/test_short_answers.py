"""Answers of commands in twelve lines of a hundred columns, and how commands end."""

import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from accelmart.cli.rows import spark
from accelmart.cli.texts import fill

ACCELMART = Path(sys.executable).with_name("accelmart")
# a command for each question of a buyer, and words of its first sentence
BUYER = {
    "rank --model deepseek-r1 --scenario Interactive": "Lowest: GB200 186GB at $",
    "estimate serving --model deepseek-r1 --tokens-per-s-per-user 50": "At 50 tokens/s per user, GB200",
    "estimate training --params 405B --tokens 15T --accelerator H100 --gpus 16384": "16,384 x H100 SXM 80GB train",
    "compare GB300 B300": "GB300 288GB against B300 SXM 270GB: an hour costs",
    "prices H100 --region Europe --pricing all": "First for Europe: scaleway, H100 SXM 80GB",
    "prices H100 --pricing spot": "Cheapest: together, H100 SXM 80GB spot at $1.99 an hour",
    "keep-or-sell --model llama2-70b-99 --have A100-80GB:64": "Keeping 64 x A100 SXM 80GB probably costs more",
    "alternatives TPU": "TPU v5p costs more than H100 SXM 80GB",
    "electricity --model deepseek-r1 --places Germany,Sweden": "Sweden has the lowest carbon",
    "tokens --model deepseek-r1": "Producing a million tokens of deepseek-r1 costs $",
    "tokens --model llama3.1-405b": "Producing a million tokens of llama3.1-405b costs $",
    "history H100,H200,B200": "H100 SXM 80GB, on demand: the price of an hour changed by +13 % in 12 months",
    "power-budget --model deepseek-r1 --megawatts 5": "Most tokens: 234 machines (1,872) of B300 SXM 270GB",
    "prices H100 --quoted 3.20": "3.20 US$ an hour is a low price.",
    "claims --by NVIDIA,AMD": "Claims by NVIDIA,AMD: holds",
    "accuracy": "Most cases: best result of a round",
}
OTHERS = {
    "choose --model llama3.1-405b --tokens-per-day 1e8 --budget 1000000": "Rent 8 x GB300 288GB: $",
    "rank --model deepseek-r1": "Lowest: MI355X at $",
    "rank --model deepseek-r1 --region EU": "Cheapest: B300 SXM 270GB at scaleway",
    "rank --model deepseek-r1 --carbon": "Lowest carbon: B300 SXM 270GB at aws",
    "estimate ownership --accelerator H100 --gpus 64 --months 18": "Rent by the hour probably costs less",
    "estimate serving --model deepseek-r1 --tokens-per-day 1e9": "6 x MI355X serve 1B output tokens",
    "evidence C004": "C004: GPT-3 175B FP8 MFU reached 39.5%",
}


def words_of(command):
    return command.split()


@pytest.mark.parametrize(("command", "sentence"), (BUYER | OTHERS).items())
def test_an_answer_has_a_sentence_and_at_most_twelve_lines(built_home, accelmart, command, sentence):
    done = accelmart(built_home, *words_of(command), settings={"COLUMNS": "100"}, here=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[0].startswith(sentence), done.stdout + done.stderr
    assert len(lines) <= 12 and max(map(len, lines)) <= 100
    assert "days old." in done.stdout and "nvidia-" not in done.stdout
    everything = accelmart(built_home, *words_of(command), "--explain", here=True)
    assert everything.returncode == 0 and "not verified by MLCommons" in everything.stdout


def test_all_rows_are_printed_on_demand(built_home, accelmart):
    short, every = (
        accelmart(built_home, "claims", *more, settings={"COLUMNS": "100"}, here=True).stdout.splitlines()
        for more in ([], ["--all"])
    )
    n_more = int(re.search(r"(\d+) more rows: --all", short[-1])[1])
    assert len(every) == len(short) + n_more and "more row" not in every[-1]
    listed = json.loads(accelmart(built_home, "claims", "--json", here=True).stdout)
    assert len(listed) == len(every) - 4


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("rank --model deepseek-r1", 0, ""),
        ("rank", 2, "Missing option '--model'"),
        ("rank --model deepseek-r1 --bogus", 2, "No such option: --bogus"),
        ("rank --model nope", 1, 'no model matches "nope"'),
        ("estimate serving --model deepseek-r1", 2, "--tokens-per-day is missing"),
        ("choose --model deepseek-r1 --tokens-per-day -5 --budget 9", 2, "--tokens-per-day is -5"),
        ("choose --model deepseek-r1 --tokens-per-day 1e9 --budget 9", 1, ""),
        ("claims --by Nobody", 2, "--by is 'Nobody'"),
        ("estimate training --params 8B --tokens 1T --accelerator H100 --gpus 8 -f csv", 2, "--format csv"),
        ("sql from.nothing", 1, "show tables"),
    ],
)
def test_how_commands_end(built_home, command, code, said):
    settings = {"ACCELMART_HOME": str(built_home), "NO_COLOR": "1", "PATH": os.environ["PATH"]}
    done = subprocess.run([ACCELMART, *words_of(command)], capture_output=True, text=True, env=settings)
    assert done.returncode == code and said in done.stderr and bool(said) == bool(done.stderr), done.stderr
    assert "\x1b" not in done.stdout + done.stderr and "Traceback" not in done.stderr


def test_wide_results_are_records_and_narrow_ones_a_table(built_home, accelmart):
    def ask(*words, columns="100"):
        return accelmart(
            built_home, "sql", *words, settings={"COLUMNS": columns}, here=True
        ).stdout.splitlines()

    lines = ask("from compare('B200', 'H100')")
    assert lines[0] == "row 1" and len(lines) <= 12 and max(map(len, lines)) <= 100
    assert lines[-1].endswith(", wider than 100 columns; all: --all, or --format csv)")
    n_more = int(lines[-1].split()[0].strip("(").replace(",", ""))
    every = ask("from compare('B200', 'H100')", "--all")
    assert sum(line.startswith("row ") for line in every) == n_more + sum(x.startswith("row ") for x in lines)
    assert ask("select 1 as a, 'x' as b") == ["a  b", "1  x", "(1 row)"]
    # a single row is whole
    assert ask("select 1 as a, repeat('xyz ', 20) as b", columns="40") == [
        *("row 1", "a  1", f"b  {'xyz ' * 8}xyz", f"   {'xyz ' * 8}xyz", "   xyz xyz", "(1 row)")
    ]


def test_a_bar_a_month_with_gaps_and_texts_without_unknown_values():
    assert spark([1.0, None, 8.0, 4.5]) == "▁ █▅" and spark([None]) == "" and spark([2.0, 2.0]) == "▄▄"
    values = {"usd": 1234567.0, "low": None, "standing": "about_the_same"}
    assert fill("${usd:short} {standing:verdict}", values) == "$1.23M costs about the same"
    assert fill("{usd} from {low}", values) == "" and fill(("{low}", "{usd}"), values) == "1,234,567"


def test_changes_of_a_price_are_those_of_its_index(built_home, accelmart, warehouse):
    (row,) = json.loads(accelmart(built_home, "history", "H100", "--json", here=True).stdout)
    index = dict(warehouse.execute("select month, index from price_index('H100')").fetchall())
    month = date.fromisoformat(row["month"])
    for n in (1, 3, 12):
        years, months = divmod(month.month - 1 - n, 12)
        before = date(month.year + years, months + 1, 1)
        change = 100 * (index[month] / index[before] - 1)
        assert row[f"change_{n}m_pct"] == pytest.approx(change)
        assert row[f"change_{n}m_pct_low"] < change < row[f"change_{n}m_pct_high"]
    known = list(index.values())[-24:]
    assert row["indices"] == pytest.approx(known) and len(row["months"]) == len(known)


def test_a_short_name_is_read_as_its_accelerator(warehouse):
    others = warehouse.execute(
        "select accelerator_id, short_name from dim_accelerator "
        "where (select id from resolve_name('accelerator', short_name)) is distinct from accelerator_id"
    ).fetchall()
    assert others == []
    assert ("H100 SXM 80GB",) in warehouse.execute("select short_name from dim_accelerator").fetchall()
