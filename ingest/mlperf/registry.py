"""The MLPerf sources: where each is published, which files are kept, and how a payload is split into parts."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial

from ingest.core.cadence import ROUNDS
from ingest.core.errors import PayloadRejected
from ingest.core.fetch_plan import Members
from ingest.core.records import Parsed
from ingest.core.source import Part, Source
from ingest.mlperf import described_systems
from ingest.mlperf.other_suites import require_results
from ingest.mlperf.published import SUMMARY_DICT, SUMMARY_LIST, parse_collection, parse_summary
from ingest.mlperf.raw_tree import PATTERNS as INFERENCE_TREE_PATTERNS
from ingest.mlperf.raw_tree import parse_tree
from ingest.mlperf.records import PARSER_VERSION, InferenceResult
from ingest.mlperf.releases import inference_repository, normalise_release, training_repository
from ingest.mlperf.summary_csv import READ_SINGLY, SUMMARY_CSV, dialect_of_table, parse_summary_csv
from ingest.mlperf.training import parse_training_tree
from ingest.mlperf.training_collection import parse_training_collection
from ingest.mlperf.training_formats import CONFIGURATION_PATTERNS, ConfigurationReader
from ingest.mlperf.training_layout import PATTERNS as TRAINING_TREE_PATTERNS
from ingest.mlperf.training_read_singly import PATTERNS as READ_SINGLY_PATTERNS
from ingest.mlperf.training_read_singly import parse_read_singly
from ingest.mlperf.training_records import TRAINING_PARSER_VERSION

MLPERF_INFERENCE = "mlperf-inference"
MLPERF_COLLECTION = "mlperf-inference-collection"
MLPERF_TRAINING = "mlperf-training"
MLPERF_TRAINING_COLLECTION = "mlperf-training-collection"
MLPERF_TRAINING_READ_SINGLY = "mlperf-training-read-singly"
TRAINING_RUNS, TRAINING_RESULTS = "training_runs", "training_results"
TRAINING_COLLECTION, TRAINING_READ_SINGLY = "training_collection", "training_read_singly"
READ_SINGLY_FILE = "results_read_singly.csv"
SUMMARY_FILES = ("summary_results.json", "summary.json", "summary.csv", READ_SINGLY_FILE)
TRAINING_FORMATS = "training_formats"


def _read_summary(release: str, name: str, payload: bytes) -> Part:
    """A round's summary; raises `PayloadRejected` if it cannot be read or has no result."""
    if name.endswith(".csv"):
        of, parsed = parse_summary_csv(payload, where=name, release=release)
        dialect = of.name
    else:
        dialect, parsed = _dialect(name, payload), parse_summary(payload, where=name, release=release)
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
        return Part(release, _dialect(name, payload), parsed)


def _dialect(name: str, summary: bytes) -> str:
    """Return the dialect of a summary that is no table, or of an unreadable one."""
    if name.endswith(".csv"):
        return SUMMARY_CSV.name
    is_object = summary.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
    return SUMMARY_DICT.name if is_object else SUMMARY_LIST.name


def summary_name(payload: bytes) -> str:
    """Return the name of a lone summary, by its content: a table, an object or a list."""
    if table := dialect_of_table(payload):
        return READ_SINGLY_FILE if table is READ_SINGLY else "summary.csv"
    return "summary.json" if _dialect("", payload) == SUMMARY_DICT.name else "summary_results.json"


def _files_of_tree(members: Members) -> Iterator[tuple[str, bytes]]:
    for name, file in members:
        if not name:
            raise PayloadRejected(
                payload="tree",
                problem="it is a single file",
                remedy="give the repository, a folder or a tarball of it",
            )
        yield name, file.read()


def _systems_part(repository: str, files: dict[str, bytes]) -> Part:
    """Submitters' descriptions of their systems, keyed by repository: both suites have a round v5.1."""
    key = repository.rpartition("/")[2]
    members = ((path, io.BytesIO(content)) for path, content in files.items())
    systems = described_systems.SOURCE
    return Part("", systems.dialect, described_systems.parse(members, key=key), systems.name, key)


def _parse_inference(members: Members, *, key: str) -> list[Part]:
    """A round's summary (a single file is one), its submission tree, and the systems described in the tree.

    Raises:
        PayloadRejected: there is no result of MLPerf Inference in it.
    """
    release = normalise_release(key)
    by_path = {path: file.read() for path, file in members}
    if "" in by_path:
        return [_read_summary(release, summary_name(by_path[""]), by_path[""])]
    systems = {path: content for path, content in by_path.items() if described_systems.is_system(path)}
    parts = [_summary_in_tree(release, name, by_path.pop(name)) for name in SUMMARY_FILES if name in by_path]
    if by_path:
        parts.append(Part(release, "raw_tree", parse_tree(by_path.items(), release=release)))
        require_results("Inference", inference_repository(release), parts, by_path, systems)
        parts.append(_systems_part(inference_repository(release), systems))
    return parts


def _parse_inference_collection(members: Members, *, key: str) -> list[Part]:
    rounds = parse_collection(_files_of_tree(members))
    return [Part(of, "collection", parsed) for of, parsed in sorted(rounds.items())]


def _parse_training(members: Members, *, key: str) -> list[Part]:
    """A round's logs and scores, its configurations, and the systems described in the tree.

    Raises:
        PayloadRejected: there is no result of MLPerf Training in it.
    """
    release = normalise_release(key)
    paths: list[str] = []
    configurations = ConfigurationReader(release)
    systems: dict[str, bytes] = {}

    def results() -> Iterator[tuple[str, bytes]]:
        for path, content in _files_of_tree(members):
            paths.append(path)
            if described_systems.is_system(path):
                systems[path] = content
            if not configurations.add(path, content):
                yield path, content

    tree = parse_training_tree(results(), release=release)
    parts = [Part(release, TRAINING_RUNS, tree.runs), Part(release, TRAINING_RESULTS, tree.results)]
    require_results("Training", training_repository(release), parts, paths, systems)
    formats = configurations.parsed()
    # a tree without the code does not replace the number formats that are shipped
    if formats.records_in:
        parts.append(Part(release, TRAINING_FORMATS, formats))
    return [*parts, _systems_part(training_repository(release), systems)]


def _parse_training_collection(members: Members, *, key: str) -> list[Part]:
    rounds = parse_training_collection(_files_of_tree(members))
    return [Part(of, TRAINING_COLLECTION, parsed) for of, parsed in sorted(rounds.items())]


def _parse_training_read_singly(members: Members, *, key: str) -> list[Part]:
    release = normalise_release(key)
    tree = parse_read_singly(_files_of_tree(members), release=release)
    parts = [Part(release, TRAINING_RUNS, tree.runs), Part(release, TRAINING_READ_SINGLY, tree.results)]
    if not tree.results.rows:
        raise PayloadRejected(
            payload=f"tables of {release}",
            problem=f"not one result is in them: {len(tree.results.rejects)} lines are rejected",
            remedy="check that results_*.csv lies in the folder, with the columns submitter, system and benchmark",
        )
    return parts


_mlcommons_source = partial(
    Source,
    home_url="https://github.com/mlcommons",
    licence="Apache-2.0",
    cadence=ROUNDS,
)
# whole repositories are 2 GB and more; a power log or a summary is a few MB
_round_source = partial(
    _mlcommons_source,
    limit_bytes=256 << 20,
    tree_limit_bytes=16 << 30,
    has_releases=True,
    also_gives=(described_systems.SOURCE.name,),
)
_collection_source = partial(
    _mlcommons_source,
    limit_bytes=64 << 20,
    tree_limit_bytes=2 << 30,
    repository=lambda key: "https://github.com/mlcommons/cm4mlperf-results.git",
)

MLPERF_SOURCES: dict[str, Source] = {
    s.name: s
    for s in (
        _round_source(
            name=MLPERF_INFERENCE,
            title="MLPerf Inference round: its summary file or its submission tree",
            patterns=INFERENCE_TREE_PATTERNS,
            repository=lambda key: f"{inference_repository(normalise_release(key))}.git",
            parse=_parse_inference,
            parser_version=PARSER_VERSION,
        ),
        _collection_source(
            name=MLPERF_COLLECTION,
            title="MLCommons' own collection of MLPerf Inference entries, v2.0 to v4.1",
            patterns=("experiment/mlperf-inference--*/**/cm-result.json",),
            parse=_parse_inference_collection,
            parser_version=PARSER_VERSION,
        ),
        _round_source(
            name=MLPERF_TRAINING,
            title="MLPerf Training round: its systems and logs",
            patterns=(*TRAINING_TREE_PATTERNS, *CONFIGURATION_PATTERNS),
            repository=lambda key: f"{training_repository(normalise_release(key))}.git",
            parse=_parse_training,
            parser_version=TRAINING_PARSER_VERSION,
        ),
        _collection_source(
            name=MLPERF_TRAINING_COLLECTION,
            title="MLCommons' own collection of MLPerf Training results, 1.0 to 3.0",
            patterns=("experiment/mlperf-training--*/**/cm-result.json",),
            parse=_parse_training_collection,
            parser_version=TRAINING_PARSER_VERSION,
        ),
        _mlcommons_source(
            name=MLPERF_TRAINING_READ_SINGLY,
            title="MLPerf Training results read one by one, of a round whose repository is not at hand",
            home_url="https://github.com/mlcommons/training_results_v6.0",
            limit_bytes=64 << 20,
            tree_limit_bytes=256 << 20,
            has_releases=True,
            patterns=READ_SINGLY_PATTERNS,
            parse=_parse_training_read_singly,
            parser_version=TRAINING_PARSER_VERSION,
        ),
    )
}
