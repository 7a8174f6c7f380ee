"""Sensor and run first make all outputs those of the published generation, and leave a pinned one published."""

import dagster as dg
import drill_steps
import pytest

from warehouse import build as warehouse_build
from warehouse import outputs
from warehouse.output_state import behind
from warehouse.publish import PinnedError, is_intact, publication
from warehouse.rollback import rollback

FIRST, SECOND = (f"2026010{n}T000000-aaaaaa" for n in (1, 2))


@pytest.fixture
def published(definitions, place, monkeypatch):
    """Two generations in the data root of the settings; report and pages are one line each."""
    monkeypatch.setattr(outputs, "place_report", drill_steps.one_line_report)
    monkeypatch.setattr(outputs, "write_pages", drill_steps.one_line_pages)
    for name in (FIRST, SECOND):
        assert drill_steps.build_step(place, name) == []
    return drill_steps.home_of(place)


@pytest.fixture
def tick(definitions, instance):
    from orchestration.defs.warehouse.sensors import rebuild_when_inputs_changed

    return lambda: rebuild_when_inputs_changed(dg.build_sensor_context(instance))


@pytest.fixture
def build(monkeypatch):
    """A build whose inputs are those of what is published; it fails where it would start dbt."""

    def run_dbt(*_):
        raise AssertionError("a build began")

    monkeypatch.setattr(warehouse_build, "run_dbt", run_dbt)
    monkeypatch.setattr(warehouse_build, "current_generation", lambda home: publication(home).generation)
    return warehouse_build.build


def test_a_tick_of_the_sensor_writes_every_output_that_is_behind(published, tick):
    for path in (published.exports, published.report, published.docs / "state.md"):
        path.unlink()
    assert [output.name for output in behind(published)] == ["exports", "report", "docs"]
    tick()
    assert behind(published) == []


def test_a_build_reads_the_published_file_before_it_finds_nothing_new(published, build):
    """A changed byte that leaves size and time as they are is seen too."""
    info = published.published.stat()
    published.published.chmod(0o644)
    with published.published.open("r+b") as file:
        file.seek(info.st_size // 2)
        file.write(b"damage")
    published.published.chmod(0o444)
    drill_steps.os.utime(published.published, ns=(info.st_atime_ns, info.st_mtime_ns))
    published.report.unlink()
    assert not is_intact(published.published, publication(published).generation)
    assert not build(published).is_new
    assert is_intact(published.published, publication(published).generation) and behind(published) == []


def test_the_sensor_says_that_a_pin_keeps_it_from_building(published, tick):
    rollback(published, pin=True)
    seen = tick()
    assert isinstance(seen, dg.SkipReason) and f"{FIRST} is pinned" in seen.skip_message
    assert "rollback --unpin" in seen.skip_message


@pytest.mark.parametrize("asked", [{"force": True}, {"accept_changes": True}])
def test_a_pin_refuses_a_build_that_is_forced(published, build, asked):
    rollback(published, pin=True)
    with pytest.raises(PinnedError, match=f"{FIRST} is pinned"):
        build(published, **asked)
    assert publication(published).generation.generation_id == FIRST
