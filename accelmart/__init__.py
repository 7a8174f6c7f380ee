"""Read the published warehouse from Python.

    import accelmart

    with accelmart.connect() as warehouse:  # a file, a folder, or the URL of a published warehouse
        warehouse.sql("from best_result('deepseek-r1', 'Offline')").df()
        warehouse.rank("llama3.1-405b").records()

Every question is also a function of this package with the argument ``database``: `rank`, `choose`, `compare`,
`alternatives`, `prices`, `history`, `keep_or_sell`, `power_budget`, `tokens`, `electricity`, `estimate_training`,
`estimate_serving`, `estimate_ownership`, `claims`, `accuracy`, `evidence`, `sql`. Without it, the file is
``accelmart.duckdb`` in ``ACCELMART_HOME``, default ``data/``. This package only reads: it needs DuckDB and nothing of
the pipeline that builds the file.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from accelmart.changes import Changes, find_changes
    from accelmart.choosing import choose
    from accelmart.citing import Evidence, accuracy, claims, evidence
    from accelmart.comparing import alternatives, compare
    from accelmart.connection import Warehouse, connect
    from accelmart.errors import NotPublishedError, PullError, QueryError, QuestionError, ReaderError
    from accelmart.estimate import Estimate, estimate_ownership, estimate_serving, estimate_training
    from accelmart.owning import keep_or_sell, power_budget
    from accelmart.pricing import history, prices
    from accelmart.producing import electricity, tokens
    from accelmart.published import Table, sql
    from accelmart.ranking import headlines, rank
    from accelmart.remote import Pulled, pull

_HOMES = {
    "changes": ("Changes", "find_changes"),
    "choosing": ("choose",),
    "citing": ("Evidence", "accuracy", "claims", "evidence"),
    "comparing": ("alternatives", "compare"),
    "connection": ("Warehouse", "connect"),
    "errors": ("NotPublishedError", "PullError", "QueryError", "QuestionError", "ReaderError"),
    "estimate": ("Estimate", "estimate_ownership", "estimate_serving", "estimate_training"),
    "owning": ("keep_or_sell", "power_budget"),
    "pricing": ("history", "prices"),
    "producing": ("electricity", "tokens"),
    "published": ("Table", "sql"),
    "ranking": ("headlines", "rank"),
    "remote": ("Pulled", "pull"),
}
_MODULES = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Changes",
    "Estimate",
    "Evidence",
    "NotPublishedError",
    "PullError",
    "Pulled",
    "QueryError",
    "QuestionError",
    "ReaderError",
    "Table",
    "Warehouse",
    "accuracy",
    "alternatives",
    "choose",
    "claims",
    "compare",
    "connect",
    "electricity",
    "estimate_ownership",
    "estimate_serving",
    "estimate_training",
    "evidence",
    "find_changes",
    "headlines",
    "history",
    "keep_or_sell",
    "power_budget",
    "prices",
    "pull",
    "rank",
    "sql",
    "tokens",
]


def __getattr__(name: str) -> Any:
    """Import a name of the package when it is first used: `import accelmart` and `accelmart --help` stay quick."""
    if name not in _MODULES:
        raise AttributeError(f"module 'accelmart' has no attribute {name!r}")
    return getattr(import_module(f"accelmart.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
