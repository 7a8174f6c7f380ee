"""Training results read one by one, of a round whose repository is not at hand: tables of results and of runs.

A line of ``results_*.csv`` is a result, with the olympic mean of its runs (``minutes_olympic_mean_unscaled``) or with a
published score (``minutes``); a line of ``runs_*.csv`` is a run. Single runs of a result whose other runs were not read
stand in ``partial_single_runs.csv`` and are no results. What a line has wrong or lacks: ``training_corrections.csv``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from ingest.core import values
from ingest.core.csv_table import CsvLine, read_csv
from ingest.mlperf.tables import read_table
from ingest.mlperf.training_models import model_of
from ingest.mlperf.training_records import TrainingResult, TrainingRun, TrainingTree
from ingest.mlperf.training_score import Score, mean_of, olympic_score, required_runs

_RESULTS, _RUNS, _SINGLE_RUNS = "results_*.csv", "runs_*.csv", "partial_single_runs.csv"
PATTERNS = (f"/{_RESULTS}", f"/{_RUNS}", f"/{_SINGLE_RUNS}")
_KEY = ("submitter", "system", "benchmark")
_UNSCALED, _PRESS = "minutes_olympic_mean_unscaled", "press"
_FACTOR_IN_WORDS = re.compile(r"scaling\.json ([0-9.]+) present")
_REMEDY = "compare the line with the file that it names"
_MEAN_TOLERANCE, _PRESS_TOLERANCE = 0.0002, 0.0051
"""Minutes between a stated figure and that of the runs: figures have four decimals, those of the press two."""

Key = tuple[str, ...]


def parse_read_singly(members: Iterable[tuple[str, bytes]], *, release: str) -> TrainingTree:
    """Return results and runs that were read one by one.

    Args:
        members: (path, content) of the tables.
        release: the round, normalised.
    """
    tree, files = TrainingTree(), sorted(members)
    tree.runs.remedy = tree.results.remedy = _REMEDY
    runs: dict[Key, list[TrainingRun]] = defaultdict(list)
    for name, line in _lines(files, _RUNS, (*_KEY, "run", "duration_minutes", "samples_to_converge")):
        tree.runs.read()
        with tree.runs.catch(_record(line), payload=name):
            runs[_key(line)].append(_run(line, release))
    single_runs = len([*_lines(files, _SINGLE_RUNS, _KEY)])
    tree.runs.read(single_runs)
    tree.runs.out_of_scope("a single run of a result whose other runs were not read", single_runs)
    known: dict[Key, TrainingResult] = {}
    # a score of the press comes last: where the runs are known it repeats them
    stated = [*_lines(files, _RESULTS, (*_KEY, "accelerator", "accelerators", "basis", "source"))]
    for name, line in sorted(stated, key=lambda named: named[1].cells["basis"].startswith(_PRESS)):
        tree.results.read()
        with tree.results.catch(_record(line), payload=name):
            line, key = _corrected(line, name, release, tree), _key(line)
            if key in known:
                _require_equal(line, known[key])
                tree.results.duplicates += 1
                continue
            known[key], of_result = _result(line, runs.get(key, []), release)
            tree.results.add(known[key])
            tree.runs.rows.extend(of_result)
            runs.pop(key, None)
    for key, lost in runs.items():
        for run in lost:
            tree.runs.reject(f"{'/'.join(key)}/{run.run}", "is a run of no result", payload=_RUNS)
    tree.runs.checked(f"training runs read singly {release}")
    tree.results.checked(f"training results read singly {release}")
    return tree


def _lines(
    files: Iterable[tuple[str, bytes]], pattern: str, columns: Sequence[str]
) -> Iterator[tuple[str, CsvLine]]:
    for name, content in files:
        if fnmatchcase(name, pattern):
            for line in read_csv(content, name, columns, remedy=_REMEDY):
                yield name, line


def _record(line: CsvLine) -> str:
    return f"line {line.number}"


def _key(line: CsvLine) -> Key:
    return tuple(line[column] for column in _KEY)


def _figure(line: CsvLine, column: str) -> float:
    """Return a figure above zero; raise `ValueError` where a line has none."""
    value, problem = values.measured(line[column])
    if value is None or problem:
        raise ValueError(f"{column} is {line[column]!r}, not a figure above zero")
    return value


def _corrected(line: CsvLine, name: str, release: str, tree: TrainingTree) -> CsvLine:
    """Return a line with what is known to be right, which is named."""
    for row in read_table("training_corrections.csv"):
        if row["release"] == release and tuple(row[column] for column in _KEY) == _key(line):
            stated = line[row["column"]] or "nothing"
            problem = f"{row['column']}: {row['value']} in place of {stated}, because {row['reason']}"
            tree.results.warn(_record(line), problem, payload=name, remedy=f"look at {row['source_url']}")
            line = replace(line, cells=line.cells | {row["column"]: row["value"]})
    return line


def _samples(line: CsvLine, release: str) -> tuple[float | None, int | None]:
    """Return (samples up to the target, None where the figure counts something else; tokens of one sample)."""
    model, stated = model_of(release, line["benchmark"]), values.number(line["samples_to_converge"])
    if model is None or stated is None:
        return None, None
    if model.samples_basis != "samples" or not (model.samples_min or 1) <= stated <= (
        model.samples_max or stated
    ):
        return None, None
    return stated, model.sequence_length if model.is_fixed_sequence else None


def _run(line: CsvLine, release: str) -> TrainingRun:
    """Return the row of a run, without what depends on its result."""
    minutes, (samples, length) = _figure(line, "duration_minutes"), _samples(line, release)
    return TrainingRun(
        release=release,
        submitter=line["submitter"],
        system=line["system"],
        benchmark=line["benchmark"],
        run=f"result_{line['run']}",
        location=line["source_path"],
        status=None,
        is_scored=True,
        minutes=minutes,
        sequence_length=length,
        samples=samples,
        tokens=samples * length if samples and length else None,
        samples_per_s=samples / minutes / 60 if samples else None,
    )


def _factor(line: CsvLine) -> float | None:
    """Return the factor of MLCommons' review, as published or computed; None where it is not known."""
    in_words = _FACTOR_IN_WORDS.search(line["basis"])
    stated = line["rcp_scaling_factor"] or line["rcp_scaling"] or (in_words[1] if in_words else "")
    return values.number(stated)


def _require_equal(line: CsvLine, known: TrainingResult) -> None:
    """Raise `ValueError` where another line of a result states another score than its runs give."""
    minutes = _figure(line, "minutes")
    if known.minutes is None or abs(minutes - known.minutes) > _PRESS_TOLERANCE:
        raise ValueError(f"states {minutes:g} minutes, the runs of the same result give {known.minutes}")


def _score(line: CsvLine, runs: Sequence[TrainingRun], factor: float | None) -> Score:
    """Return the score: the olympic mean of the runs and the factor, or as published.

    Raises:
        ValueError: the runs are not those of the stated mean.
    """
    if not line[_UNSCALED]:
        return Score(value=_figure(line, "minutes"))
    stated, n = _figure(line, _UNSCALED), values.integer(line["runs"])
    mean = olympic_score([run.minutes for run in runs], benchmark=line["benchmark"])
    if n != len(runs) or mean.value is None or abs(mean.value - stated) > _MEAN_TOLERANCE:
        raise ValueError(f"states {stated:g} minutes of {n} runs, its {len(runs)} runs give {mean.value}")
    return replace(mean, value=mean.value * (factor or 1))


def _words(line: CsvLine, factor: float | None) -> str:
    """Return how a score is known."""
    if not line[_UNSCALED]:
        how = f"score as stated by {line['basis']} ({line['source']}), read by itself"
    else:
        of_runs = f"score computed by Accelmart from {line['runs']} logs, not verified by MLCommons"
        scaled = f"scaled by {factor:g}, {line['rcp_basis'] or line['basis']}" if factor else ""
        how = f"{of_runs}; {scaled or 'not scaled, as the factor of its review is not known'}"
    lowest, doubt = line["lowest_precision"], line["doubt"]
    return how + (f"; lowest precision {lowest}" if lowest else "") + (f"; doubt: {doubt}" if doubt else "")


def _result(
    line: CsvLine, runs: Sequence[TrainingRun], release: str
) -> tuple[TrainingResult, list[TrainingRun]]:
    """Return the row of a result, and its runs with what depends on it.

    Raises:
        ValueError: a figure is absent, or contradicts the runs.
    """
    accelerators, nodes = values.integer(line["accelerators"]), values.integer(line["nodes"])
    if not accelerators:
        raise ValueError(f"accelerators is {line['accelerators']!r}, not a count")
    factor = _factor(line)
    score = _score(line, runs, factor)
    of_result = [
        replace(
            run,
            is_counted=i in score.counted,
            total_accelerators=accelerators,
            trained_tokens_per_s_per_accelerator=run.tokens / run.minutes / 60 / accelerators
            if run.tokens and run.minutes
            else None,
        )
        for i, run in enumerate(runs)
    ]
    assert score.value is not None
    if of_result:
        samples_per_s, tokens_per_s = (
            None if any(v is None for v in column) else mean_of(column, score.counted)
            for column in (
                [run.samples_per_s for run in of_result],
                [run.trained_tokens_per_s_per_accelerator for run in of_result],
            )
        )
        length = of_result[0].sequence_length
    else:
        samples, length = _samples(line, release)
        samples_per_s = samples / (score.value / factor) / 60 if samples and factor else None
        tokens_per_s = samples_per_s * length / accelerators if samples_per_s and length else None
    place = runs[0].location.rpartition("/")[0] if runs else line["source"].rpartition(" ")[2]
    return (
        TrainingResult(
            release=release,
            submitter=line["submitter"],
            system=line["system"],
            benchmark=line["benchmark"],
            location=place,
            minutes=score.value,
            scaling_factor=factor,
            runs=len(runs) or None,
            runs_failed=0 if runs else None,
            runs_counted=len(score.counted) or None,
            runs_required=required_runs(line["benchmark"]),
            division="closed",
            availability_published=line["availability"] or None,
            system_name=line["system"],
            number_of_nodes=nodes,
            accelerators_per_node=accelerators // nodes if nodes and accelerators % nodes == 0 else None,
            total_accelerators=accelerators,
            accelerator_name_published=line["accelerator"],
            notes=_words(line, factor),
            global_batch_size=values.integer(line["gbs"]),
            sequence_length=length,
            accelerator_hours=accelerators * score.value / 60,
            samples_per_s=samples_per_s,
            trained_tokens_per_s_per_accelerator=tokens_per_s,
        ),
        of_result,
    )
