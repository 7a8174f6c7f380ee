"""Cells of exported CSV files: text that a spreadsheet would run gets an apostrophe, everything else stays as it is."""

import csv

import duckdb
import openpyxl
import pandas as pd
import pytest

from accelmart.cli.output import FORMULA_STARTS
from warehouse.export import ExportForm, _fields, _write_one

PLAIN = ["H100", "8-way", "a=b", "ü+", "'quoted", "", 'said "x", then\ny']


@pytest.fixture
def written(tmp_path):
    """The rows of a CSV file of one table, as a CSV parser reads them."""
    texts = [f"{start}cmd|' /C calc'!A0" for start in FORMULA_STARTS] + PLAIN
    with duckdb.connect() as db:
        db.execute("create table part (name varchar not null, price double, names varchar[], n integer)")
        db.executemany("insert into part values (?, -1.5, ['=a', 'b'], -3)", [[text] for text in texts])
        resource = _write_one(db, tmp_path, ExportForm.csv, "part", "Parts", _fields(db)["part"])
    path = tmp_path / resource["path"]
    with path.open(newline="", encoding="utf-8") as file:
        return texts, list(csv.DictReader(file)), path


def test_no_text_cell_begins_like_a_formula(written):
    texts, rows, _ = written
    assert [row["name"] for row in rows] == [
        f"'{text}" if text.startswith(FORMULA_STARTS) else text for text in texts
    ]
    assert not any(row["name"].startswith(FORMULA_STARTS) for row in rows)
    assert {row["names"] for row in rows} == {'["=a","b"]'}


def formulas(rows):
    """The cells that a spreadsheet takes for formulas, of rows of texts."""
    sheet = openpyxl.Workbook().active
    for row in rows:
        sheet.append(row)
    return [cell.value for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]


def test_a_spreadsheet_finds_no_formula(written):
    texts, rows, _ = written
    assert formulas([[text] for text in texts]) == ["=cmd|' /C calc'!A0"]
    assert formulas([list(row.values()) for row in rows]) == []


def test_numbers_stay_numbers(written):
    texts, _, path = written
    read = pd.read_csv(path)
    assert (read["price"].dtype, read["n"].dtype) == ("float64", "int64")
    assert read["price"].tolist() == [-1.5] * len(texts) and read["n"].tolist() == [-3] * len(texts)
