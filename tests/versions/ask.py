"""Ask a warehouse file statements with any version of DuckDB: a process that needs `duckdb` alone.

Argument: the file; on standard input a JSON list of statements. It prints a JSON list: for each the rows, or the first line
of the error.
"""

import json
import sys

import duckdb


def answer(db, statement):
    try:
        return db.execute(statement).fetchall()
    except Exception as e:  # noqa: BLE001  an error is an answer to compare
        return str(e).splitlines()[0]


with duckdb.connect(sys.argv[1], read_only=True) as connection:
    json.dump([answer(connection, s) for s in json.load(sys.stdin)], sys.stdout, default=str)
