"""Cells of exported CSV files: text that a spreadsheet would run gets an apostrophe, everything else stays as it is."""

import csv
import json

import duckdb
import pandas as pd

from accelmart.cli.output import FORMULA_STARTS
from warehouse.outputs.export import ExportForm, export

PLAIN = ["H100", "8-way", "a=b", "ü+", "'quoted", "", 'said "x", then\ny']


def test_no_cell_is_a_formula_and_numbers_stay_numbers(tmp_path):
    texts = [f"{start}cmd|' /C calc'!A0" for start in FORMULA_STARTS] + PLAIN
    hidden = {"\0\u200b=1+1": "'=1+1", "\u3000\x1b@a": "'\u3000@a", "H\u00ad100\x7f\u2028 ½": "H100 ½"}
    with duckdb.connect(str(tmp_path / "a.duckdb")) as db:
        db.execute(
            "create table ops_generation as select '20260101T000000-000001' as generation_id, now() as built_at, 'f' as input_fingerprint"
        )
        names = ("source", "payload_key", "payload_url", "licence", "payload_sha256")
        db.execute(f"create table ops_reconciliation ({', '.join(f'{name} varchar' for name in names)})")
        db.execute(
            "create table part (name varchar not null, price double, names varchar[], n integer not null, maker varchar not null)"
        )
        db.executemany(
            "insert into part values (?, -1.5, ['=a', 'b'], -3, 'amd')",
            [[text] for text in (*texts, *hidden)],
        )
        db.execute("update part set names = ['=a\u200b', 'b\x7f']")
    path = export(tmp_path / "a.duckdb", tmp_path / "out", ExportForm.csv).folder / "part.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [
        *(f"'{text}" if text.startswith(FORMULA_STARTS) else text for text in texts),
        *hidden.values(),
    ]
    assert {row["names"] for row in rows} == {'["=a","b"]'}
    # a name is empty, which validators take for missing; a number that must be there says so whatever it is
    package = json.loads((path.parent / "datapackage.json").read_text(encoding="utf-8"))
    (fields,) = (r["schema"]["fields"] for r in package["resources"] if r["name"] == "part")
    assert [f["name"] for f in fields if f.get("constraints") == {"required": True}] == ["n", "maker"]
    read = pd.read_csv(path)
    assert (read["price"].dtype, read["n"].dtype) == ("float64", "int64")
