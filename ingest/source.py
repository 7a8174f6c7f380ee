"""What a source is, and the registry of them: where it comes from, under what licence, how large it may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ingest.core.archive import TreeLimits
from ingest.core.cadence import ROUNDS, Cadence
from ingest.core.errors import AccelmartError, PayloadRejected, RecordRejected
from ingest.core.records import Parsed
from ingest.mlperf.published import parse_collection, parse_summary
from ingest.mlperf.raw_tree import PATTERNS as INFERENCE_TREE_PATTERNS
from ingest.mlperf.raw_tree import parse_tree
from ingest.mlperf.records import PARSER_VERSION
from ingest.mlperf.releases import inference_repository, normalise_release, training_repository
from ingest.mlperf.summary_csv import is_summary_csv, parse_summary_csv
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_collection import parse_training_collection
from ingest.mlperf.training_formats import CONFIGURATION_PATTERNS, ConfigurationReader
from ingest.mlperf.training_layout import PATTERNS as TRAINING_TREE_PATTERNS
from ingest.mlperf.training_records import TRAINING_PARSER_VERSION

MLPERF_INFERENCE = "mlperf-inference"
MLPERF_COLLECTION = "mlperf-inference-collection"
MLPERF_TRAINING = "mlperf-training"
MLPERF_TRAINING_COLLECTION = "mlperf-training-collection"
TRAINING_RUNS, TRAINING_RESULTS = "training_runs", "training_results"
TRAINING_COLLECTION = "training_collection"
SUMMARY_FILES = ("summary_results.json", "summary.json", "summary.csv")
TRAINING_FORMATS = "training_formats"


@dataclass(frozen=True)
class Source:
    """One upstream.

    Args:
        name: how it is called on the command line and in the marts.
        title: what it is, for people.
        licence: licence of what comes.
        licence_note: what must be said with figures from it.
        limit_bytes: a larger file is quarantined, or left out of its tree.
        tree_limit_bytes: a larger tree, read through for the files that are kept, is quarantined.
        patterns: which files of a tree are kept.
        has_releases: whether a payload is of one MLPerf round.
        cadence: how often something new is expected.
    """

    name: str
    title: str
    licence: str
    licence_note: str
    limit_bytes: int
    tree_limit_bytes: int
    patterns: tuple[str, ...]
    has_releases: bool
    cadence: Cadence = ROUNDS


_MLCOMMONS_NOTE = (
    "MLPerf is a trademark of MLCommons. Per-accelerator, per-dollar and per-joule figures are derived here "
    "and are not verified by MLCommons."
)
SOURCES = {
    s.name: s
    for s in (
        Source(
            name=MLPERF_INFERENCE,
            title="MLPerf Inference round: its summary file or its submission tree",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=256 << 20,
            # whole repositories are 2 GB and more; a power log or a summary is a few MB
            tree_limit_bytes=16 << 30,
            patterns=INFERENCE_TREE_PATTERNS,
            has_releases=True,
        ),
        Source(
            name=MLPERF_COLLECTION,
            title="MLCommons' own collection of MLPerf Inference entries, v2.0 to v4.1",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=64 << 20,
            tree_limit_bytes=2 << 30,
            patterns=("experiment/mlperf-inference--*/**/cm-result.json",),
            has_releases=False,
        ),
        Source(
            name=MLPERF_TRAINING,
            title="MLPerf Training round: its systems and logs",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=256 << 20,
            tree_limit_bytes=16 << 30,
            patterns=(*TRAINING_TREE_PATTERNS, *CONFIGURATION_PATTERNS),
            has_releases=True,
        ),
        Source(
            name=MLPERF_TRAINING_COLLECTION,
            title="MLCommons' own collection of MLPerf Training results, 1.0 to 3.0",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=64 << 20,
            tree_limit_bytes=2 << 30,
            patterns=("experiment/mlperf-training--*/**/cm-result.json",),
            has_releases=False,
        ),
    )
}


def source_named(name: str) -> Source:
    """The registered source.

    Raises:
        AccelmartError: no such source; the message lists those there are.
    """
    if name not in SOURCES:
        raise AccelmartError(f"there is no source {name!r}. Sources: {', '.join(SOURCES)}")
    return SOURCES[name]


def upstream_url(source: Source, release: str | None) -> str:
    """Where the source lives when nothing else is said."""
    if source.name in (MLPERF_COLLECTION, MLPERF_TRAINING_COLLECTION):
        return "https://github.com/mlcommons/cm4mlperf-results.git"
    repository = training_repository if source.name == MLPERF_TRAINING else inference_repository
    return f"{repository(normalise_release(release or ''))}.git"


def tree_limits(source: Source) -> TreeLimits:
    """How much of a tree of this source is believed."""
    return TreeLimits(max_member_bytes=source.limit_bytes, max_total_bytes=source.tree_limit_bytes)


def parser_version(source: Source) -> int:
    """Version of the parser that reads this source."""
    is_training = source.name in (MLPERF_TRAINING, MLPERF_TRAINING_COLLECTION)
    return TRAINING_PARSER_VERSION if is_training else PARSER_VERSION


@dataclass(frozen=True)
class Part:
    """What one payload says of one round, in one dialect. Each dialect has one kind of record."""

    release: str
    dialect: str
    parsed: Parsed[Any]


def parse_payload(source: Source, *, release: str | None, members: Iterable[tuple[str, bytes]]) -> list[Part]:
    """Every part of a payload: pure, no network, no clock.

    Args:
        source: the registered source.
        release: the round it was fetched as, for sources that have rounds.
        members: (path, bytes); a lone summary is one member of its upstream name.
    """
    if source.name == MLPERF_COLLECTION:
        return [Part(of, "collection", parsed) for of, parsed in sorted(parse_collection(members).items())]
    if source.name == MLPERF_TRAINING_COLLECTION:
        rounds = parse_training_collection(members)
        return [Part(of, TRAINING_COLLECTION, parsed) for of, parsed in sorted(rounds.items())]
    of = normalise_release(release or "")
    if source.name == MLPERF_TRAINING:
        configurations = ConfigurationReader(of)
        tree = parse_training_tree(configurations.without_configurations(members), release=of)
        parts = [
            Part(of, TRAINING_RUNS, tree.runs),
            Part(of, TRAINING_RESULTS, tree.results),
        ]
        formats = configurations.parsed()
        # a tree without the code takes nothing from the formats that are shipped
        return [*parts, Part(of, TRAINING_FORMATS, formats)] if formats.records_in else parts
    by_path = dict(members)
    parts = [_summary_part(of, name, by_path.pop(name)) for name in SUMMARY_FILES if name in by_path]
    if by_path:
        parts.append(Part(of, "raw_tree", parse_tree(by_path.items(), release=of)))
    return parts


def summary_name(payload: bytes) -> str:
    """Upstream's name of a lone summary, by its content: a table, an object or a list."""
    if is_summary_csv(payload):
        return "summary.csv"
    is_object = payload.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
    return "summary.json" if is_object else "summary_results.json"


def _summary_part(release: str, name: str, payload: bytes) -> Part:
    """A round's summary; one that cannot be read is one reject, and the tree beside it still counts."""
    is_object = payload.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    dialect = "summary_csv" if name.endswith(".csv") else "summary_dict" if is_object else "summary_list"
    try:
        if name.endswith(".csv"):
            of, parsed = parse_summary_csv(payload, where=name, release=release)
            dialect = of.name
        else:
            parsed = parse_summary(payload, where=name, release=release)
    except PayloadRejected as e:
        whole = RecordRejected(payload=name, record="(whole file)", problem=e.problem, remedy=e.remedy)
        parsed = Parsed(rejects=[whole], records_in=1)
    return Part(release, dialect, parsed)
