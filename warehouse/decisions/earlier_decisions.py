"""Decisions in the forms of earlier versions, as rows of the files in ``overrides/``. This module goes with 0.2.

Commands wrote ``holds.json`` and ``accepted_payloads.json``: the first build converts them, and keeps them as
``<name>.converted``. A person writes ``scenarios.yaml``: it is read as it stands until `accelmart convert`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import yaml

from accelmart.spelling import did_you_mean
from ingest.core.stored_json import record_of
from warehouse.decisions.override_forms import (
    ACCEPTED,
    CAPEX,
    CAPEX_PARTS,
    HOLDS,
    POWER,
    SCENARIO_PARAMETERS,
    SCENARIOS,
    WITHDRAWALS,
    OverrideRow,
)
from warehouse.storage.home import Home

_REMEDY = "restore it from a backup, or remove it: {} then"
_KEYS = {*SCENARIO_PARAMETERS, "based_on", "hardware", "scenarios", "capex_usd", POWER}


@dataclass(frozen=True)
class _Hold:
    source: str
    release: str | None
    action: Literal["hold", "withdraw"]
    at: datetime
    payloads: tuple[str, ...]
    as_of: datetime | None


@dataclass(frozen=True)
class _Holds:
    holds: tuple[_Hold, ...]


def read_records(home: Home) -> list[OverrideRow]:
    """Return the rows of ``holds.json`` and ``accepted_payloads.json``, as far as these files exist.

    Raises:
        RecordDamaged: a file is damaged.
    """
    rows = []
    if (path := home.holds).exists():
        remedy = _REMEDY.format("nothing is held")
        for number, hold in enumerate(record_of(_Holds, path.read_bytes(), path, remedy).holds, 1):
            at, of = hold.at.isoformat(), {"source": hold.source, "release": hold.release or ""}
            kept = {
                "held_at": at,
                "published_at": (hold.as_of or hold.at).isoformat(),
                "payloads": " ".join(hold.payloads),
            }
            is_hold = hold.action == "hold"
            cells = {**of, **(kept if is_hold else {"withdrawn_at": at})}
            rows.append(_row(HOLDS if is_hold else WITHDRAWALS, path, number, cells))
    if (path := home.accepted_payloads).exists():
        remedy = _REMEDY.format("no payload is accepted")
        hashes = record_of(tuple[str, ...], path.read_bytes(), path, remedy)
        rows += [_row(ACCEPTED, path, n, {"payload_sha256": sha256}) for n, sha256 in enumerate(hashes, 1)]
    return rows


def _row(name: str, path: Path, line: int, cells: Mapping[str, str]) -> OverrideRow:
    stated = {column: value for column, value in cells.items() if value}
    return OverrideRow(name, path.name, line, json.dumps(stated, ensure_ascii=False, sort_keys=True))


def read_scenarios_yaml(path: Path, problems: list[str]) -> list[OverrideRow]:
    """Return the rows of a scenario file, none if there is no file, and append what is wrong with it to `problems`."""
    if not path.exists():
        return []
    try:
        loader = yaml.SafeLoader(path.read_text(encoding="utf-8"))
        document = loader.get_single_node()
        values = dict(_values(loader, (), document, path.name, problems)) if document else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as e:
        problems.append(f"{path.name}: cannot be read as YAML ({' '.join(str(e).split())})")
        return []
    rows: list[OverrideRow] = []
    based_on = {
        keys[1]: value for keys, (value, _) in values.items() if keys[::2] == ("scenarios", "based_on")
    }
    for keys, (value, line) in values.items():
        accelerator = ""
        match keys:
            case ("scenarios", scenario, "based_on"):
                stated = {"": ""}
            case ("scenarios", scenario, parameter) if parameter in SCENARIO_PARAMETERS:
                stated = {parameter: value}
            case ("scenarios", scenario, "hardware", accelerator, *names):
                stated = _hardware(keys, names, value, values)
            case ("hardware", accelerator, *names):
                scenario, stated = "*", _hardware(keys, names, value, values)
            case _:
                near = did_you_mean(keys[-1], _KEYS) if keys else ""
                problems.append(
                    f"{path.name}, line {line}: {'.'.join(keys)}: {value!r} is not allowed there.{near}"
                )
                continue
        of = {"scenario_id": scenario, "based_on": based_on.get(scenario, ""), "accelerator_id": accelerator}
        rows += [_row(SCENARIOS, path, line, {**of, "parameter": p, "value": v}) for p, v in stated.items()]
    return rows


_Values = dict[tuple[str, ...], tuple[str, int]]
_PARTS = {part.removesuffix("_capex_usd"): part for part in CAPEX_PARTS}


def _hardware(keys: tuple[str, ...], names: list[str], value: str, values: _Values) -> dict[str, str]:
    """Return parameter → value of one hardware value; with the first component of a capex, their sum too."""
    match names:
        case ["capex_usd"]:
            return {CAPEX: value}
        case ["it_power_w"]:
            return {POWER: value}
        case ["capex_usd", "server"]:
            parts = [values.get((*keys[:-1], part), ("0", 0))[0] for part in _PARTS]
            try:
                return {CAPEX_PARTS[0]: value, CAPEX: repr(sum(map(float, parts)))}
            except ValueError:
                return {CAPEX_PARTS[0]: value}
        case ["capex_usd", part] if part in _PARTS:
            return {_PARTS[part]: value}
    return {names[-1] if names else "": value}


def _values(
    loader: yaml.SafeLoader, keys: tuple[str, ...], node: yaml.Node, name: str, problems: list[str]
) -> Iterator[tuple[tuple[str, ...], tuple[str, int]]]:
    """Yield the path of keys of each value that is not empty, and the value as text with its line."""
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        own = [str(loader.construct_object(key)) for key, _ in node.value]
        twice = sorted({key for key in own if own.count(key) > 1 and key != "<<"})
        problems += [f"{name}, line {line}: duplicate key {key!r}" for key in twice]
        loader.flatten_mapping(node)
        for key, below in {str(loader.construct_object(key)): below for key, below in node.value}.items():
            yield from _values(loader, (*keys, key), below, name, problems)
    elif isinstance(node, yaml.ScalarNode):
        value = loader.construct_object(node)
        if value is not None:
            yield keys, (str(value), line)
    elif node.value:
        yield keys, ("a list", line)
