"""The one rule for text from upstream and from users: no control characters, and none that nobody sees.

They serve no reader: they forge lines and colours in a terminal, turn or hide parts of a name, end strings early, and
make two names of one. Tabs and line feeds stay, because sources write them (names of instance types of several lines).
"""

from __future__ import annotations

import dataclasses
import unicodedata
from typing import Any

from ingest.core.errors import RecordRejected
from ingest.core.records import Parsed

# Unicode's categories: control characters; formats (zero-width space, soft hyphen, marks of direction); separators of
# lines and paragraphs; halves of surrogate pairs, which JSON can state and no encoding can
_REMOVED = {"Cc", "Cf", "Zl", "Zp", "Cs"}
_REMEDY = "nothing: the characters are left out; if the name is not recognised any more, map it as it is now"


def clean_text(text: str, *, keep: str = "\t\n") -> str:
    """Return the text without control characters and characters without width.

    Args:
        text: from upstream or from the user.
        keep: control characters that stay; none in a name of a file.
    """
    if text.isprintable():
        return text
    return "".join(c for c in text if c in keep or unicodedata.category(c) not in _REMOVED)


def clean_records(parsed: Parsed[Any]) -> Parsed[Any]:
    """Clean every text of the rows, rejects and warnings of an account, in place.

    Cleaned rows are counted in a warning. A cleaned row that becomes the same offer as another row is counted as its
    duplicate: a name must not be forged with characters that nobody sees.

    Args:
        parsed: an account; its rows are dataclasses.

    Returns:
        The same account, as balanced as before.
    """
    changed = [(i, change) for i, row in enumerate(parsed.rows) if (change := _changes(row))]
    parsed.rejects = [_clean_reject(r) for r in parsed.rejects]
    parsed.warnings = [_clean_reject(r) for r in parsed.warnings]
    if not changed:
        return parsed
    cleaned = {i: dataclasses.replace(parsed.rows[i], **change) for i, change in changed}
    known = {_identity(row) for i, row in enumerate(parsed.rows) if i not in cleaned}
    rows = []
    for i, row in enumerate(parsed.rows):
        new = cleaned.get(i, row)
        if i in cleaned and (identity := _identity(new)) is not None:
            if identity in known:
                parsed.duplicates += 1
                continue
            known.add(identity)
        rows.append(new)
    first, change = changed[0]
    parsed.rows = rows
    parsed.warn(
        clean_text(str(getattr(cleaned[first], "record", "") or f"row {first + 1}")),
        f"control characters and invisible ones are left out of {len(changed)} rows; here of {', '.join(change)}",
        payload=parsed.payload or clean_text(str(getattr(cleaned[first], "member", ""))) or "payload",
        remedy=_REMEDY,
    )
    return parsed


def _changes(row: Any) -> dict[str, str]:
    """Return the fields of a row that have to be cleaned, with their new text."""
    odd = {name: v for name, v in vars(row).items() if isinstance(v, str) and not v.isprintable()}
    if not odd:  # nearly always
        return {}
    given = {field.name for field in dataclasses.fields(row) if field.init}
    cleaned = {name: clean_text(text) for name, text in odd.items() if name in given}
    return {name: text for name, text in cleaned.items() if text != odd[name]}


def _identity(row: Any) -> Any:
    """Return what a price is observed for and when; None for other rows."""
    offer_id = getattr(row, "offer_id", None)
    return None if offer_id is None else (offer_id, row.observed_at)


def _clean_reject(named: RecordRejected) -> RecordRejected:
    if str(named).isprintable():
        return named
    return RecordRejected(
        payload=clean_text(named.payload),
        record=clean_text(named.record),
        problem=clean_text(named.problem),
        remedy=clean_text(named.remedy),
    )
