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
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from ingest.core.errors import AccelmartError
from ingest.core.words import did_you_mean
from warehouse.home import DBT_PROJECT_DIR
from warehouse.parquet import write_records

TABLE = "tco_overrides"
EVERY_SCENARIO = "*"


class ScenariosRejected(AccelmartError, ValueError):
    """A scenario file has errors; no build is started.

    Args:
        file: the file.
        problems: one line per error: path of the key, what is wrong, what is allowed.
    """

    def __init__(self, file: Path, problems: list[str]) -> None:
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


def read_known() -> Known:
    """Return the names in the seeds of the dbt project."""
    scenarios, hardware = _seed("tco_scenarios"), _seed("tco_hardware")
    return Known(
        units={r["parameter"]: r["unit"] for r in scenarios},
        scenarios=frozenset(r["scenario_id"] for r in scenarios),
        accelerators=frozenset(r["accelerator_id"] for r in _seed("accelerator_specs")),
        with_hardware=frozenset(r["accelerator_id"] for r in hardware if r["parameter"] == "it_power_w"),
    )


def _seed(name: str) -> list[dict[str, str]]:
    with (DBT_PROJECT_DIR / "seeds" / f"{name}.csv").open(encoding="utf-8", newline="") as f:
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


def read_scenarios(path: Path) -> list[Override]:
    """Return the assumptions of a scenario file; none if there is no file.

    Returns:
        One row per assumption and one that declares each new scenario, in the order of the file.

    Raises:
        ScenariosRejected: the file cannot be read, or a key is unknown, out of range or missing. The message names each
            key and what is allowed.
    """
    if not path.exists():
        return []
    known = read_known()
    try:
        # a subclass of SafeLoader: it makes plain values only
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=_NoTwins)  # noqa: S506
        stated = ScenarioFile.model_validate({} if document is None else document)
    except ValidationError as e:
        raise ScenariosRejected(path, list(map(_problem, e.errors()))) from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as e:
        raise ScenariosRejected(path, [f"cannot be read as YAML ({' '.join(str(e).split())})"]) from None
    if problems := list(_misplaced(stated, known)):
        raise ScenariosRejected(path, problems)
    return list(_overrides(stated, known, path.name))


def write_overrides(path: Path, target: Path) -> None:
    """Write the raw table ``tco_overrides`` of a scenario file; it is empty without one.

    Raises:
        ScenariosRejected: see `read_scenarios`; nothing is written.
    """
    write_records(target, read_scenarios(path), Override)


def _problem(detail: Any) -> str:
    """Return the message of an error of pydantic: path of the key, what is allowed, the value."""
    path = [str(p) for p in detail["loc"] if p not in {_NUMBER, _PARTS}]
    if detail["type"] == "extra_forbidden":
        names = {n for m in (ScenarioFile, Scenario, Hardware, CapexParts) for n in m.model_fields}
        return f"{'.'.join(path)} is no key that is allowed there.{did_you_mean(path[-1], names)}"
    return f"{'.'.join(path) or 'the file'}: {detail['msg']} (it is {str(detail['input'])[:60]!r})"


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
            near = did_you_mean(accelerator_id, known.accelerators)
            yield f"{key}.{accelerator_id} is not an accelerator_id of dim_accelerator.{near}"
            continue
        if values.capex_usd is None and values.it_power_w is None:
            yield f"{key}.{accelerator_id} is empty (allowed: capex_usd, it_power_w, or both)"
        elif accelerator_id not in known.with_hardware:
            applicable = [values, *(w[accelerator_id] for w in wider if accelerator_id in w)]
            for name in ("capex_usd", "it_power_w"):
                if all(getattr(h, name) is None for h in applicable):
                    yield f"{key}.{accelerator_id}.{name} is missing: there is no default for this accelerator"


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
