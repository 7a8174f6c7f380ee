"""Rules that hold over every public table: one meaning for one name, and no range that claims to know what it does not."""

import csv
import json
import re
from collections import defaultdict

import pytest

from accelmart.opening import open_file
from warehouse.build.published_file import INTERNAL_SCHEMAS, kept_tables
from warehouse.outputs.public_interface import FILE, HEAD, interface_of

# sellers rent out fractions of an accelerator; results and systems count whole ones
SEVERAL_TYPES = {"accelerator_count": {"bigint", "double"}}

# low and high are a smaller and a larger input, and what follows from them: no range of what is known
NO_RANGES = {"mart_tco_sensitivity"}
# at the high end of its cost owning may never break even, which months_to_break_even_note says
OPEN_ENDED = {("mart_build_vs_rent", "months_to_break_even_low")}

UNIT_OF_NAME = [
    (r"_pct(_|$)", "%"),
    (r"usd_per_(output|trained|total|input)_mtok", "USD per million tokens"),
    (r"kg_co2e_per_\w+_mtok", "kg/Mtok"),
    (r"usd_per_\w*accelerator_hour", "USD/h"),
    (r"tokens_per_s(_|$)", "tokens/s"),
    (r"j_per_\w+_token", "J/token"),
    (r"(^|_)watts_per_accelerator", "W"),
]


@pytest.fixture
def columns(warehouse):
    """Public table, column, type and unit, from the file's own comments."""
    return [
        (table, column, kind.lower(), match[1] if (match := re.match(r"\[(.+?)\] ", comment or "")) else None)
        for table, column, kind, comment in warehouse.execute(
            "select table_name, column_name, data_type, comment from duckdb_columns() "
            "where schema_name = 'main' and not internal order by table_name, column_index"
        ).fetchall()
    ]


def test_a_name_has_one_type_and_one_unit_in_all_tables(columns):
    types, units = defaultdict(set), defaultdict(set)
    for _, column, kind, unit in columns:
        types[column].add(kind)
        if not (unit or "").startswith("see "):  # stands in a column of the table
            units[column].add(unit)
    assert len(types) > 500
    assert {c: t for c, t in types.items() if len(t) > 1 and SEVERAL_TYPES.get(c) != t} == {}
    assert {c: u for c, u in units.items() if len(u) > 1} == {}


def test_a_quantity_has_one_unit_whatever_it_is_called_in_full(columns):
    for name, unit in UNIT_OF_NAME:
        numbers = [c for c in columns if re.search(name, c[1]) and c[2] in ("double", "bigint", "integer")]
        assert numbers and [c for c in numbers if c[3] != unit] == [], name


ENDS = {"low": "high", "min": "max"}


def test_a_range_holds_its_point_and_none_is_zero_wide_for_lack_of_evidence(warehouse, columns):
    """Low and high stand together, and where there is one source of evidence there is neither."""
    names = defaultdict(list)
    for table, column, kind, _ in columns:
        names[table] += [column] * (kind != "varchar" or column.endswith("basis"))
    ranges = [
        (table, column, stem + ENDS[end])
        for table, present in names.items()
        if table not in NO_RANGES
        for column in present
        for stem, end in re.findall(r"(^|.*_)(low|min)$", column)
        if stem + ENDS[end] in present
    ]
    assert len(ranges) > 60
    wrong = {}
    for table, low, high in ranges:
        basis = next((c for c in names[table] if c.endswith("uncertainty_basis")), None)
        of_one = f"and {basis} like 'one %'" if basis else ""
        points = [p for p in (low[:-4], low[:-3] + "median") if p in names[table]]
        outside = [f"{point} not between {low} and {high}" for point in points] + [f"{low} > {high}"]
        alone, zero_wide, n_outside = warehouse.execute(
            f"select count(*) filter (({low} is null) <> ({high} is null)), count(*) filter ({low} = {high} {of_one}), "
            f"count(*) filter ({' or '.join(outside)}) from {table}"
        ).fetchone()
        if (alone and (table, low) not in OPEN_ENDED) or (zero_wide and low.endswith("low")) or n_outside:
            wrong[table, low] = (alone, zero_wide, n_outside)
    assert wrong == {}


def test_the_public_interface_is_the_one_that_is_stated(built_home):
    """Whoever changes a public name renews the file, and gives it a line in the changelog."""
    with FILE.open(encoding="utf-8", newline="") as file:
        stated = [tuple(row) for row in csv.reader(file)]
    with open_file(built_home / "accelmart.duckdb") as db:
        assert stated == [HEAD, *interface_of(db)]
    # every argument has a type
    assert [row for row in stated if row[0] == "argument" and not row[3]] == []


def test_of_the_internal_tables_the_file_has_those_that_are_read(warehouse, built_home):
    (manifest,) = (built_home / "dbt").glob("*/manifest.json")
    kept = kept_tables(json.loads(manifest.read_bytes()))
    tables = warehouse.execute(
        "select schema_name, table_name from duckdb_tables() where list_contains(?, schema_name)",
        [list(INTERNAL_SCHEMAS)],
    ).fetchall()
    assert {*tables} == kept and ("staging", "stg_reference__accelerator_aliases") in kept and len(kept) <= 12
    assert (built_home / "accelmart.duckdb").stat().st_size < 31e6
