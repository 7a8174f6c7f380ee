"""Ask a warehouse file statements with a client in Python: a process that needs that client alone.

Arguments: the file, and a client other than `duckdb`; on standard input a JSON list of statements. It prints a JSON list: for
each the rows, or the first line of the error.
"""

import asyncio
import json
import os
import sys
from pathlib import Path


def connection(file):
    import duckdb

    return duckdb.connect(file, read_only=True)


def with_duckdb(file):
    db = connection(file)
    return lambda statement: db.execute(statement).fetchall()


def with_pandas(file):
    db = connection(file)

    def ask(statement):
        frame = db.sql(statement).df()
        return frame.astype(object).where(frame.notna(), None).values.tolist()

    return ask


def with_polars(file):
    db = connection(file)
    return lambda statement: db.sql(statement).pl().rows()


def with_ibis(file):
    import ibis

    db = ibis.duckdb.connect(file, read_only=True)
    return lambda statement: [[*row.values()] for row in db.sql(statement).to_pyarrow().to_pylist()]


def with_sqlalchemy(file):
    from sqlalchemy import MetaData, Table, create_engine, text

    engine = create_engine(f"duckdb:///{file}", connect_args={"read_only": True})
    # as tools for dashboards do
    assert "accelerator_id" in Table("mart_tco", MetaData(), autoload_with=engine).columns
    db = engine.connect()
    return lambda statement: [tuple(row) for row in db.execute(text(statement))]


def with_mcp(file):
    from mcp import Client, StdioServerParameters

    command = Path(sys.executable).with_name("accelmart")
    environment = {**os.environ, "ACCELMART_HOME": str(Path(file).parent)}
    server = StdioServerParameters(command=str(command), args=["mcp"], env=environment)

    async def ask(statement):  # of rows without nulls
        async with Client(server) as client:
            answer = (await client.call_tool("query", {"sql": statement})).structured_content
            return [[*row.values()] for row in answer["rows"]]

    return lambda statement: asyncio.run(ask(statement))


def answer(ask, statement):
    try:
        return ask(statement)
    except Exception as e:  # noqa: BLE001  an error is an answer to compare
        return str(e).splitlines()[0]


ask = globals()[f"with_{[*sys.argv, 'duckdb'][2]}"](sys.argv[1])
json.dump([answer(ask, s) for s in json.load(sys.stdin)], sys.stdout, default=str)
