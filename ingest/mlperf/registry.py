"""The MLPerf sources: where each is published, which files are kept, and how a payload is split into parts."""

from __future__ import annotations

import io
from collections.abc import Iterator

from ingest.core.cadence import ROUNDS
from ingest.core.errors import AccelmartError, PayloadRejected
from ingest.core.fetch_plan import Members
from ingest.core.records import Parsed
from ingest.core.source import Part, Source
from ingest.mlperf import described_systems
from ingest.mlperf.published import parse_collection, parse_summary
from ingest.mlperf.raw_tree import PATTERNS as INFERENCE_TREE_PATTERNS
from ingest.mlperf.raw_tree import parse_tree
from ingest.mlperf.read_singly import FILE_NAME as READ_SINGLY_FILE
from ingest.mlperf.read_singly import READ_SINGLY, is_read_singly, parse_read_singly
from ingest.mlperf.records import PARSER_VERSION, InferenceResult
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
SUMMARY_FILES = ("summary_results.json", "summary.json", "summary.csv", READ_SINGLY_FILE)
TRAINING_FORMATS = "training_formats"


_COLLECTIONS_URL = "https://github.com/mlcommons/cm4mlperf-results.git"
_MLCOMMONS_NOTE = (
    "MLPerf is a trademark of MLCommons. Per-accelerator, per-dollar and per-joule figures are derived here "
    "and are not verified by MLCommons."
)


def summary_name(payload: bytes) -> str:
    """Return the name of a lone summary, by its content: a table, an object or a list."""
    if is_read_singly(payload):
        return READ_SINGLY_FILE
    if is_summary_csv(payload):
        return "summary.csv"
    is_object = payload.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
    return "summary.json" if is_object else "summary_results.json"


def _read_summary(release: str, name: str, payload: bytes) -> Part:
    """A round's summary; raises `PayloadRejected` if it cannot be read or has no result."""
    if name == READ_SINGLY_FILE:
        dialect, parsed = READ_SINGLY.name, parse_read_singly(payload, where=name, release=release)
    elif name.endswith(".csv"):
        of, parsed = parse_summary_csv(payload, where=name, release=release)
        dialect = of.name
    else:
        dialect, parsed = _dialect_of(payload), parse_summary(payload, where=name, release=release)
    if not parsed.records_in:
        raise PayloadRejected(
            payload=name,
            problem="is a summary without a single result",
            remedy="fetch it again, or give the round's tree",
        )
    return Part(release, dialect, parsed)


def _summary_in_tree(release: str, name: str, payload: bytes) -> Part:
    """A round's summary; one that cannot be read is one reject, and the tree beside it still counts."""
    try:
        return _read_summary(release, name, payload)
    except PayloadRejected as e:
        parsed = Parsed[InferenceResult](payload=name, remedy=e.remedy)
        parsed.read()
        parsed.reject("(whole file)", e.problem)
        return Part(release, "summary_csv" if name.endswith(".csv") else _dialect_of(payload), parsed)


def _dialect_of(summary: bytes) -> str:
    is_object = summary.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    return "summary_dict" if is_object else "summary_list"


def _contents(members: Members) -> Iterator[tuple[str, bytes]]:
    return ((name, file.read()) for name, file in members)


def _files_of_tree(members: Members) -> Iterator[tuple[str, bytes]]:
    for name, content in _contents(members):
        if not name:
            raise PayloadRejected(
                payload="tree",
                problem="it is a single file",
                remedy="give the repository, a folder or a tarball of it",
            )
        yield name, content


def _systems_part(repository: str, files: dict[str, bytes]) -> Part:
    """Submitters' descriptions of their systems, keyed by repository: both suites have a round v5.1."""
    key = repository.rpartition("/")[2]
    members = ((path, io.BytesIO(content)) for path, content in files.items())
    systems = described_systems.SOURCE
    return Part("", systems.dialect, described_systems.parse(members, key=key), systems.name, key)


def _parse_inference(members: Members, *, key: str) -> list[Part]:
    """A round's summary (a single file is one), its submission tree, and the systems described in the tree."""
    release = normalise_release(key)
    by_path = dict(_contents(members))
    if "" in by_path:
        return [_read_summary(release, summary_name(by_path[""]), by_path[""])]
    systems = {path: content for path, content in by_path.items() if described_systems.is_system(path)}
    parts = [_summary_in_tree(release, name, by_path.pop(name)) for name in SUMMARY_FILES if name in by_path]
    if by_path:
        parts.append(Part(release, "raw_tree", parse_tree(by_path.items(), release=release)))
        parts.append(_systems_part(inference_repository(release), systems))
    return parts


def _parse_inference_collection(members: Members, *, key: str) -> list[Part]:
    rounds = parse_collection(_files_of_tree(members))
    return [Part(of, "collection", parsed) for of, parsed in sorted(rounds.items())]


def _parse_training(members: Members, *, key: str) -> list[Part]:
    """A round's logs and scores, its configurations, and the systems described in the tree."""
    release = normalise_release(key)
    configurations = ConfigurationReader(release)
    systems: dict[str, bytes] = {}
    contents = _with_systems_kept(_files_of_tree(members), systems)
    tree = parse_training_tree(configurations.without_configurations(contents), release=release)
    parts = [
        Part(release, TRAINING_RUNS, tree.runs),
        Part(release, TRAINING_RESULTS, tree.results),
        _systems_part(training_repository(release), systems),
    ]
    formats = configurations.parsed()
    # a tree without the code does not replace the number formats that are shipped
    return [*parts, Part(release, TRAINING_FORMATS, formats)] if formats.records_in else parts


def _with_systems_kept(
    contents: Iterator[tuple[str, bytes]], systems: dict[str, bytes]
) -> Iterator[tuple[str, bytes]]:
    for path, content in contents:
        if described_systems.is_system(path):
            systems[path] = content
        yield path, content


def _parse_training_collection(members: Members, *, key: str) -> list[Part]:
    rounds = parse_training_collection(_files_of_tree(members))
    return [Part(of, TRAINING_COLLECTION, parsed) for of, parsed in sorted(rounds.items())]


MLPERF_SOURCES = {
    s.name: s
    for s in (
        Source(
            name=MLPERF_INFERENCE,
            title="MLPerf Inference round: its summary file or its submission tree",
            home_url="https://github.com/mlcommons",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=256 << 20,
            # whole repositories are 2 GB and more; a power log or a summary is a few MB
            tree_limit_bytes=16 << 30,
            patterns=INFERENCE_TREE_PATTERNS,
            has_releases=True,
            also_gives=(described_systems.SOURCE.name,),
            repository=lambda key: f"{inference_repository(normalise_release(key))}.git",
            parse=_parse_inference,
            parser_version=PARSER_VERSION,
            cadence=ROUNDS,
        ),
        Source(
            name=MLPERF_COLLECTION,
            title="MLCommons' own collection of MLPerf Inference entries, v2.0 to v4.1",
            home_url="https://github.com/mlcommons",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=64 << 20,
            tree_limit_bytes=2 << 30,
            patterns=("experiment/mlperf-inference--*/**/cm-result.json",),
            repository=lambda key: _COLLECTIONS_URL,
            parse=_parse_inference_collection,
            parser_version=PARSER_VERSION,
            cadence=ROUNDS,
        ),
        Source(
            name=MLPERF_TRAINING,
            title="MLPerf Training round: its systems and logs",
            home_url="https://github.com/mlcommons",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=256 << 20,
            tree_limit_bytes=16 << 30,
            patterns=(*TRAINING_TREE_PATTERNS, *CONFIGURATION_PATTERNS),
            has_releases=True,
            also_gives=(described_systems.SOURCE.name,),
            repository=lambda key: f"{training_repository(normalise_release(key))}.git",
            parse=_parse_training,
            parser_version=TRAINING_PARSER_VERSION,
            cadence=ROUNDS,
        ),
        Source(
            name=MLPERF_TRAINING_COLLECTION,
            title="MLCommons' own collection of MLPerf Training results, 1.0 to 3.0",
            home_url="https://github.com/mlcommons",
            licence="Apache-2.0",
            licence_note=_MLCOMMONS_NOTE,
            limit_bytes=64 << 20,
            tree_limit_bytes=2 << 30,
            patterns=("experiment/mlperf-training--*/**/cm-result.json",),
            repository=lambda key: _COLLECTIONS_URL,
            parse=_parse_training_collection,
            parser_version=TRAINING_PARSER_VERSION,
            cadence=ROUNDS,
        ),
    )
}


def source_named(name: str) -> Source:
    """Return the registered source.

    Raises:
        AccelmartError: no such source; the message lists those there are.
    """
    if name not in MLPERF_SOURCES:
        raise AccelmartError(f"there is no source {name!r}. Sources: {', '.join(MLPERF_SOURCES)}")
    return MLPERF_SOURCES[name]
