"""What follows from the dbt project alone is shipped, is that of the present project, and is true."""

import json
import sys
import tarfile
from pathlib import Path

import pytest

from ingest.core.errors import AccelmartError
from orchestration import dbt_state
from warehouse.fingerprint import dbt_rules
from warehouse.home import Home

ROOT = Path(__file__).resolve().parents[2]


def shipped(name):
    with tarfile.open(dbt_state.PACKED) as archive:
        return archive.extractfile(name).read()


def test_the_shipped_state_is_that_of_the_project():
    assert dbt_state.fingerprint_of() == dbt_rules(), "run `make state`"
    project, lineage = json.loads(shipped("manifest.json")), json.loads(shipped("column_lineage.json"))
    models = [u for u, n in project["nodes"].items() if n["resource_type"] == "model"]
    assert len(models) > 100 and len(lineage["lineage"]) > 0.9 * len(models)


def test_the_shipped_state_names_no_path_of_a_machine():
    home = str(Path.home())
    for name in ("manifest.json", "partial_parse.msgpack"):
        content = shipped(name).decode("utf-8", "replace")
        assert str(ROOT) not in content and sys.prefix not in content and f'"{home}' not in content


def test_a_present_state_is_unpacked_whole(tmp_path):
    assert dbt_state.unpack(tmp_path)
    assert (tmp_path / "manifest.fingerprint").read_text().split(" ")[0] == dbt_rules()
    assert dbt_state.is_current(tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {
        *("manifest.json", "manifest.fingerprint", "partial_parse.msgpack"),
        *("column_lineage.json", "passed_without_data.json"),
    }


def test_of_another_state_only_what_dbt_parsed_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(dbt_state, "dbt_rules", lambda: "another")
    assert not dbt_state.unpack(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["partial_parse.msgpack"]
    (tmp_path / "partial_parse.msgpack").write_bytes(b"newer")
    assert not dbt_state.unpack(tmp_path)
    assert (tmp_path / "partial_parse.msgpack").read_bytes() == b"newer"


def test_without_a_packed_state_dbt_parses(tmp_path):
    assert not dbt_state.unpack(tmp_path, tmp_path / "none.tar.xz") and list(tmp_path.iterdir()) == []


def test_only_a_state_of_the_present_project_is_packed(tmp_path):
    home = Home(tmp_path, str(tmp_path / "landing"))
    with pytest.raises(AccelmartError, match="was not built from the present dbt project"):
        dbt_state.pack(home, tmp_path / "packed.tar.xz")
    dbt_state.unpack(home.dbt_target)
    dbt_state.pack(home, tmp_path / "packed.tar.xz")
    assert dbt_state.unpack(tmp_path / "other", tmp_path / "packed.tar.xz")
    (home.dbt_target / "passed_without_data.json").unlink()
    with pytest.raises(AccelmartError, match="was not built"):
        dbt_state.pack(home, tmp_path / "packed.tar.xz")


@pytest.mark.parametrize("name", ["manifest.json", "partial_parse.msgpack"])
def test_a_damaged_file_is_replaced_by_the_packed_one(tmp_path, name):
    """A flipped byte in a string still parses: dbt would run other SQL than that of the project."""
    assert dbt_state.unpack(tmp_path)
    whole = (tmp_path / name).read_bytes()
    at = whole.index(b"select") + 1
    (tmp_path / name).write_bytes(whole[:at] + b"x" + whole[at + 1 :])
    assert not dbt_state.is_current(tmp_path)
    assert not (tmp_path / name).exists()
    assert dbt_state.unpack(tmp_path)
    assert (tmp_path / name).read_bytes() == whole and dbt_state.is_current(tmp_path)
