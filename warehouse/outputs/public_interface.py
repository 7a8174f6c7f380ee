"""Names that people write SQL against: columns of public tables and arguments of functions, of a published file.

``python -m warehouse.outputs.public_interface FILE`` writes those of a file to ``dbt_project/public_interface.csv``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import duckdb

from accelmart.opening import open_file
from warehouse.storage.database import public_columns
from warehouse.storage.files import read_yaml
from warehouse.storage.home import DBT_PROJECT_DIR

FILE = DBT_PROJECT_DIR / "public_interface.csv"
HEAD = ("kind", "of", "name", "type")
_FUNCTIONS = """
    select distinct function_name, function_type, unnest(parameters) as argument
    from duckdb_functions() where not internal and schema_name = 'main'
    union all
    select distinct function_name, function_type, null from duckdb_functions()
    where not internal and schema_name = 'main' and len(parameters) = 0
"""


def interface_of(db: duckdb.DuckDBPyConnection) -> list[tuple[str, ...]]:
    """Return columns and arguments, sorted: kind, table or function, name, type and, of an argument, its default."""
    types = {
        (function["name"], argument["name"]): " := ".join(
            str(argument[key]) for key in ("data_type", "default_value") if key in argument
        )
        for path in (DBT_PROJECT_DIR / "functions").rglob("*.yml")
        for function in read_yaml(path)["functions"]
        for argument in function.get("arguments", [])
    }
    columns = [("column", c.table, c.name, c.data_type) for c in public_columns(db)]
    with db.cursor() as elsewhere:
        functions = elsewhere.execute(_FUNCTIONS).fetchall()
    arguments = [
        ("argument" if argument else kind, name, argument or "", types.get((name, argument), ""))
        for name, kind, argument in functions
    ]
    return sorted([*columns, *arguments])


def write(database: Path) -> None:
    """Write the names of a warehouse file into `FILE`."""
    with open_file(database) as db, FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *interface_of(db)])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
