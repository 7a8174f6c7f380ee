"""Query the published file again and again until stopped: a process that needs duckdb alone, of any version.

Arguments: the published file, a file that ends it when it appears, a file for the answer, the rows of a generation.
The answer: version, number of queries, answers with a mixture of generations, errors, and the first error.
"""

import sys
import time
from pathlib import Path

import duckdb

published, stop, answer, rows = sys.argv[1:]
queries, mixed, errors = 0, 0, []
while not Path(stop).exists():
    try:
        with duckdb.connect(published, read_only=True) as db:
            ((distinct, found),) = db.execute(
                "select count(distinct generation_id), count(*) from "
                "(select generation_id from facts union all select generation_id from ops_generation)"
            ).fetchall()
        queries += 1
        mixed += distinct != 1 or found != int(rows) + 1
        time.sleep(0.02)
    except Exception as e:  # noqa: BLE001  every error of a reader counts
        errors.append(str(e))
Path(answer).write_text(f"{duckdb.__version__} {queries} {mixed} {len(errors)} {errors[:1]}")
