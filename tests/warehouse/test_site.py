"""Publishing to a folder and to S3: at any moment readers have one whole generation."""

import hashlib
import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from drill_processes import IS_FULL
from object_store import s3_server, used_here
from published_place import FIRST, SECOND, WATTS, write_warehouse

import accelmart
from warehouse.outputs.site import CHECKSUMS, POINTER, Place, Site, SiteError, upload
from warehouse.publication.generation import Generation

THIRD = "20260303T000000-cccccc"
# of the moments at which a publication is killed; `make drills` tries all
EVERY = 1 if IS_FULL else 4


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELMART_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def site(tmp_path):
    """A staged generation of a few files."""

    def make(generation_id, content=""):
        folder = tmp_path / f"staged{content}" / generation_id
        if not folder.exists():
            names = ("accelmart.duckdb", "tables/part.parquet", "report.html", "llms.txt")
            write_warehouse(folder / names[0], generation_id)
            for name in names[1:]:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text(f"{name} of {generation_id} [x](x.html) {content}")
            sums = [f"{hashlib.sha256((folder / n).read_bytes()).hexdigest()}  {n}\n" for n in names]
            (folder / CHECKSUMS).write_text("".join(sums))
        built_at = datetime.strptime(generation_id[:15], "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
        return Site(Generation(generation_id, built_at, "f", folder / "accelmart.duckdb"), folder)

    return make


def whole_generation(folder):
    """Return the generation that a folder names; all of its files are those of its checksums."""
    stated = json.loads((folder / "latest.json").read_text())
    below = folder / "generations" / stated["generation_id"]
    for line in (folder / stated["checksums"]).read_text().splitlines():
        digest, path = line.split("  ")
        assert hashlib.sha256((below / path).read_bytes()).hexdigest() == digest
    with accelmart.connect(folder) as warehouse:
        assert warehouse.rows("from part")[0]["tdp_w"] == WATTS[warehouse.generation_id]
        assert warehouse.generation_id == stated["generation_id"]
    return stated["generation_id"]


def names(folder):
    return sorted(p.name for p in (folder / "generations").iterdir())


def test_a_generation_is_written_once_and_the_last_ones_stay(site, tmp_path):
    place, folder = Place(str(tmp_path / "to")), tmp_path / "to"
    done = upload(site(FIRST), place, keep=2)
    assert done.is_new and done.files == 5 and whole_generation(folder) == FIRST
    assert f"](generations/{FIRST}/x.html)" in (folder / "llms.txt").read_text()
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}
    assert not upload(site(FIRST), place, keep=2).is_new
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()} == before
    assert upload(site(SECOND), place, keep=2).kept == [SECOND, FIRST]
    WATTS[THIRD] = 1400
    done = upload(site(THIRD), place, keep=2)
    assert (done.kept, done.removed) == ([THIRD, SECOND], [FIRST]) and names(folder) == [SECOND, THIRD]
    (folder / "generations/mine").mkdir()
    done = upload(site(SECOND), place, keep=1)
    assert not done.is_new and whole_generation(folder) == SECOND, "a rollback moves the pointer"
    assert names(folder) == [SECOND, "mine"]


def test_another_file_of_a_generation_that_is_there_is_refused(site, tmp_path):
    place = Place(str(tmp_path / "to"))
    upload(site(FIRST), place)
    other = site(FIRST, "other")
    (other.folder / "accelmart.duckdb").write_bytes(b"another file")
    with pytest.raises(SiteError, match="holds another file of generation"):
        upload(other, place)
    assert whole_generation(tmp_path / "to") == FIRST


def test_a_website_that_was_made_again_is_published_for_the_same_generation(site, tmp_path):
    place, page = Place(str(tmp_path / "to")), tmp_path / "website/how-to/a.html"
    page.parent.mkdir(parents=True)
    for text, is_new in (("one", True), ("two", False)):
        page.write_text(text)
        done = upload(replace(site(FIRST), website=tmp_path / "website"), place)
        assert done.is_new == is_new and (tmp_path / "to/how-to/a.html").read_text() == text
    assert not (tmp_path / "to/index.html").exists(), "the website's own, if it has one"


class _Killed(Place):
    """A folder; the process is killed at the n-th moment before, within or after a change of it."""

    def __init__(self, root, moment):
        super().__init__(str(root))
        self.left = moment
        rename = Path.replace

        def replace(path, target):
            self.pass_moment()
            return rename(path, target)

        Path.replace = replace

    def pass_moment(self):
        if self.left == 0:
            os._exit(9)
        self.left -= 1

    def put(self, path, source):
        self.pass_moment()
        super().put(path, source)
        self.pass_moment()

    def remove(self, path):
        self.pass_moment()
        files = [p for p in Path(self._root, path).rglob("*") if p.is_file()]
        for file in files[:2]:
            file.unlink()
            self.pass_moment()
        super().remove(path)
        self.pass_moment()


def publish_killed(site, folder, moment):
    """Publish in a process that is killed at a moment; return whether it was."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            upload(site, _Killed(folder, moment), keep=1)
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, 9)
    return status == 9


@pytest.mark.drills
def test_killed_at_any_moment_the_place_names_a_whole_generation(site, tmp_path):
    seen = []
    for moment in range(0, 200, EVERY):
        folder = tmp_path / f"to{moment}"
        upload(site(FIRST), Place(str(folder)), keep=1)
        was_killed = publish_killed(site(SECOND), folder, moment)
        seen.append(whole_generation(folder))
        upload(site(SECOND), Place(str(folder)), keep=1)
        assert whole_generation(folder) == SECOND and names(folder) == [SECOND]
        assert {p.name for p in folder.iterdir()} == {"generations", "index.html", "latest.json", "llms.txt"}
        assert not list(folder.rglob("*.tmp"))
        if not was_killed:
            break
    assert len(seen) * EVERY > 30 and seen == sorted(seen) and {seen[0], seen[-1]} == {FIRST, SECOND}


@pytest.fixture
def s3(monkeypatch):
    """A real S3 server on this machine, and an empty bucket."""
    with s3_server() as address, used_here(monkeypatch, address):
        yield "s3://warehouses/accelmart"


def test_s3_is_published_to_and_read_from(s3, site, tmp_path, monkeypatch):
    place = Place(s3)
    assert upload(site(FIRST), place, keep=1).is_new
    with accelmart.connect(s3) as warehouse:
        assert warehouse.generation_id == FIRST
    assert not upload(site(FIRST), place, keep=1).is_new
    for last in (CHECKSUMS, POINTER):  # a publication that ends before this file leaves the pointer

        def put(path, source, last=last):
            if path.endswith(last):
                raise KeyboardInterrupt
            Place.put(place, path, source)

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(place, "put", put)
            upload(site(SECOND), place, keep=1)
        with accelmart.connect(s3) as warehouse:
            assert warehouse.generation_id == FIRST
    done = upload(site(SECOND), place, keep=1)
    assert done.removed == [FIRST] and place.folders("generations") == [SECOND]
    with accelmart.connect(s3) as warehouse:
        assert warehouse.rows("from part") == [{"accelerator_id": "h100", "tdp_w": WATTS[SECOND]}]
    assert accelmart.pull(s3, tmp_path / "mine.duckdb").generation_id == SECOND
    with pytest.raises(accelmart.NotPublishedError, match=r"nothing at s3://warehouses/none/latest\.json"):
        accelmart.connect("s3://warehouses/none")
    with pytest.raises(accelmart.ReaderError, match=r"s3://no-such-bucket/x/latest\.json"):
        accelmart.connect("s3://no-such-bucket/x")
