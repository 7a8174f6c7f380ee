"""The folded months that are shipped are those of the bundled prices, and are used only where nothing is folded yet."""

import tarfile

import pytest
from fold_comparison import verify_fold

from warehouse import snapshot_folds
from warehouse.fingerprint import fold_rules
from warehouse.fold_engine import DuckDbEngine
from warehouse.home import Home
from warehouse.lake import Lake


def files_of(raw):
    return {p.relative_to(raw): p.read_bytes() for p in (raw / "price_months").rglob("*.parquet")}


def test_shipped_months_are_those_of_the_bundled_prices(tmp_path):
    home = Home(tmp_path, str(tmp_path / "landing"))
    assert snapshot_folds.unpack(home.raw), "run `make state`"
    shipped = files_of(home.raw)
    histories = Lake(home).price_histories()
    for history in histories:
        history.parse()  # bundled files of collected prices
    compared = list(verify_fold(histories, DuckDbEngine()))
    assert files_of(home.raw) == shipped, "run `make state`"  # no month was missing, none was replaced
    assert sum(c.months for c in compared) > 100 and sum(c.rows for c in compared) > 3000
    assert [c for c in compared if c.differing] == []


def test_what_is_folded_already_stays(tmp_path):
    (tmp_path / "price_months").mkdir()
    assert not snapshot_folds.unpack(tmp_path)
    assert list((tmp_path / "price_months").iterdir()) == []


def test_months_of_other_rules_are_folded_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(snapshot_folds, "fold_rules", lambda: "another")
    assert not snapshot_folds.unpack(tmp_path)
    assert not snapshot_folds.unpack(tmp_path, tmp_path / "none.tar.xz")
    assert list(tmp_path.iterdir()) == []


def test_months_are_unpacked_whole_or_not_at_all(tmp_path, monkeypatch):
    def full(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(snapshot_folds, "sync_path", full)
    with pytest.raises(OSError, match="No space left"):
        snapshot_folds.unpack(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_archive_names_its_rules():
    with tarfile.open(snapshot_folds.PACKED) as archive:
        assert archive.extractfile("rules").read().decode() == fold_rules()
        assert all(not name.startswith(("/", "..")) for name in archive.getnames())
