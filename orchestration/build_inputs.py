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
        "Your assumptions about ownership, from overrides/scenarios.csv in the data root.",
    ),
    _input(
        REFERENCE_OVERRIDES,
        {"csv"},
        "Your additions to the reference tables, from CSV files in overrides/ of the data root.",
    ),
    _input(ISOLATED, {"json"}, "Fetched files that failed their checks, so builds do not use them."),
    *(
        _input(
            table,
            {"parquet"},
            "MLPerf results in earlier files of a round, which show what was withdrawn.",
        )
        for table in EARLIER_TABLES.values()
    ),
    _input(
        HOLDS,
        {"csv"},
        "Sources that the operator froze or excluded, from holds.csv and withdrawals.csv in overrides/.",
    ),
    _input(FETCHES, {"json"}, "When each source was last fetched successfully."),
    _input(BUILD_INFO, {"parquet"}, "Id, time and input fingerprint of this build."),
    _input(
        FIGURES,
        {"duckdb", "parquet"},
        "Figures of the last publication, which a build is compared with.",
    ),
    _input(
        CHANGES,
        {"duckdb", "parquet"},
        "Change log of the last publication, which a build continues.",
    ),
]
