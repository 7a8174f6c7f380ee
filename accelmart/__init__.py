"""Read the published warehouse from Python.

    import accelmart

    accelmart.sql("from best_result('deepseek-r1', 'Offline')").df()
    accelmart.rank("llama3.1-405b").records()

The file is the argument ``database``, else ``accelmart.duckdb`` in ``ACCELMART_HOME``, default ``data/``. This package
only reads: it needs DuckDB and nothing of the pipeline that builds the file.
"""

from accelmart.choosing import choose
from accelmart.errors import NotPublishedError, QueryError, QuestionError, ReaderError
from accelmart.estimate import Estimate, Price, Site, estimate_serving, estimate_training
from accelmart.published import Table, connect, sql
from accelmart.ranking import rank

__all__ = [
    "Estimate",
    "NotPublishedError",
    "Price",
    "QueryError",
    "QuestionError",
    "ReaderError",
    "Site",
    "Table",
    "choose",
    "connect",
    "estimate_serving",
    "estimate_training",
    "rank",
    "sql",
]
