"""A user's own ownership scenarios: ``scenarios.yaml`` in the data root, checked before anything is built with it.

Change a default scenario (``hyperscaler``, ``neocloud_giant``, ``emerging_neocloud``), add one based on a default, or
state what hardware costs you. What is not said stays as it is; ``accelmart status --assumptions`` prints what is in
force. An example with everything that can be said::

    scenarios:
      hyperscaler:                        # a default one: only what differs
        electricity_usd_per_kwh: 0.06
      our_hall:                           # a new one: says what it is based on
        based_on: emerging_neocloud
        cost_of_capital_pct: 11           # per cent a year
        depreciation_years: 5
        electricity_usd_per_kwh: 0.07
        pue: 1.2
        colocation_usd_per_kw_month: 150  # per kW of IT power
        maintenance_pct_of_capex_per_year: 4
        staff_usd_per_accelerator_year: 250
        availability_pct: 99              # hours the machine is there
        utilisation_pct: 70               # hours of those it is used
        goodput_pct: 92                   # work of those that counts
        hardware:                         # for this scenario alone
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
import pyarrow.parquet as pq
import yaml
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from ingest.core.errors import AccelmartError
from warehouse.files import written_whole
from warehouse.home import DBT_PROJECT_DIR

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
    """A scenario file that cannot be used; nothing is built with it.

    Args:
        file: the file.
        problems: one line for each defect: the key's path, what is wrong, what is allowed.
    """

    def __init__(self, *, file: Path, problems: list[str]) -> None:
        self.file, self.problems = file, problems
        super().__init__(
            f"{file}: {'; '.join(problems)}. To fix: correct the file, or remove it to use the default assumptions"
        )


@dataclass(frozen=True)
class Override:
    """One assumption of the user's: a row of ``tco_overrides``.

    Args:
        scenario_id: scenario it is said of, or ``*`` for every one (hardware only).
        based_on: the default scenario a new one starts from; None for a default one and for ``*``.
        accelerator_id: of hardware; None for a scenario's own parameters.
        parameter: name as in the seeds tco_scenarios and tco_hardware; None in the one row by which a new
            scenario is declared.
        value: in `unit`.
        file: name of the file that says so; the folder stays out of the published warehouse.
    """

    scenario_id: str
    based_on: str | None
    accelerator_id: str | None
    parameter: str | None
    value: float | None
    unit: str | None
    file: str


# which of the two forms of a capex is meant; pydantic puts the word into the path of what it finds
_NUMBER, _PARTS = "(number)", "(parts)"
_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)
_Share = Annotated[float, Field(gt=0, le=100, allow_inf_nan=False)]
_Capex = Annotated[float, Field(gt=0, le=10_000_000, allow_inf_nan=False)]
_CapexPart = Annotated[float, Field(ge=0, le=10_000_000, allow_inf_nan=False)]


class Parameters(BaseModel):
    """What can be said of a scenario, with the range that is possible; the names are those of the seed."""

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
    """All-in capex by component, US$ per accelerator; every part is said, so that the sum is all-in."""

    model_config = _STRICT

    server: _Capex
    network: _CapexPart
    storage: _CapexPart
    other: _CapexPart

    @property
    def total(self) -> float:
        """All of it."""
        return self.server + self.network + self.storage + self.other


def _capex_is(value: Any) -> str:
    return _PARTS if isinstance(value, dict | CapexParts) else _NUMBER


class Hardware(BaseModel):
    """What an accelerator costs and draws."""

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
    """A scenario of the file: parameters, and hardware it alone has."""

    based_on: str | None = None
    hardware: dict[str, Hardware] = Field(default_factory=dict)


class ScenarioFile(BaseModel):
    """The whole file."""

    model_config = _STRICT

    scenarios: dict[str, Scenario] = Field(default_factory=dict)
    hardware: dict[str, Hardware] = Field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """What the default assumptions hold, read from the seeds: the file may refer to these.

    Args:
        units: scenario parameter → unit.
        scenarios: default scenarios.
        accelerators: every accelerator of the specs.
        with_hardware: those with default power; all of them have capex, stated or implied.
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
    """YAML lets the last of two equal keys win in silence; here that is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):
                if key in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"the key {key!r} is there twice", key_node.start_mark
                    )
                seen.add(key)
        return super().construct_mapping(node, deep)


def read_scenarios(path: Path, known: Known | None = None) -> list[Override]:
    """The assumptions of a scenario file.

    Args:
        path: the file; it must exist.
        known: default scenarios and accelerators; read from the seeds when not given.

    Returns:
        One row per assumption, new scenarios declared by a row of their own, in the file's order.

    Raises:
        ScenariosRejected: the file cannot be read, or something in it is unknown, impossible or missing. Every
            defect is named with its key and what is allowed.
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
    """Write the raw table ``tco_overrides``, which is always there, empty without a file.

    Args:
        path: the scenario file; None, or one that does not exist, is no file.
        target: Parquet file, written whole or not at all.

    Returns:
        Number of rows.

    Raises:
        ScenariosRejected: see `read_scenarios`; then nothing is written.
    """
    rows = read_scenarios(path) if path is not None and path.exists() else []
    with written_whole(target) as temporary:
        pq.write_table(pa.Table.from_pylist([asdict(r) for r in rows], schema=SCHEMA), temporary)
    return len(rows)


def _document(path: Path) -> Any:
    """The YAML of a file; an empty file says nothing."""
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
    """pydantic's findings in our words: key path, problem, what is allowed."""
    out: list[str] = []
    for found in error.errors():
        path = [str(p) for p in found["loc"] if p not in {_NUMBER, _PARTS}]
        key = ".".join(path) or "the file"
        model = _model_of(path)
        kind, value = found["type"], found["input"]
        if kind == "extra_forbidden":
            allowed = sorted(model.model_fields)
            near = difflib.get_close_matches(path[-1], allowed, n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            out.append(f"{key} is not known{hint} (allowed here: {', '.join(allowed)})")
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
    """The model whose field the last key of a path is."""
    if "capex_usd" in path[:-1]:
        return CapexParts
    if "hardware" in path and len(path) > path.index("hardware") + 2:
        return Hardware
    return Scenario if len(path) > 2 and path[0] == "scenarios" else ScenarioFile


def _range_of(model: type[BaseModel], field: str) -> str:
    """What a number may be, from its model alone: ``1 to 4``, ``more than 0, up to 100``."""
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
    """The bounds of a field, through optional and alternative types."""
    for rule in [*metadata, *getattr(annotation, "__metadata__", ())]:
        yield from getattr(rule, "metadata", None) or [rule]
    for argument in getattr(annotation, "__args__", ()):
        if argument is not type(None):
            yield from _rules(argument, [])


def _shown(value: Any) -> str:
    """A value in an error: short, and text told from numbers."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _misplaced(stated: ScenarioFile, known: Known) -> Iterator[str]:
    """What each value by itself does not show: names that do not exist, parts that are missing."""
    defaults = ", ".join(sorted(known.scenarios))
    # hardware that is said of every scenario, or of the default one a scenario is based on, counts for it too
    for scenario_id, scenario in stated.scenarios.items():
        key = f"scenarios.{scenario_id}"
        if not re.fullmatch(r"[A-Za-z0-9_-]+", scenario_id):
            yield f"{key} is no name for a scenario (allowed: letters, digits, _ and -)"
        if scenario_id in known.scenarios:
            if scenario.based_on not in {None, scenario_id}:
                yield f"{key}.based_on is {scenario.based_on!r}, but {scenario_id} is a default scenario (leave it out)"
        elif scenario.based_on is None:
            yield f"{key}.based_on is missing: {scenario_id} is a new scenario (allowed: {defaults})"
        elif scenario.based_on not in known.scenarios:
            yield f"{key}.based_on is {scenario.based_on!r}, which is no default scenario (allowed: {defaults})"
        base = stated.scenarios.get(scenario.based_on or "")
        yield from _misplaced_hardware(
            f"{key}.hardware", scenario.hardware, known, [stated.hardware, base.hardware if base else {}]
        )
    yield from _misplaced_hardware("hardware", stated.hardware, known, [])


def _misplaced_hardware(
    key: str, hardware: Mapping[str, Hardware], known: Known, wider: list[Mapping[str, Hardware]]
) -> Iterator[str]:
    for accelerator_id, said in hardware.items():
        if accelerator_id not in known.accelerators:
            near = difflib.get_close_matches(accelerator_id, sorted(known.accelerators), n=1)
            hint = f", did you mean {near[0]}?" if near else ""
            yield (
                f"{key}.{accelerator_id} is no known accelerator{hint} "
                "(allowed: accelerator_id of dim_accelerator, such as nvidia-h100-sxm-80gb)"
            )
            continue
        if said.capex_usd is None and said.it_power_w is None:
            yield f"{key}.{accelerator_id} says nothing (allowed: capex_usd, it_power_w, or both)"
        elif accelerator_id not in known.with_hardware:
            all_said = [said, *(w[accelerator_id] for w in wider if accelerator_id in w)]
            for name in ("capex_usd", "it_power_w"):
                if all(getattr(s, name) is None for s in all_said):
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
    for accelerator_id, said in hardware.items():
        values: dict[str, float] = {}
        if isinstance(said.capex_usd, CapexParts):
            parts = said.capex_usd
            values |= {f"{name}_capex_usd": getattr(parts, name) for name in CapexParts.model_fields}
            values["all_in_capex_usd"] = parts.total
        elif said.capex_usd is not None:
            values["all_in_capex_usd"] = said.capex_usd
        for parameter, value in values.items():
            yield Override(
                scenario_id, based_on, accelerator_id, parameter, value, "USD per accelerator", file
            )
        if said.it_power_w is not None:
            yield Override(scenario_id, based_on, accelerator_id, "it_power_w", said.it_power_w, "W", file)
