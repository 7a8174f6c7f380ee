"""The readers' package by itself: what it loads, what its wheel holds, and that it works without the pipeline."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from published_place import FIRST, serve, write_place, write_warehouse

import accelmart
from accelmart.cli import PIPELINE_COMMANDS
from accelmart.cli import app as command

ROOT = Path(accelmart.__file__).resolve().parents[1]
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


def test_every_public_name_is_there():
    assert set(dir(accelmart)) == set(accelmart.__all__) and len(accelmart.__all__) > 10
    assert all(getattr(accelmart, name).__module__.startswith("accelmart.") for name in accelmart.__all__)
    with pytest.raises(AttributeError, match="'chose'"):
        _ = accelmart.chose


def test_the_home_is_the_setting_else_data_here(warehouse_file, monkeypatch):
    monkeypatch.setenv("ACCELMART_HOME", str(warehouse_file.parent))
    with accelmart.connect() as warehouse:
        assert warehouse.sql("select tdp_w from part").fetchall() == [(700,)]
    assert accelmart.sql("from part where tdp_w > $w", {"w": 100}).records() == [
        {"accelerator_id": "h100", "tdp_w": 700}
    ]
    assert accelmart.sql("from part").df()["tdp_w"].tolist() == [700]
    monkeypatch.delenv("ACCELMART_HOME")
    monkeypatch.chdir(warehouse_file.parent.parent)
    with pytest.raises(accelmart.NotPublishedError, match=r"data/accelmart.duckdb.*`make warehouse`"):
        accelmart.connect()
    warehouse_file.parent.rename("data")
    assert len(accelmart.sql("from part")) == 1


def test_a_file_is_read_only_and_a_wrong_one_is_named(warehouse_file, tmp_path):
    with pytest.raises(accelmart.QueryError, match="read-only"):
        accelmart.sql("drop table part", database=warehouse_file)
    with pytest.raises(accelmart.QueryError, match="show tables"):
        accelmart.sql("from prat", database=warehouse_file)
    with pytest.raises(accelmart.QueryError, match="disabled"):
        accelmart.sql(f"from '{tmp_path}/x.csv'", database=warehouse_file, external_access=False)
    text = tmp_path / "text.duckdb"
    text.write_text("no database")
    with pytest.raises(accelmart.QueryError, match=r"text.duckdb cannot be opened"):
        accelmart.connect(text)


def test_python_and_a_connection_that_is_open_go_together(warehouse_file):
    with accelmart.connect(warehouse_file) as warehouse:
        assert (
            warehouse.connection.execute("from part").fetchall()
            == accelmart.sql("from part", database=warehouse_file).rows
        )


def test_commands_of_the_pipeline_are_those_named():
    from orchestration.cli import app as pipeline

    names = {c.name or c.callback.__name__ for c in pipeline.registered_commands}
    assert names == set(PIPELINE_COMMANDS)
    # the pipeline's status says more than that of a reader
    assert names & {c.name or c.callback.__name__ for c in command.registered_commands} == {"status"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            "-w",
            folder,
            ROOT,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    (built,) = folder.glob("accelmart-*.whl")
    return built


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
    assert sorted(wanted) == ["duckdb", "rich", "typer"]


@pytest.fixture
def installed(wheel, tmp_path):
    """The wheel with its three dependencies and theirs, and nothing else: folders to import from.

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


def test_a_reader_pulls_and_asks(installed, tmp_path):
    home = {"ACCELMART_HOME": str(tmp_path / "mine"), "ACCELMART_CACHE": str(tmp_path / "cache")}

    def run(*words):
        code = f"import sys; sys.argv = ['accelmart', *{words!r}]; from accelmart.cli import main; main()"
        return python(code, path=installed, **home)

    done = run("sql", "from part")
    assert done.returncode == 3 and "accelmart pull URL" in done.stderr
    with serve(write_place(tmp_path / "place", FIRST)) as served:
        done = run("pull", served.url)
        assert done.returncode == 0 and f"Generation {FIRST}" in done.stdout, done.stderr
        assert json.loads(run("pull", served.url, "--json").stdout)["is_new"] is False
        code = f"import accelmart; print(accelmart.connect({served.url!r}).rows('from part'))"
        assert python(code, path=installed, **home).stdout == "[{'accelerator_id': 'h100', 'tdp_w': 700}]\n"
    assert "h100" in run("sql", "from part").stdout
    done = python("import accelmart; accelmart.sql('from part').df()", path=installed, **home)
    assert "pip install 'accelmart[frames]'" in done.stderr
    done = run("mcp")
    assert (
        done.returncode == 1
        and "pip install 'accelmart[mcp]'" in done.stderr
        and "Traceback" not in done.stderr
    )
    code = "import accelmart; accelmart.connect('s3://bucket/x')"
    assert "pip install 'accelmart[object-stores]'" in python(code, path=installed, **home).stderr


def test_without_the_pipeline_readers_read(installed, warehouse_file):
    home = {"ACCELMART_HOME": str(warehouse_file.parent)}
    code = (
        "import accelmart\n"
        "print(accelmart.connect().rows('from part')[0]['tdp_w'], accelmart.__file__)\n"
        f"for name in {PIPELINE}:\n"
        "    try: __import__(name)\n"
        "    except ModuleNotFoundError: print('no', name)\n"
    )
    done = python(code, path=installed, **home)
    assert done.returncode == 0, done.stderr
    figure, place = done.stdout.splitlines()[0].split()
    assert figure == "700" and ".whl" in place
    assert done.stdout.splitlines()[1:] == [f"no {name}" for name in PIPELINE]

    def run(*words):
        code = f"import sys; sys.argv = ['accelmart', *{words!r}]; from accelmart.cli import main; main()"
        return python(code, path=installed, **home)

    done = run("sql", "from part", "--format", "csv")
    assert (done.returncode, done.stdout) == (0, "accelerator_id,tdp_w\nh100,700\n"), done.stderr
    assert "h100" in run("sql", "from part").stdout
    done = run("build")
    assert done.returncode == 1 and "needs the pipeline" in done.stderr and "Traceback" not in done.stderr
    done = run("biuld")
    assert done.returncode == 2 and "biuld" in done.stderr
    help_ = run("--help")
    assert help_.returncode == 0 and "rank" in help_.stdout and "refresh" not in help_.stdout


def test_the_citation_file_and_the_package_state_the_same_version():
    import tomllib

    import yaml

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (stated["version"], stated["license"]) == (project["version"], project["license"])
    assert {"cff-version", "message", "title", "authors"} <= stated.keys()
