"""MLCommons' compliance rules of training logs: its own expressions, compiled once.

`mlperf_logging.compliance_checker` (4.1.68, checked 2026-11) holds them as Python expressions in YAML files. Its
checker reads these files again for each log and compiles an expression again for each line, which is most of the
official tool's time. So what it does with the rules is written again here, message by message; tests compare the two.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import CodeType
from typing import Any, NamedTuple

import yaml
from mlperf_logging.compliance_checker.mlp_compliance import is_integer  # type: ignore[import-untyped]

from ingest.mlperf.mllog import Event, Log
from ingest.mlperf.releases import normalise_release

_MESSAGE_CHARACTERS = 500  # the official ones repeat all that was logged so far
_MAX_RULES = 3
# what a problem states for one log only: the number of the line, the values logged up to there, the unreadable text
_OF_ONE_LOG = re.compile(r" in line \d+(?=:)|( triggered by line:)? current context\[s\]=.*", re.DOTALL)
_UNREADABLE = re.compile(r"\d+ (records cannot be read): .*?( \(\w+: [^()]*\))?", re.DOTALL)
# the official loader of rules, in its C form where there is one
_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class _Test(NamedTuple):
    """An expression that has to be true."""

    text: str
    code: CodeType


@dataclass(frozen=True, kw_only=True)
class _KeyRules:
    """The rules for the records of one key.

    Attributes:
        required: how often it has to occur, in the package's words.
        checks: of every record; of a ``submission_…`` key, of its first.
        then: what to keep in mind for later records.
        first_checks: of the first record.
        once: has to be true of one record at least.
    """

    required: str
    checks: tuple[_Test, ...]
    then: CodeType | None
    first_checks: tuple[_Test, ...]
    once: _Test | None


@dataclass
class _RuleFile:
    """The rules of one file: what to do before the first record, those of each key, what has to be true at the end."""

    begin: CodeType | None = None
    keys: dict[str, _KeyRules] = field(default_factory=dict)
    end: tuple[_Test, ...] = ()


def _tests(rules: dict[str, Any], name: str) -> tuple[_Test, ...]:
    """Return one test, several or none, as the file has it."""
    stated = rules.pop(name, [])
    texts = [stated] if isinstance(stated, str) else stated
    return tuple(_Test(text, compile(text.strip(), "<rule of mlperf_logging>", "eval")) for text in texts)


def _statements(rules: dict[str, Any], name: str) -> CodeType | None:
    text = rules.pop(name, None)
    return compile(text.strip(), "<rule of mlperf_logging>", "exec") if text else None


def _compiled(where: str, entries: list[dict[str, dict[str, Any]]]) -> _RuleFile:
    """Compile the entries of a rule file.

    Raises:
        ValueError: there is something in it that is not understood here.
    """
    out = _RuleFile()
    for kind, rules in (pair for entry in entries for pair in entry.items()):
        if kind == "BEGIN":
            out.begin = _statements(rules, "CODE")
        elif kind == "END":
            out.end = _tests(rules, "CHECK")
        elif kind == "KEY":
            out.keys[rules.pop("NAME")] = _KeyRules(
                required=rules.pop("REQ", ""),
                checks=_tests(rules, "CHECK"),
                then=_statements(rules, "POST"),
                first_checks=_tests(rules, "FIRST_CHECK"),
                once=next(iter(_tests(rules, "ATLEAST_ONE_CHECK")), None),
            )
        if rules:
            raise ValueError(
                f"{where}: {kind} has {', '.join(rules)}, which is not understood; see {__name__}"
            )
    return out


@cache
def _rule_files() -> dict[str, Traversable]:
    """Return the rule files of all rounds by the names that rules call them; some call those of another round."""
    folders = [
        f for f in files("mlperf_logging.compliance_checker").iterdir() if f.name.startswith("training_")
    ]
    return {f"{folder.name}/{path.name}": path for folder in folders for path in folder.iterdir()}


@cache
def _rule_file(name: str) -> _RuleFile:
    text = _rule_files()[name].read_text("utf-8")
    return _compiled(name, yaml.load(text, Loader=_Loader) or [])  # noqa: S506  # strings only


def _shown(value: Any) -> str:
    return json.dumps(value, sort_keys=True, indent=2)


class _Check:
    """One log on its way through the rules, with the messages of the official checker.

    Attributes:
        asked_for: rule files that are still to come.
        messages: the last of each key; a later file takes back what an earlier one said of its keys.
        others: messages of no single key.
    """

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.asked_for: list[str] = []
        self.messages: dict[str, str] = {}
        self.others: list[str] = [] if events else ["No log lines detected"]

    def run(self, rules: _RuleFile) -> None:
        """Apply a rule file to all records."""
        kept: dict[str, Any] = {}
        known = {"enqueue_config": self.asked_for.append, "s": kept, "is_integer": is_integer, "math": math}
        if rules.begin:
            exec(rules.begin, known, {"loglines": self.events})  # noqa: S102  # the package's own rules
        for key in rules.keys:
            self.messages.pop(key, None)
        logged: dict[str, list[Any]] = {key: [] for key in rules.keys}
        held: dict[str, bool] = {}
        for event in self.events:
            if (rule := rules.keys.get(event.key)) is None:
                continue
            of_record = {"ll": event, "v": event.value}
            is_first = not logged[event.key]
            logged[event.key].append(event.value["value"])
            if is_first or "submission_" not in event.key:
                self._test(rule.checks, event, known, of_record)
                self._execute(rule.then, event, known, of_record)
            if is_first:
                self._test(rule.first_checks, event, known, of_record)
            if rule.once:
                is_true = bool(eval(rule.once.code, known, of_record))  # noqa: S307
                held[event.key] = is_true or held.get(event.key, False)
        for key, is_true in held.items():
            if not is_true and (once := rules.keys[key].once):
                self.others.append(f"Failed checks for {key} : {once.text}")
        self._count({key: rule.required for key, rule in rules.keys.items()}, logged)
        for test in rules.end:
            try:
                if not eval(test.code, known):  # noqa: S307
                    self.others.append(f"failed test: {test.text} current context[s]={_shown(kept)}")
            except Exception:  # noqa: BLE001  # rules run on what upstream wrote: anything can happen
                self.others.append(
                    f"Failed executing CHECK code: {test.text} current context[s]={_shown(kept)}"
                )

    def _test(
        self, tests: Iterable[_Test], event: Event, known: dict[str, Any], of_record: dict[str, Any]
    ) -> None:
        for test in tests:
            try:
                if eval(test.code, known, of_record):  # noqa: S307
                    continue
                said = f"CHECK for '{event.key}' failed in line {event.lineno}: failed test: {test.text}"
                said += f" current context[s]={_shown(known['s'])} current line[v]={_shown(event.value)}"
            except Exception:  # noqa: BLE001
                said = f"Failed executing CHECK code: {test.text} triggered by line:"
                said += f" current context[s]={_shown(known['s'])}"
            self.messages[event.key] = said

    def _execute(
        self, code: CodeType | None, event: Event, known: dict[str, Any], of_record: dict[str, Any]
    ) -> None:
        try:
            if code:
                exec(code, known, of_record)  # noqa: S102
        except Exception:  # noqa: BLE001
            self.messages[event.key] = "Failed executing code POST code triggered by line :"

    def _count(self, required: dict[str, str], logged: dict[str, list[Any]]) -> None:
        """Compare how often each key was logged with how often it has to be."""
        alternatives = {}
        for key, how_often in required.items():
            values, n = logged[key], len(logged[key])
            if how_often == "EXACTLY_ONE" and n != 1 and (n == 0 or values.count(values[0]) < n):
                different = (
                    f" with different values: [{', '.join(dict.fromkeys(map(str, values)))}]" if n else ""
                )
                self.messages[key] = f"Required EXACTLY_ONE occurrence of '{key}' but found {n}{different}"
            elif how_often == "AT_LEAST_ONE" and n < 1:
                self.messages[key] = f"Required AT_LEAST_ONE occurrence of '{key}' but found {n}"
            elif least := re.fullmatch(r"AT_LEAST\((\d+)\)", how_often):
                if n < int(least[1]):
                    self.messages[key] = f"Required {how_often} occurrence of '{key}' but found {n}"
            elif others := re.fullmatch(r"AT_LEAST_ONE_OR\((.*)\)", how_often):
                alternatives[tuple(sorted({key, *map(str.strip, others[1].split(","))}))] = True
        for keys in alternatives:
            if not any(logged[key] for key in keys):
                named = " or ".join(f"'{key}'" for key in keys)
                self.others.append(f"Required AT_LEAST_ONE occurrence of {named}")


def _first_file(release: str) -> str:
    return f"training_{normalise_release(release)[1:]}.0/common.yaml"


def missing_rules(release: str) -> str | None:
    """Return why there are no rules of a round; None where there are.

    Args:
        release: the round.

    Raises:
        NotARelease: it is no name of a round.
    """
    if _first_file(release) in _rule_files():
        return None
    folders = {name.partition("/")[0].removeprefix("training_") for name in _rule_files()}
    known = sorted(name for name in folders if re.fullmatch(r"\d+\.\d+\.\d+", name))
    return (
        f"mlperf-logging has no training rules for {release!r}; it has {', '.join(known)}. "
        "Install a newer one if the round is newer"
    )


def compliance_problem(log: Log, release: str) -> str | None:
    """What the official checker finds wrong with a log, its first message on one line; None when it complies.

    Args:
        log: of the run.
        release: a round of which there are rules.
    """
    if log.broken:
        return f"{len(log.broken)} records cannot be read: {log.broken[0]}"
    try:
        messages = checker_messages(log, release)
    except Exception as error:  # noqa: BLE001  # rules run on what upstream wrote: anything can happen
        messages = [f"the official rules break off ({type(error).__name__}: {' '.join(str(error).split())})"]
    return messages[0][:_MESSAGE_CHARACTERS] if messages else None


def checker_messages(log: Log, release: str) -> list[str]:
    """Return all messages of the official checker on a log, each on one line, in its order.

    Raises:
        Exception: of any kind, where the checker stops too: at a rule file that is not there, or inside a rule.
    """
    check = _Check([*log.events])  # rules may add records
    check.asked_for.append(_first_file(release))
    done: set[str] = set()
    while check.asked_for:
        name = check.asked_for.pop(0)
        # the name is made of what the log states as its division or benchmark
        if name not in _rule_files():
            raise ValueError(f"there is no rule file {name}")
        if name not in done:
            done.add(name)
            check.run(_rule_file(name))
    return [" ".join(message.split()) for message in [*check.messages.values(), *check.others]]


def broken_rules(problems: Iterable[str | None]) -> str:
    """Return the rules that failed runs break, the most frequent first, at most three; empty where none is known.

    Args:
        problems: of each run what `compliance_problem` returns. Those that differ only in what holds for one log
            (line, values) are of one rule.
    """
    rules = Counter(_rule_of(problem) for problem in problems if problem)
    named = [f"{rule} ({n} runs)" if n > 1 else rule for rule, n in rules.most_common(_MAX_RULES)]
    more = len(rules) - len(named)
    return "; ".join([*named, *([f"and {more} others"] if more else [])])


def _rule_of(problem: str) -> str:
    unreadable = _UNREADABLE.fullmatch(problem)
    return f"{unreadable[1]}{unreadable[2] or ''}" if unreadable else _OF_ONE_LOG.sub("", problem)
