"""A run of a build makes what changed; what is taken over is recorded again only where Dagster has no result of it."""

import dagster as dg
import pytest

from warehouse.build import Build
from warehouse.home import Home
from warehouse.outcome import record_outcome
from warehouse.reuse import Reused

RUN = "a run"


@pytest.fixture
def chosen(definitions, instance, place, monkeypatch):
    """Return a function: (assets, names of checks) of a run that takes over two tables and their tests."""
    from orchestration.defs.warehouse import assets

    home, project = Home(place, str(place / "landing")), assets._project()
    tables = ("model.accelmart.dim_grid", "model.accelmart.mart_tco")
    tests = {
        check.name: check
        for check in assets.dbt_models.check_specs
        if check.asset_key.path[-1] in ("dim_grid", "mart_tco")
    }
    assert {check.asset_key.path[-1] for check in tests.values()} == {"dim_grid", "mart_tco"}
    taken = frozenset(u for u in project["nodes"] if u.startswith("test.") and u.split(".")[2] in tests)
    reused = Reused("a generation", tables, taken, {})
    begun = assets._Begun(Build(home.builds / RUN), project, reused, [], home.builds, None)
    monkeypatch.setitem(assets._BEGUN, RUN, begun)
    for check in tests.values():
        instance.report_runless_asset_event(
            dg.AssetCheckEvaluation(
                check_name=check.name,
                asset_key=check.asset_key,
                passed=check.asset_key.path[-1] == "dim_grid",
            )
        )
    instance.report_runless_asset_event(dg.AssetMaterialization(dg.AssetKey(["accelmart", "dim_grid"])))
    graph = definitions.resolve_asset_graph()

    def choose():
        selection = assets.made_anew(home, RUN, instance)
        checks = {key.name for key in selection.resolve_checks(graph)}
        return {key.path[-1] for key in selection.resolve(graph)}, checks

    return home, choose, tests, {check.name for check in assets.dbt_models.check_specs}


def test_what_dagster_knows_to_be_unchanged_is_left_out(chosen):
    home, choose, tests, all_checks = chosen
    record_outcome(home, "published", generation_id="a generation")
    assets, checks = choose()
    assert "dim_grid" not in assets, "it was taken over, and is known"
    assert {"mart_tco", "mart_energy", "accelmart"} <= assets, "not known, not taken over, the publication"
    assert all_checks - checks == {n for n, c in tests.items() if c.asset_key.path[-1] == "dim_grid"}
    assert len(checks) > 150


@pytest.mark.parametrize("outcome", ["failed", None])
def test_after_a_build_that_failed_everything_is_recorded(chosen, outcome):
    """Dagster's last events are those of the build that failed, not of what is published."""
    home, choose, _, all_checks = chosen
    if outcome:
        record_outcome(home, outcome, problems=["a check"])
    assets, checks = choose()
    assert "dim_grid" in assets and checks == all_checks
