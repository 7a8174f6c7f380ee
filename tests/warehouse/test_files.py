"""Files are there whole or not at all."""

from __future__ import annotations

import os
import stat

import pyarrow as pa
import pytest

from warehouse.publication.outcome import BuildWarning
from warehouse.storage.files import written_whole
from warehouse.storage.parquet import write_records


def test_a_block_that_ends_well_replaces_the_file(tmp_path):
    target = tmp_path / "deep" / "file.txt"
    for words in ("old", "new"):
        with written_whole(target) as temporary:
            assert temporary.parent == target.parent and temporary.name.startswith(".file.txt.")
            temporary.write_text(words)
            assert not target.exists() or target.read_text() == "old"
        assert target.read_text() == words
    assert os.listdir(target.parent) == ["file.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failing_block_leaves_the_old_file_and_nothing_else(tmp_path, error):
    target = tmp_path / "file.txt"
    target.write_text("old")
    with pytest.raises(error), written_whole(target) as temporary:
        temporary.write_text("half of the n")
        raise error
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_its_permissions_follow_the_umask(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        with written_whole(tmp_path / "file.txt") as temporary:
            temporary.write_text("x")
        with written_whole(tmp_path / "copy.txt", is_read_only=True) as temporary:
            temporary.write_text("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file.txt").stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "copy.txt").stat().st_mode) == mode & 0o444


def test_a_required_value_of_a_record_is_never_null(tmp_path):
    with pytest.raises(pa.ArrowException, match="words"):
        write_records(tmp_path / "rows.parquet", [BuildWarning("check", None, "subject")], BuildWarning)
    assert os.listdir(tmp_path) == []
