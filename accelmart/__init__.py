"""Read the published warehouse from Python.

    import accelmart

    accelmart.sql("from best_result('deepseek-r1', 'Offline')").df()
    accelmart.rank("llama3.1-405b").records()

The file is the argument ``database``, else ``accelmart.duckdb`` in ``ACCELMART_HOME``, default ``data/``. This package
only reads: it needs DuckDB and nothing of the pipeline that builds the file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelmart.choosing import choose
    from accelmart.errors import NotPublishedError, QueryError, QuestionError, ReaderError
    from accelmart.estimate import Estimate, Price, Site, estimate_serving, estimate_training
    from accelmart.published import Table, connect, sql
    from accelmart.ranking import rank, rank_by_carbon

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
    "rank_by_carbon",
    "sql",
]

_MODULES = {
    "choose": "choosing",
    **dict.fromkeys(("rank", "rank_by_carbon"), "ranking"),
    **dict.fromkeys(("Table", "connect", "sql"), "published"),
    **dict.fromkeys(("NotPublishedError", "QueryError", "QuestionError", "ReaderError"), "errors"),
    **dict.fromkeys(("Estimate", "Price", "Site", "estimate_serving", "estimate_training"), "estimate"),
}


def __getattr__(name: str) -> Any:
    """Import a name of the package when it is first used: `import accelmart` and `accelmart --help` stay quick."""
    if name not in _MODULES:
        raise AttributeError(f"module 'accelmart' has no attribute {name!r}")
    return getattr(import_module(f"accelmart.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
