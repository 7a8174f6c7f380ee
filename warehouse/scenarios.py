"""The user's ownership scenarios: ``scenarios.yaml`` in the data root, checked before a build uses it.

The file may change a default scenario (``hyperscaler``, ``neocloud_giant``, ``emerging_neocloud``), add a scenario
based on a default one, or set hardware costs. Keys that are left out keep their default;
``accelmart status --assumptions`` prints the values in use. An example with all keys::

    scenarios:
      hyperscaler:                        # a default scenario: only the changed values
        electricity_usd_per_kwh: 0.06
      our_hall:                           # a new scenario: based_on is required
        based_on: emerging_neocloud
        cost_of_capital_pct: 11           # per cent a year
        depreciation_years: 5
        electricity_usd_per_kwh: 0.07
        pue: 1.2
        colocation_usd_per_kw_month: 150  # per kW of IT power
        maintenance_pct_of_capex_per_year: 4
        staff_usd_per_accelerator_year: 250
        availability_pct: 99              # hours in which the machine is available
        utilisation_pct: 70               # share of available hours in use
        goodput_pct: 92                   # share of used hours with useful work
        hardware:                         # for this scenario only
          nvidia-h100-sxm-80gb:
            capex_usd: 29500              # all-in per accelerator: server, network, storage
    hardware:                             # for every scenario
      nvidia-b200-sxm-180gb:
        capex_usd: {server: 36000, network: 6000, storage: 900, other: 400}
        it_power_w: 1750                  # accelerator with its share of host and network, without PUE

An accelerator without default hardware needs both ``capex_usd`` and ``it_power_w``.
"""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import annotated_types
import pyarrow as pa
import yaml
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from ingest.core.errors import AccelmartError
from warehouse.home import DBT_PROJECT_DIR
from warehouse.parquet import write_rows

TABLE = "tco_overrides"
EVERY_SCENARIO = "*"

SCHEMA = pa.schema(
    [
        pa.field("scenario_id", pa.string(), nullable=False),
        pa.field("based_on", pa.string()),
        pa.field("accelerator_id", pa.string()),
        pa.field("parameter", pa.string()),
        pa.field("value", pa.float64()),
        pa.field("unit", pa.string()),
        pa.field("file", pa.string(), nullable=False),
    ]
)
"""Columns of the raw table ``tco_overrides``; see `Override`."""


class ScenariosRejected(AccelmartError, ValueError):
    """A scenario file has errors; no build is started.

    Args:
        file: the file.
        problems: one line per error: path of the key, what is wrong, what is allowed.
    """

    def __init__(self, *, file: Path, problems: list[str]) -> None:
        self.file, self.problems = file, problems
        super().__init__(
            f"{file}: {'; '.join(problems)}. To fix: correct the file, or remove it to use the default assumptions"
        )


@dataclass(frozen=True)
class Override:
    """One assumption of the user, as a row of ``tco_overrides``.

    Args:
        scenario_id: the scenario, or ``*`` for every scenario (hardware only).
        based_on: the default scenario that a new one is based on; None for a default scenario and for ``*``.
        accelerator_id: the accelerator of a hardware value; None for a scenario parameter.
        parameter: name as in the seeds tco_scenarios and tco_hardware; None in the row that declares a new scenario.
        value: value in `unit`.
        unit: unit of the value.
        file: name of the scenario file, without its folder, so that no local path is published.
    """

    scenario_id: str
    based_on: str | None
    accelerator_id: str | None
    parameter: str | None
    value: float | None
    unit: str | None
    file: str


# the two forms of a capex; pydantic adds the tag to the path of an error
_NUMBER, _PARTS = "(number)", "(parts)"
_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_Share = Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]
_Capex = Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)]
_CapexPart = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]


class Parameters(BaseModel):
    """Parameters of a scenario with their allowed ranges; names as in the seed tco_scenarios."""

    model_config = _STRICT

    cost_of_capital_pct: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    depreciation_years: Annotated[float, Field(ge=0.5, le=20, allow_inf_nan=False)] | None = None
    electricity_usd_per_kwh: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    pue: Annotated[float, Field(ge=1, le=4, allow_inf_nan=False)] | None = None
    colocation_usd_per_kw_month: Annotated[float, Field(ge=0, le=5_000, allow_inf_nan=False)] | None = None
    maintenance_pct_of_capex_per_year: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = (
        None
    )
    staff_usd_per_accelerator_year: (
        Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None
    ) = None
    availability_pct: _Share | None = None
    utilisation_pct: _Share | None = None
    goodput_pct: _Share | None = None


class CapexParts(BaseModel):
    """All-in capex by component, US$ per accelerator; every component is required, so that the sum is all-in."""

    model_config = _STRICT

    server: _Capex
    network: _CapexPart
    storage: _CapexPart
    other: _CapexPart

    @property
    def total(self) -> float:
        """Return the sum of all components, US$ per accelerator."""
        return self.server + self.network + self.storage + self.other


def _capex_is(value: Any) -> str:
    return _PARTS if isinstance(value, dict | CapexParts) else _NUMBER


class Hardware(BaseModel):
    """Capex (US$) and IT power (W) of an accelerator."""

    model_config = _STRICT

    capex_usd: (
        Annotated[
            Annotated[_Capex, Tag(_NUMBER)] | Annotated[CapexParts, Tag(_PARTS)],
            Discriminator(_capex_is),
        ]
        | None
    ) = None
    it_power_w: Annotated[float, Field(ge=1, le=100_000, allow_inf_nan=False)] | None = None


class Scenario(Parameters):
    """A scenario of the file: its parameters and its own hardware values."""

    based_on: str | None = None
    hardware: dict[str, Hardware] = Field(default_factory=dict)


class ScenarioFile(BaseModel):
    """The whole file."""

    model_config = _STRICT

    scenarios: dict[str, Scenario] = Field(default_factory=dict)
    hardware: dict[str, Hardware] = Field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """Names in the default assumptions that a scenario file may refer to, read from the seeds.

    Args:
        units: scenario parameter → unit.
        scenarios: ids of the default scenarios.
        accelerators: ids of all accelerators of the seed accelerator_specs.
        with_hardware: ids of accelerators with a default power; all of them also have a default capex.
    """

    units: Mapping[str, str]
    scenarios: frozenset[str]
    accelerators: frozenset[str]
    with_hardware: frozenset[str]

    @classmethod
    def from_seeds(cls, seeds: Path = DBT_PROJECT_DIR / "seeds") -> Known:
        """Read the seeds of the dbt project."""
        scenarios = _rows(seeds / "tco_scenarios.csv")
        hardware = _rows(seeds / "tco_hardware.csv")
        return cls(
            units={r["parameter"]: r["unit"] for r in scenarios},
            scenarios=frozenset(r["scenario_id"] for r in scenarios),
            accelerators=frozenset(r["accelerator_id"] for r in _rows(seeds / "accelerator_specs.csv")),
            with_hardware=frozenset(r["accelerator_id"] for r in hardware if r["parameter"] == "it_power_w"),
        )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


class _NoTwins(yaml.SafeLoader):
    """A YAML loader that rejects duplicate keys, of which YAML keeps the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"duplicate key {key!r}", key_node.start_mark
                    )
                seen.add(key)
        return super().construct_mapping(node, deep)


def read_scenarios(path: Path, known: Known | None = None) -> list[Override]:
    """Return the assumptions of a scenario file.

    Args:
        path: the file; it must exist.
        known: default scenarios and accelerators; read from the seeds if None.

    Returns:
        One row per assumption and one that declares each new scenario, in the order of the file.

    Raises:
        ScenariosRejected: the file cannot be read, or a key is unknown, out of range or missing. The message names each
            key and what is allowed.
    """
    known = known or Known.from_seeds()
    document = _document(path)
    try:
        stated = ScenarioFile.model_validate(document)
    except ValidationError as e:
        problems = _problems(e)
        raise ScenariosRejected(file=path, problems=problems) from None
    problems = list(_misplaced(stated, known))
    if problems:
        raise ScenariosRejected(file=path, problems=problems)
    return list(_overrides(stated, known, path.name))


def write_overrides(path: Path | None, target: Path) -> int:
    """Write the raw table ``tco_overrides``; it is empty without a scenario file.

    Args:
        path: the scenario file; None or a path that does not exist means no scenario file.
        target: Parquet file, replaced atomically.

    Returns:
        Number of rows.

    Raises:
        ScenariosRejected: see `read_scenarios`; nothing is written.
    """
    rows = read_scenarios(path) if path is not None and path.exists() else []
    write_rows(target, map(asdict, rows), SCHEMA)
    return len(rows)


def _document(path: Path) -> Any:
    """Return the parsed YAML of a file; an empty mapping for an empty file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as e:
        problem = f"cannot be read ({e.strerror})"
        raise ScenariosRejected(file=path, problems=[problem]) from None
    except UnicodeDecodeError as e:
        problem = f"is not UTF-8 (byte {e.start})"
        raise ScenariosRejected(file=path, problems=[problem]) from None
    try:
        # a subclass of SafeLoader: it makes plain values only
        document = yaml.load(text, Loader=_NoTwins)  # noqa: S506
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = f"{where}is not YAML ({getattr(e, 'problem', None) or e})"
        raise ScenariosRejected(file=path, problems=[problem]) from None
    except RecursionError:
        raise ScenariosRejected(file=path, problems=["is nested too deeply"]) from None
    return {} if document is None else document


def _problems(error: ValidationError) -> list[str]:
    """Return messages for pydantic's errors: path of the key, problem, what is allowed."""
    out: list[str] = []
    for detail in error.errors():
        path = [str(p) for p in detail["loc"] if p not in {_NUMBER, _PARTS}]
        key = ".".join(path) or "the file"
        model = _model_of(path)
        kind, value = detail["type"], detail["input"]
        if kind == "extra_forbidden":
            allowed = sorted(model.model_fields)
            near = difflib.get_close_matches(path[-1], allowed, n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            out.append(f"{key} is unknown{hint} (allowed: {', '.join(allowed)})")
        elif kind == "missing":
            out.append(f"{key} is missing ({_range_of(model, path[-1])})")
        elif kind in {"model_type", "dict_type", "model_attributes_type"}:
            out.append(f"{key} is {_shown(value)}, not a mapping of keys to values")
        elif kind == "string_type":
            out.append(f"{key} is {_shown(value)}, not a name in quotes or letters")
        else:
            out.append(f"{key} is {_shown(value)} (allowed: {_range_of(model, path[-1])})")
    return list(dict.fromkeys(out))


def _model_of(path: list[str]) -> type[BaseModel]:
    """Return the model that has the last key of a path as a field."""
    if "capex_usd" in path[:-1]:
        return CapexParts
    if "hardware" in path and len(path) > path.index("hardware") + 2:
        return Hardware
    return Scenario if len(path) > 2 and path[0] == "scenarios" else ScenarioFile


def _range_of(model: type[BaseModel], field: str) -> str:
    """Return the allowed range of a field in words, such as ``a number from 1 to 4``."""
    low = high = ""
    strict = False
    info = model.model_fields.get(field)
    for rule in _rules(info.annotation, info.metadata) if info else ():
        if isinstance(rule, annotated_types.Ge):
            low = f"{rule.ge:,.12g}"
        elif isinstance(rule, annotated_types.Gt):
            low, strict = f"{rule.gt:,.12g}", True
        elif isinstance(rule, annotated_types.Le):
            high = f"{rule.le:,.12g}"
    if not low:
        return "a number"
    return f"a number more than {low}, up to {high}" if strict else f"a number from {low} to {high}"


def _rules(annotation: Any, metadata: list[Any]) -> Iterator[Any]:
    """Yield the bounds of a field, including those inside optional and union types."""
    for rule in [*metadata, *getattr(annotation, "__metadata__", ())]:
        yield from getattr(rule, "metadata", None) or [rule]
    for argument in getattr(annotation, "__args__", ()):
        if argument is not type(None):
            yield from _rules(argument, [])


def _shown(value: Any) -> str:
    """Return a value for an error message: at most 60 characters, text in quotes."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _misplaced(stated: ScenarioFile, known: Known) -> Iterator[str]:
    """Yield errors that need the whole file: unknown names and missing values."""
    defaults = ", ".join(sorted(known.scenarios))
    # hardware values of every scenario, and of the default scenario it is based on, apply to a scenario too
    for scenario_id, scenario in stated.scenarios.items():
        key = f"scenarios.{scenario_id}"
        if not re.fullmatch(r"[A-Za-z0-9_-]+", scenario_id):
            yield f"{key} is not a valid scenario name (allowed: letters, digits, _ and -)"
        if scenario_id in known.scenarios:
            if scenario.based_on not in {None, scenario_id}:
                yield f"{key}.based_on is {scenario.based_on!r}, but {scenario_id} is a default scenario (leave it out)"
        elif scenario.based_on is None:
            yield f"{key}.based_on is missing: {scenario_id} is a new scenario (allowed: {defaults})"
        elif scenario.based_on not in known.scenarios:
            yield f"{key}.based_on is {scenario.based_on!r}, which is not a default scenario (allowed: {defaults})"
        base = stated.scenarios.get(scenario.based_on or "")
        yield from _misplaced_hardware(
            f"{key}.hardware", scenario.hardware, known, [stated.hardware, base.hardware if base else {}]
        )
    yield from _misplaced_hardware("hardware", stated.hardware, known, [])


def _misplaced_hardware(
    key: str, hardware: Mapping[str, Hardware], known: Known, wider: list[Mapping[str, Hardware]]
) -> Iterator[str]:
    for accelerator_id, values in hardware.items():
        if accelerator_id not in known.accelerators:
            near = difflib.get_close_matches(accelerator_id, sorted(known.accelerators), n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            yield (
                f"{key}.{accelerator_id} is not a known accelerator{hint} "
                "(allowed: accelerator_id of dim_accelerator, such as nvidia-h100-sxm-80gb)"
            )
            continue
        if values.capex_usd is None and values.it_power_w is None:
            yield f"{key}.{accelerator_id} is empty (allowed: capex_usd, it_power_w, or both)"
        elif accelerator_id not in known.with_hardware:
            applicable = [values, *(w[accelerator_id] for w in wider if accelerator_id in w)]
            for name in ("capex_usd", "it_power_w"):
                if all(getattr(h, name) is None for h in applicable):
                    yield (
                        f"{key}.{accelerator_id}.{name} is missing: there is no default for this accelerator "
                        f"({_range_of(Hardware, name)})"
                    )


def _overrides(stated: ScenarioFile, known: Known, file: str) -> Iterator[Override]:
    for scenario_id, scenario in stated.scenarios.items():
        is_new = scenario_id not in known.scenarios
        based_on = scenario.based_on if is_new else None
        if is_new:
            yield Override(scenario_id, based_on, None, None, None, None, file)
        for parameter in Parameters.model_fields:
            value = getattr(scenario, parameter)
            if value is not None:
                yield Override(scenario_id, based_on, None, parameter, value, known.units[parameter], file)
        yield from _hardware_overrides(scenario_id, based_on, scenario.hardware, file)
    yield from _hardware_overrides(EVERY_SCENARIO, None, stated.hardware, file)


def _hardware_overrides(
    scenario_id: str, based_on: str | None, hardware: Mapping[str, Hardware], file: str
) -> Iterator[Override]:
    for accelerator_id, values in hardware.items():
        capex: dict[str, float] = {}
        if isinstance(values.capex_usd, CapexParts):
            parts = values.capex_usd
            capex |= {f"{name}_capex_usd": getattr(parts, name) for name in CapexParts.model_fields}
            capex["all_in_capex_usd"] = parts.total
        elif values.capex_usd is not None:
            capex["all_in_capex_usd"] = values.capex_usd
        for parameter, value in capex.items():
            yield Override(
                scenario_id, based_on, accelerator_id, parameter, value, "USD per accelerator", file
            )
        if values.it_power_w is not None:
            yield Override(scenario_id, based_on, accelerator_id, "it_power_w", values.it_power_w, "W", file)
