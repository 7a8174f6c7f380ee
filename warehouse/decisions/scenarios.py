"""The user's ownership scenarios, ``overrides/scenarios.csv``, as the raw table ``tco_overrides``.

docs/how-to/set-ownership-assumptions.md has the columns and an example; the rules are in `override_forms`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from warehouse.decisions.override_forms import CAPEX, CAPEX_PARTS, SCENARIOS, SEEDS_DIR, OverrideRow
from warehouse.storage.parquet import write_records

TABLE = "tco_overrides"


class Assumption(NamedTuple):
    """One assumption of the user, as a row of ``tco_overrides``.

    Args:
        scenario_id: the scenario, or ``*`` for every scenario (hardware only).
        based_on: the default scenario that a new one is based on; None for a default scenario and for ``*``.
        accelerator_id: the accelerator of a hardware value; None for a scenario parameter.
        parameter: name as in the seeds tco_scenarios and tco_hardware; None in a row that only names a new scenario.
        value: value in `unit`.
        low: low end of the value's range; None where the user states none.
        high: high end.
        unit: unit of the value.
        source_url: where the user found it.
        as_of: day, month or year that it refers to.
        is_calibrated: whether the user chose it so that another figure comes out.
        note: the user's words.
        file: name of the file, without its folder, so that no local path is published.
    """

    scenario_id: str
    based_on: str | None
    accelerator_id: str | None
    parameter: str | None
    value: float | None
    low: float | None
    high: float | None
    unit: str | None
    source_url: str | None
    as_of: str | None
    is_calibrated: bool | None
    note: str | None
    file: str


def write_assumptions(rows: Iterable[OverrideRow], target: Path) -> None:
    """Write the raw table ``tco_overrides``; it is empty if the user has no scenarios."""
    units: dict[str, str] = {}
    for seed in ("tco_scenarios", "tco_hardware"):
        with (SEEDS_DIR / f"{seed}.csv").open(encoding="utf-8", newline="") as file:
            units |= {row["parameter"]: row["unit"] for row in csv.DictReader(file)}
    units |= dict.fromkeys(CAPEX_PARTS, units[CAPEX])
    write_records(target, [_assumption(row, units) for row in rows if row.seed == SCENARIOS], Assumption)


def _assumption(row: OverrideRow, units: dict[str, str]) -> Assumption:
    cells = row.cells
    number = {name: float(cells[name]) if name in cells else None for name in ("value", "low", "high")}
    based_on, calibrated = cells.get("based_on"), cells.get("is_calibrated")
    return Assumption(
        scenario_id=cells["scenario_id"],
        based_on=None if based_on == cells["scenario_id"] else based_on,
        accelerator_id=cells.get("accelerator_id"),
        parameter=cells.get("parameter"),
        unit=units.get(cells.get("parameter", "")),
        source_url=cells.get("source_url"),
        as_of=cells.get("as_of"),
        is_calibrated=None if calibrated is None else calibrated.lower() in {"true", "t", "1", "yes", "y"},
        note=cells.get("note"),
        file=row.file,
        **number,
    )
