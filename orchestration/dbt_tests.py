"""dbt tests in words, for the checks of the Dagster UI."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import dropwhile, takewhile
from typing import Any


def words_of_test(node: Mapping[str, Any]) -> list[str]:
    """Return what a dbt test asks for, a sentence each.

    Args:
        node: of dbt's manifest. The rules of a table are spelt out, a test of its own SQL has its leading comment.

    Returns:
        At least one sentence.
    """
    rules = (node.get("test_metadata") or {}).get("kwargs", {})
    named = {
        **{column: f" where {where}" for column, where in (rules.get("never_empty_where") or {}).items()},
        **dict.fromkeys(rules.get("never_empty") or (), ""),
    }
    words = [f"One row per {', '.join(key)}." for key in rules.get("one_row_per") or ()]
    words += [f"{column} is never empty{where}." for column, where in named.items()]
    words += [
        f"{column} is one of {', '.join(map(str, values))}."
        for column, values in (rules.get("accepted_values") or {}).items()
    ]
    words += [
        f"{column} refers to {to if isinstance(to, str) else to['to']}."
        for column, to in (rules.get("refers_to") or {}).items()
    ]
    words += [f"{condition[0].upper()}{condition[1:]}." for condition in rules.get("conditions") or ()]
    if "rule" in rules:
        words.append(f"No alarm of the rule {rules['rule']}.")
    code = [line.strip() for line in node["raw_code"].splitlines() if line.strip()]
    comment = takewhile(lambda line: line.startswith("--"), dropwhile(lambda line: "config(" in line, code))
    words += [" ".join(line.removeprefix("--").strip() for line in comment)] if not words else []
    return [sentence for sentence in words if sentence] or [str(node["name"]).replace("_", " ")]
