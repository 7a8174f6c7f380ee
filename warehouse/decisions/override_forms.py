"""What each file of ``overrides/`` looks like: its columns, its key, and the rules for its cells.

Two kinds of files lie there. A file of **reference data** has the name and the columns of a seed, and its rules come
from the seed's description in ``dbt_project/seeds/*.yml``. A file of **decisions** has its columns and rules here:

=================== =========================================================================================
``holds.csv``       sources and MLPerf rounds that stay at the payloads of a published generation (`freeze`)
``withdrawals.csv`` sources and rounds that are left out of the warehouse (`exclude`)
``accepted.csv``    payloads that are used although their checks fail (`accept`, `build --accept-changes`)
``scenarios.csv``   the user's assumptions about ownership: columns of the seed tco_scenarios, a range, the default
                    scenario that a new one is based on (``based_on``), and the accelerator of a hardware value
                    (``accelerator_id``; the scenario ``*`` is every scenario)
=================== =========================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from ingest.core.errors import AccelmartError
from ingest.mlperf.registry import MLPERF_SOURCES
from ingest.registry import SOURCES
from warehouse.storage.files import read_yaml
from warehouse.storage.home import DBT_PROJECT_DIR

SEEDS_DIR = DBT_PROJECT_DIR / "seeds"
_ACCELERATORS = "accelerator_specs"
_ACCELERATOR_ID = "[a-z0-9][a-z0-9.-]*"
_PROBLEMS_SHOWN = 10


class OverridesRejected(AccelmartError, ValueError):
    """Override files have errors; no build is started.

    Args:
        problems: one line per error: file, line, what is wrong, what is allowed.
    """

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        more = len(problems) - _PROBLEMS_SHOWN
        shown = [*problems[:_PROBLEMS_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        super().__init__(
            "override files cannot be used; the published warehouse is unchanged.\n"
            + "\n".join(shown)
            + "\nTo fix: correct or remove these lines, then build again. See docs/how-to/override-reference-data.md"
        )


@dataclass(frozen=True)
class OverrideRow:
    """One line of an override file; those of reference data are the raw table ``overrides``.

    Args:
        seed: name of the seed, or of the file of decisions.
        file: name of the file, without its folder, so that no local path is published.
        line: line number in the file, from 1.
        record: the cells as a JSON object, column → text, without empty cells.
    """

    seed: str
    file: str
    line: int
    record: str

    @cached_property
    def cells(self) -> dict[str, str]:
        """Return the cells that have a value, by column."""
        cells: dict[str, str] = json.loads(self.record)
        return cells


@dataclass(frozen=True)
class Form:
    """Columns and rules of an override file.

    Args:
        name: name of the file without ``.csv``, which is that of the seed.
        columns: column → SQL type, in the order of the file.
        key: columns that identify a row.
        required: columns that must have a value.
        accepted: column → accepted values.
        references: column → (seed, column there, SQL condition on the row, or empty).
        required_where: column → SQL condition on the rows that must have a value.
        conditions: what a row must be → SQL condition on its cells, which are text; `o` is the row.
        reads: seeds that the conditions read.
        n_newest: last columns that a line without a header may lack: files written before they were added stay good.
    """

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    required: tuple[str, ...]
    accepted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    references: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    required_where: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    n_newest: int = 0


@cache
def overridable_seeds() -> dict[str, Form]:
    """Return the seeds of ``dbt_project/seeds/*.yml`` that have ``config.meta.override_key``, by name."""
    out = {}
    for path in sorted(SEEDS_DIR.glob("*.yml")):
        nodes = read_yaml(path).get("seeds", [])
        rules: dict[str, Any] = {}
        for test in (test for node in nodes for test in node.get("data_tests", [])):
            rules |= test["rules_of_tables"]["arguments"]["tables"]
        for node in nodes:
            key = node.get("config", {}).get("meta", {}).get("override_key")
            if key:
                out[node["name"]] = _form_of(node, rules[node["name"]], tuple(key))
    return out


def _form_of(node: Mapping[str, Any], rules: Mapping[str, Any], key: tuple[str, ...]) -> Form:
    """Return the form of a seed from its description in YAML and its rules in the file's test of all."""
    references, conditions = {}, {}
    types = node["config"].get("column_types", {})
    for column, target in rules.get("refers_to", {}).items():
        target = {"to": target} if isinstance(target, str) else target
        table, there = target["to"].split(".")
        if table == _ACCELERATORS:  # a row may name a new accelerator
            conditions[f"{column} has lower-case letters, digits, hyphens and dots"] = (
                f"regexp_full_match(\"{column}\", '{_ACCELERATOR_ID}')"
            )
        else:
            references[column] = (table, there, target.get("where", ""))
    return Form(
        node["name"],
        columns={c["name"]: types.get(c["name"], "varchar") for c in node["columns"]},
        key=key,
        required=tuple(rules["never_empty"]),
        accepted={
            column: tuple(str(value).lower() for value in values)
            for column, values in rules.get("accepted_values", {}).items()
        },
        references=references,
        required_where=rules.get("never_empty_where", {}),
        conditions=conditions,
        n_newest=node["config"]["meta"].get("newest_columns", 0),
    )


# --- decisions ---------------------------------------------------------------------------------------------------

_ROUNDS = ", ".join(f"'{name}'" for name in MLPERF_SOURCES)
_OF_A_ROUND = {
    "release is a round of an MLPerf source, such as v5.1": f"release is null or (source in ({_ROUNDS}) "
    r"and regexp_full_match(release, 'v\d+\.\d+'))",
}
_SHA256 = "[0-9a-f]{64}"
_HASHES = f"{_SHA256}( {_SHA256})*"


def _moment(column: str) -> dict[str, str]:
    moment = r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?"
    return {
        f"{column} is a day or a time such as 2026-11-28T06:00Z": f"regexp_full_match({column}, '{moment}')"
    }


HOLDS, WITHDRAWALS, ACCEPTED, SCENARIOS = "holds", "withdrawals", "accepted", "scenarios"

SCENARIO_PARAMETERS = {
    "cost_of_capital_pct": (0, 100),
    "depreciation_years": (0.5, 20),
    "electricity_usd_per_kwh": (0, 2),
    "pue": (1, 4),
    "colocation_usd_per_kw_month": (0, 5_000),
    "maintenance_pct_of_capex_per_year": (0, 100),
    "staff_usd_per_accelerator_year": (0, 1_000_000),
    "availability_pct": (0.1, 100),
    "utilisation_pct": (0.1, 100),
    "goodput_pct": (0.1, 100),
}
"""Parameters of a scenario, with the lowest and the highest value allowed; names and units as in the seed."""
CAPEX, POWER = "all_in_capex_usd", "it_power_w"
CAPEX_PARTS = tuple(f"{part}_capex_usd" for part in ("server", "network", "storage", "other"))
HARDWARE_PARAMETERS = {
    CAPEX: (1, 10_000_000),
    **dict.fromkeys(CAPEX_PARTS, (0, 10_000_000)),
    POWER: (1, 100_000),
}
"""The same of an accelerator: names and units as in the seed tco_hardware."""

_PARTS = ", ".join(f"'{name}'" for name in CAPEX_PARTS)
_OF_HARDWARE = ", ".join(f"'{name}'" for name in HARDWARE_PARAMETERS)
_IS_DEFAULT = "scenario_id in (select scenario_id from tco_scenarios)"
_NUMBER = "try_cast(s.value as double)"
_SCENARIO_CONDITIONS = {
    "scenario_id has letters, digits, _ and -; * is every scenario, for an accelerator_id": (
        "regexp_full_match(scenario_id, '[A-Za-z0-9_-]+') or (scenario_id = '*' and accelerator_id is not null)"
    ),
    "a new scenario has the default scenario that it is based on in based_on": (
        f"based_on is not null or scenario_id = '*' or {_IS_DEFAULT}"
    ),
    "based_on is empty for a default scenario and for *": (
        f"based_on is null or based_on = scenario_id or not (scenario_id = '*' or {_IS_DEFAULT})"
    ),
    "all lines of a scenario have the same based_on": (
        "based_on = (select min(s.based_on) from override_scenarios as s where s.scenario_id = o.scenario_id)"
    ),
    "parameter and value have a value; only a line that names a new scenario has neither": (
        "(parameter is not null and value is not null)"
        " or (parameter is null and value is null and accelerator_id is null and based_on is not null)"
    ),
    "capital and power belong to an accelerator_id, every other parameter to none": (
        f"parameter is null or (parameter in ({_OF_HARDWARE})) = (accelerator_id is not null)"
    ),
    "unit is that of the parameter in the seed": (
        "unit is null or unit in (select unit from tco_scenarios as s where s.parameter = o.parameter"  # noqa: S608
        " union all select unit from tco_hardware as s"
        f" where s.parameter = if(o.parameter in ({_PARTS}), '{CAPEX}', o.parameter))"
    ),
    "low and high stand together, around the value": (
        "(low is null) = (high is null)"
        " and (low is null or try_cast(value as double) between try_cast(low as double) and try_cast(high as double))"
    ),
    f"low and high are of a parameter of a scenario, or of {CAPEX}": (
        f"low is null or parameter = '{CAPEX}' or parameter not in ({_OF_HARDWARE})"
    ),
    f"the capex of server, network, storage and other stand together, with their sum as {CAPEX}": (
        f"parameter not in ({_PARTS}) or ("  # noqa: S608
        f"select count(*) filter (s.parameter in ({_PARTS})) = 4"
        f" and coalesce(abs(sum({_NUMBER}) filter (s.parameter in ({_PARTS}))"
        f" - max({_NUMBER}) filter (s.parameter = '{CAPEX}')) <= 1, false)"
        " from override_scenarios as s where s.scenario_id = o.scenario_id and s.accelerator_id = o.accelerator_id)"
    ),
    f"an accelerator without default hardware has {CAPEX} and {POWER}": (
        f"accelerator_id in (select accelerator_id from tco_hardware where parameter = '{POWER}')"  # noqa: S608
        " or (select count(distinct s.parameter) = 2 from override_scenarios as s"
        f" where s.accelerator_id = o.accelerator_id and s.parameter in ('{CAPEX}', '{POWER}')"
        " and s.scenario_id in (o.scenario_id, o.based_on, '*'))"
    ),
    **{
        f"{name} is from {least:g} to {most:g}": " and ".join(
            f"(parameter <> '{name}' or coalesce(try_cast({column} as double), {least}) between {least} and {most})"
            for column in ("value", "low", "high")
        )
        for name, (least, most) in {**SCENARIO_PARAMETERS, **HARDWARE_PARAMETERS}.items()
    },
}

DECISIONS = {
    form.name: form
    for form in (
        Form(
            HOLDS,
            # payloads: SHA-256 of those that stay in use, separated by spaces; of a price list what was landed by
            # published_at, when the generation was built whose state is kept
            columns={
                "source": "varchar", "release": "varchar", "held_at": "varchar", "published_at": "varchar",
                "payloads": "varchar",
            },
            key=("source", "release"),
            required=("source", "held_at", "published_at", "payloads"),
            accepted={"source": tuple(SOURCES)},
            conditions={
                **_OF_A_ROUND, **_moment("held_at"), **_moment("published_at"),
                "payloads are SHA-256 hashes, separated by spaces": f"regexp_full_match(payloads, '{_HASHES}')",
            },
        ),
        Form(
            WITHDRAWALS,
            columns={"source": "varchar", "release": "varchar", "withdrawn_at": "varchar"},
            key=("source", "release"),
            required=("source", "withdrawn_at"),
            accepted={"source": tuple(SOURCES)},
            conditions={
                **_OF_A_ROUND, **_moment("withdrawn_at"),
                "source and release are not in holds.csv too": "(source, coalesce(release, '')) not in "
                "(select (source, coalesce(release, '')) from override_holds)",
            },
        ),
        Form(
            ACCEPTED,
            columns={
                "payload_sha256": "varchar", "source": "varchar", "payload_key": "varchar", "release": "varchar",
                "accepted_at": "varchar", "note": "varchar",
            },
            key=("payload_sha256",),
            required=("payload_sha256",),
            conditions={
                **_moment("accepted_at"),
                "payload_sha256 is a SHA-256 hash": f"regexp_full_match(payload_sha256, '{_SHA256}')",
            },
        ),
        Form(
            SCENARIOS,
            columns={
                "scenario_id": "varchar", "parameter": "varchar", "value": "double", "unit": "varchar",
                "source_url": "varchar", "as_of": "varchar", "is_calibrated": "boolean", "note": "varchar",
                "low": "double", "high": "double", "based_on": "varchar", "accelerator_id": "varchar",
            },
            key=("scenario_id", "accelerator_id", "parameter"),
            required=("scenario_id",),
            accepted={"parameter": (*SCENARIO_PARAMETERS, *HARDWARE_PARAMETERS)},
            references={
                "based_on": ("tco_scenarios", "scenario_id", ""),
                "accelerator_id": (_ACCELERATORS, "accelerator_id", ""),
            },
            conditions=_SCENARIO_CONDITIONS,
            reads=("tco_scenarios", "tco_hardware"),
            n_newest=4,  # a line of the seed tco_scenarios is good as it is
        ),
    )
}  # fmt: skip
"""Files of decisions, by name."""
