"""Small tables from and to Parquet: equal to what pyarrow reads and writes, without pandas."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse.parquet import load_rows, read_rows, read_times, write_rows

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("n", pa.int64()),
        ("share", pa.float64()),
        ("is_known", pa.bool_()),
        ("seen_at", pa.timestamp("us", "UTC")),
    ]
)
TIMES = st.datetimes(min_value=datetime(1960, 1, 1), max_value=datetime(2200, 1, 1)).map(
    lambda at: at.replace(tzinfo=UTC)
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.none() | st.text(st.characters(exclude_categories=["Cs"])),
            "n": st.none() | st.integers(-(2**63), 2**63 - 1),
            "share": st.none() | st.floats(allow_nan=False),
            "is_known": st.none() | st.booleans(),
            "seen_at": st.none() | TIMES,
        },
    ),
    max_size=20,
)


@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_what_is_written_is_what_pyarrow_reads(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    write_rows(path, rows, SCHEMA)
    table = pq.read_table(path)
    assert (table.schema.names, table.schema.types) == (SCHEMA.names, SCHEMA.types)
    assert list(path.parent.iterdir()) == [path]
    whole = [{name: row.get(name) for name in SCHEMA.names} for row in rows]
    assert table.to_pylist() == whole == read_rows(path)
    assert read_times(path, "seen_at") == {row["seen_at"] for row in whole}


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_of_any_unit_and_zone_are_read_in_utc(tmp_path, unit):
    at = datetime(2026, 3, 29, 2, 30, tzinfo=timezone(timedelta(hours=2)))
    path = tmp_path / "times.parquet"
    pq.write_table(pa.table({"at": pa.array([at, None], pa.timestamp(unit, "Europe/Berlin"))}), path)
    assert read_rows(path) == [{"at": at}, {"at": None}]
    assert read_rows(path)[0]["at"].tzinfo is UTC and read_times(path, "at") == {at, None}


def test_a_table_is_replaced_by_rows_or_by_none():
    with duckdb.connect() as db:
        for rows in ([("a", 1), (None, 2)], [("b", None)], []):
            load_rows(db, "known", rows, "name varchar, n bigint")
            assert db.execute("from known").fetchall() == rows


def test_pandas_is_not_imported(tmp_path):
    code = """
import sys
from datetime import UTC, datetime
from pathlib import Path
import pyarrow as pa
from warehouse.parquet import read_rows, read_times, write_rows
path = Path(sys.argv[1])
row = {"name": "a", "at": datetime(2026, 1, 1, tzinfo=UTC)}
write_rows(path, [row], pa.schema([("name", pa.string()), ("at", pa.timestamp("us", "UTC"))]))
assert read_rows(path) == [row] and read_times(path, "at") == {row["at"]}
print("pandas" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "rows.parquet")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
