"""What is printed: nothing that controls a terminal or runs in a spreadsheet, and any number of rows in bounded memory."""

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
import unicodedata
from itertools import islice
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_place import FIRST, write_warehouse

from accelmart.cli.output import Format, complain, print_rows, say, say_wrapped, visible
from accelmart.published import Table, distinct

HOSTILE = "\x1b[31mH100\x1b]0;t\x07 \x9b1m \u202egnorw\r\nforged line\0"
CONTROLS = ("\x1b", "\x07", "\x9b", "\u202e", "\r", "\0")
FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]


def test_no_table_prints_what_controls_a_terminal(capsys):
    print_rows(Table(["name", HOSTILE], [(HOSTILE, 1.5)]), Format.table)
    out = capsys.readouterr().out
    assert [c for c in CONTROLS if c in out] == []
    assert "\nforged line" not in out and "forged line" in out


# no NUL that ends a text early, no carriage return that ends a line to some, nothing that nobody sees
TEXTS = st.text(st.characters(codec="utf-8")) | st.lists(
    st.sampled_from([*HOSTILE, *FORMULAS, "\u00ad", "\u200b", "\x7f", "\u2028", " ", "\uff1d"])
).map("".join)


@settings(deadline=None)
@given(TEXTS, TEXTS)
@pytest.mark.parametrize("form", list(Format))
def test_no_form_prints_a_control_character_and_csv_no_formula(form, name, value):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        print_rows(Table([name, "n"], [(value, 1)]), form)
    printed = out.getvalue()
    allowed = "\n\t" if form is Format.csv else "\n"
    assert [
        c for c in printed if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in allowed
    ] == []
    if form is Format.csv:
        cells = [cell for row in csv.reader(io.StringIO(printed, newline="")) for cell in row]
        assert [c for c in cells if c.lstrip()[:1] in (*"=+-@", "\uff1d") and c.strip()] == []
        assert len(cells) == 4


@pytest.mark.parametrize("is_terminal", [True, False])
def test_csv_is_without_what_nobody_sees_and_with_all_that_people_write(capsys, monkeypatch, is_terminal):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal, raising=False)
    written = {
        HOSTILE: "[31mH100]0;t 1m gnorw\nforged line",
        "\0=1+1": "'=1+1",
        "\u200b\x1b =1+1": "' =1+1",
        "H\u00ad100\u200b": "H100",
        "Zürich – ½\u00a03\u30003": "Zürich – ½\u00a03\u30003",
        "two\r\nlines\tthree": "two\nlines\tthree",
    }
    print_rows(Table(["\0=name"], [(text,) for text in written]), Format.csv)
    (heading,), *rows = csv.reader(io.StringIO(capsys.readouterr().out, newline=""))
    assert (heading, [cell for (cell,) in rows]) == ("'=name", list(written.values()))


def test_empty_lines_stay_before_and_behind_a_line(capsys):
    for text in ("\na\n", "Licence\n", "\n", ""):
        say(text)
    assert capsys.readouterr().out == "\na\n\nLicence\n\n\n\n\n"


def test_lines_cannot_be_forged_and_what_people_write_stays(capsys):
    assert visible("Zürich – ½ ×, 深圳, US$\u00a03") == "Zürich – ½ ×, 深圳, US$\u00a03"
    say(f"quarantined: {HOSTILE}")
    say_wrapped(f"a sentence on {HOSTILE}")
    say("\nafter an empty line")
    complain(f"failed: {HOSTILE}\nsecond line")
    done = capsys.readouterr()
    assert len(done.out.splitlines()) == 4 and [c for c in CONTROLS if c in done.out + done.err] == []
    assert done.out.splitlines()[2:] == ["", "after an empty line"] and "\nsecond line" in done.err


def test_an_answer_prints_as_a_table_and_renders_in_a_notebook():
    table = Table(["name", "usd"], [(f"<b>{HOSTILE}", 1.23456789), ("B200", None)], ("a note",))
    printed = str(table).splitlines()
    assert printed[0].split() == ["name", "usd"] and printed[1].endswith("1.235") and printed[2] == "B200"
    assert printed[3:] == ["(2 rows)", "a note"]
    html = table._repr_html_()
    assert "<td>&lt;b&gt;" in html and "<td>1.235</td></tr><tr><td>B200</td><td></td>" in html
    for shown in (str(table), html):
        assert [c for c in CONTROLS if c in shown] == []
    many = Table(["n"], [(i,) for i in range(60)])
    assert str(many).endswith("(the first 50 of 60 rows)") and many._repr_html_().count("<tr>") == 51


@pytest.mark.parametrize("form", [Format.json, Format.jsonl])
def test_json_means_the_same_and_controls_no_terminal(form, capsys):
    print_rows(Table(["name", "n"], [(HOSTILE, 1), ("ü", None)]), form)
    out = capsys.readouterr().out
    assert [c for c in CONTROLS if c in out] == []
    read = json.loads(out) if form is Format.json else [json.loads(line) for line in out.splitlines()]
    assert read == [{"name": HOSTILE, "n": 1}, {"name": "ü", "n": None}]


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        (["a", "b", "a", "a"], ["a", "b", "a_2", "a_3"]),
        (["a_2", "a", "a", "a_2"], ["a_2", "a", "a_3", "a_2_2"]),
    ],
)
def test_no_column_of_json_hides_another_of_its_name(columns, keys, capsys):
    row = tuple(range(len(columns)))
    table = Table(columns, [row])
    expected = dict(zip(keys, row, strict=True))
    assert distinct(columns) == keys and table.records() == [expected]
    for form in (Format.json, Format.jsonl):
        print_rows(table, form)
        read = json.loads(capsys.readouterr().out)
        assert (read[0] if form is Format.json else read) == expected
    print_rows(table, Format.csv)
    assert capsys.readouterr().out.splitlines()[0] == ",".join(columns)


def test_text_cells_that_are_formulas_get_an_apostrophe_and_numbers_stay_numbers(capsys):
    rows = [(text, -1.5) for text in FORMULAS] + [("H100", 3.0)]
    print_rows(Table(["name", "price"], rows), Format.csv)
    _, *read = csv.reader(io.StringIO(capsys.readouterr().out, newline=""))
    names = [*(f"'{text}".replace("\r", "\n") for text in FORMULAS), "H100"]
    assert [name for name, _ in read] == names
    assert [float(price) for _, price in read] == [price for _, price in rows]


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_reader_that_has_seen_enough_ends_the_command_quietly(tmp_path, form):
    """As of any tool in a pipe: 128 and SIGPIPE, nothing on standard error."""
    write_warehouse(tmp_path / "accelmart.duckdb", FIRST)
    words = [
        sys.executable,
        "-m",
        "accelmart",
        "sql",
        "select i, repeat('x', 99) from range(9000) as t(i)",
        "-f",
        form,
    ]
    with subprocess.Popen(
        words,
        env={**os.environ, "ACCELMART_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asked:
        assert asked.stdout.readline()
        asked.stdout.close()
        assert (asked.wait(60), asked.stderr.read()) == (141, b"")


@pytest.mark.parametrize(("no_color", "is_red"), [("", True), ("1", False)])
def test_errors_are_red_unless_colours_are_not_wanted(monkeypatch, capsys, no_color, is_red):
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    complain("accelmart: it fails")
    printed = capsys.readouterr().err
    assert ("\x1b[31m" in printed) == is_red and "accelmart: it fails" in printed


@pytest.mark.parametrize("form", ["table", "csv", "json", "jsonl"])
def test_tens_of_millions_of_rows_take_no_memory(tmp_path, form):
    """A hundred thousand lines come out of a process that may take 300 MB."""
    duckdb.connect(str(tmp_path / "accelmart.duckdb")).close()
    code = (
        "import resource, sys\nfrom accelmart.cli import app\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))\n"
        "app(sys.argv[1:])"
    )
    asked = "select i, 'row ' || i as name from range(50_000_000) as t(i)"
    with subprocess.Popen(
        [sys.executable, "-c", code, "sql", asked, "--format", form],
        env={"ACCELMART_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "OPENBLAS_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
    ) as process:
        lines = sum(1 for _ in islice(process.stdout, 100_000))
        process.kill()
    assert lines == (10_000 + 2 if form == "table" else 100_000)
