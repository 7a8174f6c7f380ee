"""The readers' package by itself: what it loads, what its wheel holds, and that it works without the pipeline."""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from published_place import FIRST, serve, write_place, write_warehouse

import accelmart
from accelmart.cli import PIPELINE_COMMANDS
from accelmart.cli import app as command

ROOT = Path(accelmart.__file__).resolve().parents[1]
OF_MODULE = pd.DataFrame({"w": [1, 2]})
PIPELINE = ("ingest", "warehouse", "orchestration", "dagster", "dbt")


@pytest.fixture
def warehouse_file(tmp_path):
    return write_warehouse(tmp_path / "home" / "accelmart.duckdb", FIRST)


def python(code, *, path=None, **settings):
    """Run Python code in a process of its own; with `path` nothing else can be imported but the standard library."""
    words = [sys.executable, *(["-I", "-S"] if path else []), "-c", code]
    if path:
        words[-1] = f"import sys; sys.path[:0] = {[str(p) for p in path]!r}\n{code}"
    return subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, **settings})


def test_importing_it_loads_nothing_heavy():
    code = (
        "import sys; before = set(sys.modules); import accelmart; "
        "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    assert python(code).stdout.split() == ["accelmart"]
    # nor does a question to a local file load what asks servers
    code = code.replace("import accelmart;", "import accelmart.connection, multiprocessing.pool;")
    assert set(python(code).stdout.split()) - {"__mp_main__"} == {"accelmart"}


def test_every_public_name_is_there():
    assert set(dir(accelmart)) == set(accelmart.__all__) and len(accelmart.__all__) > 10
    assert all(getattr(accelmart, name).__module__.startswith("accelmart.") for name in accelmart.__all__)
    with pytest.raises(AttributeError, match="'chose'"):
        _ = accelmart.chose


def test_the_home_is_the_setting_else_data_here(warehouse_file, monkeypatch):
    monkeypatch.setenv("ACCELMART_HOME", str(warehouse_file.parent))
    with accelmart.connect() as warehouse:
        assert warehouse.sql("select tdp_w from part").fetchall() == [(700,)]
    assert accelmart.sql("from part").records() == [{"accelerator_id": "h100", "tdp_w": 700}]
    monkeypatch.delenv("ACCELMART_HOME")
    monkeypatch.chdir(warehouse_file.parent.parent)
    with pytest.raises(accelmart.NotPublishedError, match=r"data/accelmart.duckdb.*`make warehouse`"):
        accelmart.connect()
    warehouse_file.parent.rename("data")
    assert len(accelmart.sql("from part")) == 1


def test_data_frames_are_seen_where_access_is_open(warehouse_file):
    """Of the function that asks, of its module and under a parameter; by `connect` and by the function of the package."""
    mine = pd.DataFrame({"accelerator_id": ["h100"], "n": [8]})
    statement = "select n * tdp_w from mine join part using (accelerator_id)"
    assert accelmart.sql(statement, database=warehouse_file, external_access=True).rows == [(5600,)]
    with accelmart.connect(warehouse_file, external_access=True) as warehouse:
        assert warehouse.sql(statement).fetchall() == [(5600,)]
        assert warehouse.sql("select sum(w) * $n from OF_MODULE", {"n": 2}).fetchall() == [(6,)]
    with accelmart.connect(warehouse_file) as warehouse, pytest.raises(accelmart.QueryError, match="mine"):
        warehouse.sql(f"{statement} where {len(mine)} > 0")


def test_no_other_file_is_read_if_access_is_closed(warehouse_file, tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(accelmart.QueryError, match="disabled"):
        accelmart.sql(f"from '{tmp_path}/x.csv'", database=warehouse_file, external_access=False)


def test_nothing_of_a_closed_file_is_changed_or_kept(warehouse_file, monkeypatch, tmp_path):
    """Settings, extensions and a spilling question; another connection of the process with other rights changes none of it."""
    monkeypatch.chdir(tmp_path)
    with (
        accelmart.connect(warehouse_file, external_access=True),
        accelmart.connect(warehouse_file) as warehouse,
    ):
        for statement, problem in (
            ("set enable_external_access = true", "locked|while database is running"),
            ("set memory_limit = '1TB'", "locked"),
            ("set temp_directory = '/tmp'", "locked"),
            ("load httpfs", "disabled"),
            ("install httpfs", "disabled"),
            (f"attach '{tmp_path}/x.duckdb'", "disabled"),
            (f"from read_text('{__file__}')", "disabled"),
            ("create table main.x as select 1", "read-only"),
        ):
            with pytest.raises(duckdb.Error, match=problem):
                warehouse.connection.execute(statement)
        shown = "select current_setting('memory_limit'), current_setting('temp_directory')"
        assert warehouse.connection.execute(shown).fetchall() == [("3.7 GiB", "")]
    assert [p.name for p in tmp_path.iterdir()] == ["home"]


def test_what_a_file_of_another_version_lacks_is_said_so(warehouse_file):
    """For questions of this package; a statement of the user keeps DuckDB's words."""
    for question in (
        lambda: accelmart.rank("llama3.1-405b", database=warehouse_file),
        lambda: accelmart.find_changes(database=warehouse_file),
    ):
        with pytest.raises(
            accelmart.QueryError, match=r"accelmart.duckdb was built by an earlier version.*`accelmart build`"
        ):
            question()
    with pytest.raises(accelmart.QueryError, match="the query fails: Catalog Error"):
        accelmart.sql("from fct_inference_result", database=warehouse_file)


def test_a_wrong_file_is_named(tmp_path):
    text = tmp_path / "text.duckdb"
    text.write_text("no database")
    with pytest.raises(accelmart.QueryError, match=r"text.duckdb cannot be opened"):
        accelmart.connect(text)


def test_commands_of_the_pipeline_are_those_named():
    from orchestration.cli import app as pipeline

    names = {c.name or c.callback.__name__ for c in pipeline.registered_commands}
    assert names == set(PIPELINE_COMMANDS)
    # the pipeline's status says more than that of a reader
    assert names & {c.name or c.callback.__name__ for c in command.registered_commands} == {"status"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # `-o`: with the environment as it is
    variables = f"VENV={sys.prefix}", f"WHEELS={folder / 'wheels'}"
    done = subprocess.run(
        ["make", "-C", ROOT, "-o", f"{sys.prefix}/.ready", *variables, "wheel"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    (built,) = folder.glob("wheels/accelmart-*.whl")
    return built


def test_the_checksum_beside_the_wheel_is_that_of_its_bytes(wheel):
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert wheel.with_name("SHA256SUMS").read_text() == f"{digest}  {wheel.name}\n"


def test_the_wheel_holds_the_readers_package_alone(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"accelmart"}
    assert {"accelmart/cli/__init__.py", "accelmart/estimate/training.py", "accelmart/py.typed"} <= set(names)
    (metadata,) = (n for n in names if n.endswith("/METADATA"))
    wanted = [
        line.removeprefix("Requires-Dist: ").partition("<")[0].partition(">")[0]
        for line in zipfile.ZipFile(wheel).read(metadata).decode().splitlines()
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    ]
    assert sorted(wanted) == ["duckdb", "pytz", "requests", "rich", "typer", "urllib3"]


@pytest.fixture
def installed(wheel, tmp_path):
    """The wheel with its dependencies and theirs, and nothing else: folders to import from.

    Together they take less than 100 MB.
    """
    from importlib.metadata import distribution, requires

    from packaging.requirements import Requirement

    site, here = tmp_path / "site", set()
    wanted = [Requirement(r) for r in requires("accelmart")]
    todo = [r.name for r in wanted if not (r.marker and "extra" in str(r.marker))]
    site.mkdir()
    size = 0
    while todo:
        name = todo.pop()
        if name in here:
            continue
        here.add(name)
        one = distribution(name)
        paths = [Path(str(one.locate_file(f))) for f in one.files or ()]
        size += sum(path.stat().st_size for path in paths if path.is_file() and path.suffix != ".pyc")
        for top in {f.parts[0] for f in one.files or () if f.parts[0] != ".."}:
            if not (site / top).exists():
                (site / top).symlink_to(one.locate_file(top))
        needs = [Requirement(r) for r in one.requires or ()]
        todo += [r.name for r in needs if not r.marker or r.marker.evaluate({"extra": ""})]
    assert 1e6 < size < 100e6, size
    return [wheel, site]


def test_a_reader_pulls_and_asks_without_the_pipeline(installed, tmp_path):
    home = {"ACCELMART_HOME": str(tmp_path / "mine"), "ACCELMART_CACHE": str(tmp_path / "cache")}
    home["ACCELMART_PRIVATE_HOSTS"] = "127.0.0.1"

    def code(text):
        return python(text, path=installed, **home)

    def run(*words):
        return code(
            f"import sys; sys.argv = ['accelmart', *{words!r}]; from accelmart.cli import main; main()"
        )

    done = run("sql", "from part")
    assert done.returncode == 3 and "accelmart pull URL" in done.stderr
    with serve(write_place(tmp_path / "place", FIRST)) as (_, url):
        done = run("pull", url)
        assert done.returncode == 0 and f"Generation {FIRST}" in done.stdout, done.stderr
        assert json.loads(run("pull", url, "--json").stdout)["is_new"] is False
        done = code(f"import accelmart; print(accelmart.connect({url!r}).rows('from part'))")
        assert done.stdout == "[{'accelerator_id': 'h100', 'tdp_w': 700}]\n"
    done = run("sql", "from part", "--format", "csv")
    assert (done.returncode, done.stdout) == (0, "accelerator_id,tdp_w\nh100,700\n"), done.stderr
    # what needs more names it
    for done, words in (
        (code("import accelmart; accelmart.sql('from part').df()"), "pip install 'accelmart[frames]'"),
        (code("import accelmart; accelmart.connect('s3://b/x')"), "pip install 'accelmart[object-stores]'"),
        (run("mcp"), "pip install 'accelmart[mcp]'"),
        (run("build"), "needs the pipeline"),
        (run("biuld"), "biuld"),
    ):
        assert done.returncode and words in done.stderr
    help_ = run("--help")
    assert help_.returncode == 0 and "rank" in help_.stdout and "refresh" not in help_.stdout
    done = code(f"import importlib.util as u; print([name for name in {PIPELINE} if u.find_spec(name)])")
    assert done.stdout == "[]\n"


def test_the_citation_file_and_the_package_state_the_same_version():
    import tomllib

    import yaml

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (stated["version"], stated["license"]) == (project["version"], project["license"])
    assert {"cff-version", "message", "title", "authors"} <= stated.keys()
