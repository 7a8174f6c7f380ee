"""Alerts on unmapped names and isolated payloads of the published warehouse."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from ingest.core.errors import AccelmartError
from orchestration.notify import Alert, AlertSettings
from warehouse.home import Home
from warehouse.publish import publication
from warehouse.query import query

UNMAPPED, ISOLATED = "unmapped_name", "isolated_payload"


def data_alerts(home: Home, settings: AlertSettings) -> Iterator[Alert]:
    """Yield an alert for each unmapped name and each isolated payload of the published generation.

    The id of an alert contains the name or payload, so that each is sent once, and resolved once it is mapped or
    replaced. Yield nothing if nothing is published yet or the file is of an older version.
    """
    try:
        published = publication(home).generation
        built_at = published.built_at.astimezone(UTC)
        _, names = query(
            published.path, "select kind, words, n_rows, seed_file, seed_line from ops_unmapped order by all"
        )
        _, payloads = query(
            published.path,
            "select source, coalesce(release, payload_key), payload_sha256, problem, remedy from ops_isolated_payload "
            "order by all",
        )
    except AccelmartError:
        return
    ui = settings.ui.rstrip("/")
    for kind, words, n_rows, seed_file, seed_line in names:
        yield _alert(
            f"{UNMAPPED}:{kind}:{words}",
            UNMAPPED,
            f"unmapped {kind}: {words}",
            f"{n_rows} rows are published under unmapped:{words} and left out of comparisons",
            f"add this line to overrides/{seed_file} in the data root, then build: {seed_line}",
            f"{ui}/assets/accelmart/ops_unmapped",
            built_at,
        )
    for source, subject, sha256, problem, remedy in payloads:
        yield _alert(
            f"{ISOLATED}:{source}:{subject}:{sha256}",
            ISOLATED,
            f"isolated payload: {source} {subject}",
            f"{problem}. The last good data of this source stay published; everything else is updated",
            str(remedy),
            f"{ui}/assets/accelmart/ops_isolated_payload",
            built_at,
        )


def _alert(id_: str, kind: str, title: str, words: str, remedy: str, url: str, since: datetime) -> Alert:
    return Alert(id=id_, kind=kind, title=title, words=words, since=since, remedy=remedy, url=url)
