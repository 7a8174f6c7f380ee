"""Files are there whole or not at all."""

from __future__ import annotations

import os
import stat

import pytest

from warehouse.files import replace_by_copy, written_whole


def test_a_block_that_ends_well_replaces_the_file(tmp_path):
    target = tmp_path / "deep" / "file.txt"
    for words in ("old", "new"):
        with written_whole(target) as temporary:
            assert temporary.parent == target.parent and temporary.name.startswith(".file.txt.")
            temporary.write_text(words)
            assert not target.exists() or target.read_text() == "old"
        assert target.read_text() == words
    assert os.listdir(target.parent) == ["file.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failing_block_leaves_the_old_file_and_nothing_else(tmp_path, error):
    target = tmp_path / "file.txt"
    target.write_text("old")
    with pytest.raises(error), written_whole(target) as temporary:
        temporary.write_text("half of the n")
        raise error
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_failing_block_leaves_no_file_where_there_was_none(tmp_path):
    with pytest.raises(ValueError, match="no"), written_whole(tmp_path / "file.txt"):
        raise ValueError("no")
    assert os.listdir(tmp_path) == []


def test_a_block_that_loses_its_file_fails_and_keeps_the_old_one(tmp_path):
    target = tmp_path / "file.txt"
    target.write_text("old")
    with pytest.raises(FileNotFoundError), written_whole(target) as temporary:
        temporary.unlink()
    assert target.read_text() == "old"


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o027, 0o640)])
def test_its_permissions_follow_the_umask(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        with written_whole(tmp_path / "file.txt") as temporary:
            temporary.write_text("x")
        replace_by_copy(tmp_path / "file.txt", tmp_path / "copy.txt", is_read_only=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file.txt").stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "copy.txt").stat().st_mode) == mode & 0o444


def test_a_reader_keeps_what_it_opened(tmp_path):
    target = tmp_path / "file.txt"
    target.write_text("old")
    with target.open() as reader, written_whole(target) as temporary:
        temporary.write_text("new")
        reading = reader
        assert reading.read() == "old"
    assert target.read_text() == "new"
