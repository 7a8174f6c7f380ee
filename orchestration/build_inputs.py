"""What a build reads beside the raw layer: the user's files, the operator's decisions, the generation before."""

import dagster as dg

from warehouse.build.changes import CHANGES, FIGURES
from warehouse.build.prepare import BUILD_INFO, FETCHES
from warehouse.decisions.holds import TABLE as HOLDS
from warehouse.decisions.overrides import TABLE as REFERENCE_OVERRIDES
from warehouse.decisions.scenarios import TABLE as TCO_OVERRIDES
from warehouse.inputs.isolation import TABLE as ISOLATED
from warehouse.inputs.raw import EARLIER_TABLES


def _input(table: str, kinds: set[str], description: str) -> dg.AssetSpec:
    return dg.AssetSpec(dg.AssetKey(["raw", table]), group_name="raw", kinds=kinds, description=description)


INPUTS = [
    _input(
        TCO_OVERRIDES,
        {"csv"},
        "The user's assumptions about ownership: overrides/scenarios.csv in the data root.",
    ),
    _input(
        REFERENCE_OVERRIDES,
        {"csv"},
        "The user's additions to the reference seeds: CSV files in overrides/ of the data root.",
    ),
    _input(ISOLATED, {"json"}, "Landed payloads that failed checks, and which a build therefore leaves out."),
    *(
        _input(
            table,
            {"parquet"},
            "Results of MLPerf in earlier payloads of a round, to tell what was withdrawn.",
        )
        for table in EARLIER_TABLES.values()
    ),
    _input(
        HOLDS,
        {"csv"},
        "What the operator freezes or excludes: overrides/holds.csv and withdrawals.csv in the data root.",
    ),
    _input(FETCHES, {"json"}, "When each source was last fetched with success, changed or not."),
    _input(BUILD_INFO, {"parquet"}, "Id, time and input fingerprint of the build itself."),
    _input(
        FIGURES,
        {"duckdb", "parquet"},
        "The figures of the published generation, which a build compares its own with.",
    ),
    _input(
        CHANGES,
        {"duckdb", "parquet"},
        "The change log of the published generation, which a build goes on with.",
    ),
]
