"""MLCommons' score of a training benchmark: compliance of each log, the olympic mean, the review's scaling factor.

Rules and tables are those of the `mlperf_logging` package (4.1.68, checked 2026-11), never copies; what its
`result_summarizer` does with them is written again here, because that part reads folders and costs minutes.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import yaml
from mlperf_logging.benchmark_meta import get_result_file_counts  # type: ignore[import-untyped]

from ingest.core.errors import NotARelease
from ingest.mlperf.mllog_records import Log
from ingest.mlperf.releases import normalise_release

_CHECKER = "mlperf_logging.compliance_checker.mlp_compliance"
_MESSAGE_CHARACTERS = 500  # the official ones repeat all that was logged so far
_MAX_RULES = 3
# what a problem states for one log only: the number of the line, the values logged up to there, the unreadable text
_OF_ONE_LOG = re.compile(r" in line \d+(?=:)|( triggered by line:)? current context\[s\]=.*", re.DOTALL)
_UNREADABLE = re.compile(r"\d+ (records cannot be read): .*?( \(\w+: [^()]*\))?", re.DOTALL)
_FOLDER_ALIASES = {"mask": "maskrcnn"}  # `_benchmark_alias` of the summarizer
# the official loader of rules, in its C form where there is one
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def benchmark_of_folder(folder: str) -> str:
    """MLCommons' key of a benchmark folder (``mask`` is maskrcnn)."""
    return _FOLDER_ALIASES.get(folder, folder)


def required_runs(benchmark: str) -> int | None:
    """How many runs a submission has to hold, by the package's table; None for a benchmark it does not know."""
    counts: dict[str, int] = get_result_file_counts("training")
    return counts.get(benchmark)


def dropped_each_side(benchmark: str) -> int:
    """How many of the fastest and of the slowest runs the olympic mean leaves out: a tenth, at least one.

    That gives 4 for the 40 runs of unet3d and 1 for all others, which is what the summarizer spells out; a test
    compares the two for every benchmark of the table.
    """
    return max(1, (required_runs(benchmark) or 0) // 10)


@dataclass(frozen=True, kw_only=True)
class Score:
    """A benchmark's score.

    Attributes:
        value: olympic mean × scaling factor, in the unit of the runs' values; None when there is no score.
        counted: positions of the runs in the mean.
        reason: why there is no score.
    """

    value: float | None
    counted: tuple[int, ...]
    reason: str | None = None


def olympic_score(minutes: Sequence[float | None], *, benchmark: str, scaling_factor: float = 1.0) -> Score:
    """The official score of a benchmark's runs.

    The runs are sorted by time; the fastest d are left out, and the slowest d, of which a failed run is one.

    Args:
        minutes: of each run; None for one that failed (did not converge, does not comply).
        benchmark: MLCommons' key.
        scaling_factor: of scaling.json.
    """
    drop = dropped_each_side(benchmark)
    order = sorted((i for i, m in enumerate(minutes) if m is not None), key=lambda i: minutes[i] or 0.0)
    failed = len(minutes) - len(order)
    if failed > drop:
        return Score(value=None, counted=(), reason=f"{failed} of {len(minutes)} runs failed, {drop} may")
    counted = order[drop : len(order) - (drop - failed)]
    if not counted:
        return Score(
            value=None, counted=(), reason=f"{len(minutes)} runs are too few: {2 * drop} are left out"
        )
    return Score(value=mean_of(minutes, counted) * scaling_factor, counted=tuple(counted))


def broken_rules(problems: Iterable[str | None]) -> str:
    """Return the rules that failed runs break, the most frequent first, at most three; empty where none is known.

    Args:
        problems: of each run what `Compliance.problem` returns. Those that differ only in what holds for one log
            (line, values) are of one rule.
    """
    rules = Counter(_rule_of(problem) for problem in problems if problem)
    named = [f"{rule} ({n} runs)" if n > 1 else rule for rule, n in rules.most_common(_MAX_RULES)]
    more = len(rules) - len(named)
    return "; ".join([*named, *([f"and {more} others"] if more else [])])


def _rule_of(problem: str) -> str:
    unreadable = _UNREADABLE.fullmatch(problem)
    return f"{unreadable[1]}{unreadable[2] or ''}" if unreadable else _OF_ONE_LOG.sub("", problem)


def mean_of(values: Sequence[float | None], counted: Sequence[int]) -> float:
    """Mean of the counted runs' values, all of which must be there."""
    return sum(v for i in counted if (v := values[i]) is not None) / len(counted)


def read_scaling_factor(payload: bytes) -> float:
    """The factor in a scaling.json.

    Raises:
        ValueError: there is none in it; the official tool stops there.
    """
    content = json.loads(payload)
    factor = content.get("scaling_factor") if isinstance(content, dict) else None
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor < math.inf:
        raise ValueError(f"scaling_factor is {factor!r}")
    return float(factor)


class _Loaded(NamedTuple):
    """Stands for an open rule file."""

    name: str


class _CachedYaml:
    """Stands for `yaml` and `open` inside the checker: its rule files are read once and not once a log."""

    BaseLoader = yaml.BaseLoader

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._rules: dict[str, Any] = {}

    def open(self, name: str) -> AbstractContextManager[Any]:
        """Open a rule file; of one that was loaded before, only its name."""
        return nullcontext(_Loaded(name)) if name in self._rules else Path(name).open(encoding="utf-8")

    def load(self, file: Any, Loader: Any) -> Any:  # noqa: N803  # the name yaml gives it
        if file.name not in self._rules:
            # the name is built from values in a log; the file's expressions are executed
            if not Path(file.name).resolve().is_relative_to(self._folder):
                raise ValueError(f"{file.name} is no rule file")
            self._rules[file.name] = yaml.load(file, Loader=_Loader)  # noqa: S506  # strings only
        return self._rules[file.name]


# the checker keeps the rule files still to do in a variable of its module
_one_at_a_time = Lock()


@cache
def _checker() -> ModuleType:
    """A private copy of the official checker's module in which rules are parsed and compiled once.

    Its rules are Python expressions in the package's YAML files. It compiles each of them again for each line, which is
    most of the official tool's time. The module others import stays as it is.
    """
    spec = importlib.util.find_spec(_CHECKER)
    if spec is None or spec.loader is None:
        raise ImportError(f"{_CHECKER} is not there; install mlperf-logging")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    expressions: dict[str, CodeType] = {}
    statements: dict[str, CodeType] = {}

    def evaluate(source: str, *scopes: Any) -> Any:
        code = expressions.get(source)
        if code is None:
            code = expressions[source] = compile(source, "<rule of mlperf_logging>", "eval")
        return eval(code, *scopes)  # noqa: S307  # the package's own rules

    def execute(source: str, *scopes: Any) -> None:
        code = statements.get(source)
        if code is None:
            code = statements[source] = compile(source, "<rule of mlperf_logging>", "exec")
        exec(code, *scopes)  # noqa: S102

    names: dict[str, Any] = vars(module)
    rules = _CachedYaml(Path(str(module.__file__)).parent)
    names.update(eval=evaluate, exec=execute, yaml=rules, open=rules.open)
    return module


def _rules(path: Path, checker: ModuleType) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        rules: list[dict[str, Any]] | None = vars(checker)["yaml"].load(file, Loader=yaml.BaseLoader)
    return rules or []


class Compliance:
    """The official compliance rules of one round.

    Attributes:
        keys: records the rules look at; the others need not be kept.
        missing: always None; see `NoRules`.

    Raises:
        NotARelease: the installed package has no rules for this round.
    """

    def __init__(self, release: str) -> None:
        self._ruleset = f"{normalise_release(release)[1:]}.0"
        self._make_checker: Callable[..., Any] = _checker().make_checker
        folder = Path(str(_checker().__file__)).parent / f"training_{self._ruleset}"
        if not (folder / "common.yaml").is_file():
            known = sorted(p.name.removeprefix("training_") for p in folder.parent.glob("training_*.0"))
            raise NotARelease(
                f"mlperf-logging has no training rules for {release!r}; it has {', '.join(known)}. "
                "Install a newer one if the round is newer"
            )
        self.keys = frozenset(
            rule["KEY"]["NAME"]
            for path in folder.glob("*.yaml")
            for rule in _rules(path, _checker())
            if "KEY" in rule
        )
        self.missing: str | None = None

    def required_runs(self, benchmark: str) -> int | None:
        """Return how many runs a submission has to hold; None for a benchmark that the package does not know."""
        return required_runs(benchmark)

    def problem(self, log: Log) -> str | None:
        """What the official checker finds wrong with a log, its first message on one line; None when it complies.

        Args:
            log: read with at least `keys`.
        """
        if not log.is_readable:
            first = log.broken[0] if log.broken else f"one of {log.overlong_bytes} bytes, too long to read"
            return f"{len(log.broken) + log.overlong_records} records cannot be read: {first}"
        events = [event for event in log.events if event.key in self.keys]
        checker = self._make_checker(usage="training", ruleset=self._ruleset, quiet=True, werror=False)
        with _one_at_a_time:
            _checker().enqueued_configs.clear()  # of a log whose check broke off
            try:
                checker.check_loglines(events, f"training_{self._ruleset}/common.yaml")
            except Exception as error:  # noqa: BLE001  # rules run on what upstream wrote: anything can happen
                reason = str(error).replace(f"{Path(str(_checker().__file__)).parent}/", "")
                return f"the official checker breaks off ({type(error).__name__}: {reason})"
        messages = [*checker.overwritable.values(), *checker.not_overwritable]
        return " ".join(str(messages[0]).split())[:_MESSAGE_CHARACTERS] if messages else None


class NoRules:
    """Stands for the rules of a round that the installed package does not have: runs stay, scores are null.

    Args:
        missing: why there are none.
    """

    keys: frozenset[str] = frozenset()

    def __init__(self, missing: str) -> None:
        self.missing: str | None = missing

    def problem(self, log: Log) -> str | None:
        """Return why no run counts."""
        return self.missing

    def required_runs(self, benchmark: str) -> int | None:
        """Return None: the rules are unknown."""
        return None
