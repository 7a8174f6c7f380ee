"""A build first makes all outputs those of the published generation, and leaves a pinned one published."""

import os

import drill_steps
import pytest

from warehouse import build as warehouse_build
from warehouse import outputs
from warehouse.output_state import behind
from warehouse.publish import PinnedError, is_intact, publication
from warehouse.rollback import rollback

FIRST, SECOND = (f"2026010{n}T000000-aaaaaa" for n in (1, 2))


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A data root with two generations; report and pages are one line each."""
    monkeypatch.setattr(outputs, "place_report", drill_steps.one_line_report)
    monkeypatch.setattr(outputs, "write_pages", drill_steps.one_line_pages)
    for name in (FIRST, SECOND):
        assert drill_steps.build_step(tmp_path, name) == []
    return drill_steps.home_of(tmp_path)


@pytest.fixture
def build(monkeypatch):
    """A build whose inputs are those of what is published; it fails where it would start dbt."""

    def run_dbt(*_):
        raise AssertionError("a build began")

    monkeypatch.setattr(warehouse_build, "run_dbt", run_dbt)
    monkeypatch.setattr(warehouse_build, "current_generation", lambda home: publication(home).generation)
    return warehouse_build.build


def test_a_build_reads_the_published_file_before_it_finds_nothing_new(published, build):
    """A changed byte that leaves size and time as they are is seen too."""
    info = published.published.stat()
    published.published.chmod(0o644)
    with published.published.open("r+b") as file:
        file.seek(info.st_size // 2)
        file.write(b"damage")
    published.published.chmod(0o444)
    os.utime(published.published, ns=(info.st_atime_ns, info.st_mtime_ns))
    published.report.unlink()
    assert not is_intact(published.published, publication(published).generation)
    assert not build(published).is_new
    assert is_intact(published.published, publication(published).generation) and behind(published) == []


@pytest.mark.parametrize("asked", [{"force": True}, {"accept_changes": True}])
def test_a_pin_refuses_a_build_that_is_forced(published, build, asked):
    rollback(published, pin=True)
    with pytest.raises(PinnedError, match=f"{FIRST} is pinned"):
        build(published, **asked)
    assert publication(published).generation.generation_id == FIRST
