"""Trees that are no MLPerf Inference or Training round: what they are instead.

MLCommons publishes every suite as ``<suite>_results_<round>`` with a similar layout, and a round such as v1.0 exists
in most of them. Marks checked on tiny v1.2, storage v1.0, hpc v1.0 and v2.0, mobile v2.1 and automotive v0.5 (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ingest.core.errors import PayloadRejected
from ingest.core.source import Part

# suite -> (words in its descriptions of systems, words in its paths), the most particular suite first
_MARKS = {
    "Tiny": (r'"(Board|SoC) Name', r"/results/[^/]+/(ad|ic|kws|vww)/"),
    "Mobile": (
        r"TFLite|\bAndroid\b|Snapdragon|Exynos|Dimensity",
        r"mobilenetEdgeTPU|mobiledetSSD|mobileBERT|/log_performance/",
    ),
    "Storage": (
        r"node_type_name|\bfilesystem\b|storage_system",
        r"dlio|mlperf_storage|(unet3d|resnet50|cosmoflow)[-/][ahv]100",
    ),
    "HPC": (r"cosmoflow|deepcam|oc20|openfold", r"/(strong|weak)/|/(cosmoflow|deepcam|oc20|openfold)/"),
    "Automotive": (r"\bautomotive\b", r"/(bevformer|deeplabv3plus)/"),
    "Inference": (r"(?!)", r"(?m)^(closed|open|network)/[^/]+/(systems|results|measurements)/"),
    "Training or HPC": (r"(?!)", r"(?m)^[^/]+/(systems|results)/"),
}
_OTHER_BENCHMARKS = re.compile(r"cosmoflow|deepcam|oc20|open_?catalyst|openfold|bevformer", re.IGNORECASE)


def require_results(
    suite: str, repository: str, parts: Iterable[Part], paths: Iterable[str], systems: Mapping[str, bytes]
) -> None:
    """Refuse a tree that holds no result of a suite, and say what it is.

    Args:
        suite: ``Inference`` or ``Training``.
        repository: of the round, for the remedy.
        parts: what the tree gives, without its systems.
        paths: its files.
        systems: descriptions of systems among them, by path.

    Raises:
        PayloadRejected: it gives no row, or only rows of benchmarks of another suite.
    """
    parsed = [part.parsed for part in parts]
    rows = [row for p in parsed for row in p.rows]
    benchmarks = {str(getattr(row, "benchmark", "") or getattr(row, "model_published", "")) for row in rows}
    if any(not _OTHER_BENCHMARKS.search(name) for name in benchmarks):
        return
    names = sorted(paths)
    listed = "\n".join([*names, *(f"x/results/x/{name}/x" for name in benchmarks)])
    described = "\n".join(text[:10_000].decode("utf-8", "replace") for text in systems.values())
    is_a = next(
        (
            f"it is an MLPerf {name} tree, not MLPerf {suite}; "
            for name, (in_systems, in_paths) in _MARKS.items()
            if suite not in name
            and (
                re.search(in_systems, described, re.IGNORECASE) or re.search(in_paths, listed, re.IGNORECASE)
            )
        ),
        "",
    )
    first = "".join(f", the first: {r.problem}" for r in [r for p in parsed for r in p.rejects][:1])
    raise PayloadRejected(
        payload=f"tree for {repository.rpartition('/')[2]}",
        problem=f"{is_a}no result of MLPerf {suite} is recognised in its {len(names)} files "
        f"({names[0] if names else 'none'}, …); {sum(len(p.rejects) for p in parsed)} records rejected{first}",
        remedy=f"give a tree of {repository}; if it is one, its layout has changed",
    )
