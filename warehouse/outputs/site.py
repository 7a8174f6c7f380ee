"""Publish what is published here to a folder, an S3 bucket or any other place that fsspec writes to.

    latest.json                  the pointer: newest generation, its file, SHA-256, size; replaced last
    llms.txt                     the same in words
    answers.csv                  the answers as one flat table: the file of that generation
    index.html                   home of the website, with its other pages and docs/; without it: leads to the report
    generations/<id>/            never changed once SHA256SUMS, the last file, is there
        accelmart.duckdb  accelmart.duckdb.gz  tables/*.parquet  tables/datapackage.json  tables/croissant.json
        answers/**.json  report.html  docs/**.md  llms.txt  SHA256SUMS

Readers begin with the pointer, so whatever interrupts a publication leaves them a whole generation. The last ones stay
for readers that read the pointer before; `accelmart.remote` is the reading side.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fsspec.core import url_to_fs
from isal import igzip

from accelmart.generation import GenerationId, is_generation_id
from ingest.core.errors import AccelmartError
from warehouse.outputs.answers import llms_txt, write_answers
from warehouse.outputs.answers_csv import ANSWERS
from warehouse.outputs.data_card import CARD, data_card
from warehouse.outputs.repair import behind, repair
from warehouse.publication.generation import Generation
from warehouse.publication.pointer import own_publication
from warehouse.storage.files import link_or_copy, replace_by_copy, sha256_of, written_whole
from warehouse.storage.home import GENERATIONS_TO_KEEP, Home
from warehouse.storage.locks import WAIT_S, exclusive

ANSWERS_CSV = f"{ANSWERS}.csv"
POINTER, CHECKSUMS, LLMS = "latest.json", "SHA256SUMS", "llms.txt"
FRONT = "index.html"
DOCS_SITE_STAMP = "generation.txt"
"""In the website: the generation that it describes."""
DATABASE, COMPRESSED = "accelmart.duckdb", "accelmart.duckdb.gz"
_BLOCK_BYTES = 1 << 20


class SiteError(AccelmartError):
    """The place cannot be written to, or what is published here is not whole."""


@dataclass(frozen=True)
class Site:
    """One generation as it is published.

    Args:
        generation: the published generation.
        folder: local folder with every file of it, `CHECKSUMS` included.
        website: folder of the pages at the root of the place; None if they were not made for this generation.
    """

    generation: Generation
    folder: Path
    website: Path | None = None

    def files(self) -> list[str]:
        """Return the paths below the folder, `CHECKSUMS` last."""
        paths = sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*") if p.is_file())
        return sorted(paths, key=lambda path: path == CHECKSUMS)

    def pages(self) -> list[str]:
        """Return the paths of the website below its folder."""
        if not self.website:
            return []
        return sorted(str(p.relative_to(self.website)) for p in self.website.rglob("*") if p.is_file())


class Place:
    """A folder, or a place in an object store; a file of an object store appears when all of it was sent.

    Args:
        url: a path, or a URL that fsspec writes to.

    Raises:
        SiteError: nothing writes to such a URL.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_local = "://" not in url or url.startswith("file://")
        try:
            self._files, self._root = url_to_fs(url, **{} if self.is_local else {"use_listings_cache": False})
        except (ImportError, ValueError) as e:
            raise SiteError(
                f"{url} cannot be written to: {e}. Object stores need: pip install 'accelmart[object-stores]'"
            ) from e

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        try:
            return bytes(self._files.cat_file(f"{self._root}/{path}"))
        except FileNotFoundError:
            return None

    def put(self, path: str, source: Path | bytes) -> None:
        """Write or replace a file atomically: a copy of `source`, or its bytes."""
        target = f"{self._root}/{path}"
        if not self.is_local and isinstance(source, Path):
            self._files.put_file(str(source), target)
        elif not self.is_local:
            self._files.pipe_file(target, source)
        elif isinstance(source, Path):
            replace_by_copy(source, Path(target))
        else:
            for left in Path(target).parent.glob(f".{Path(target).name}.*.tmp"):  # of a killed publication
                left.unlink(missing_ok=True)
            with written_whole(Path(target)) as temporary:
                temporary.write_bytes(source)

    def folders(self, path: str) -> list[str]:
        """Return the names of the folders in a folder."""
        self._files.invalidate_cache()
        try:
            entries = self._files.ls(f"{self._root}/{path}", detail=True)
        except FileNotFoundError:
            return []
        return sorted(e["name"].rstrip("/").rpartition("/")[2] for e in entries if e["type"] == "directory")

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all in it, if it is there."""
        self._files.invalidate_cache()
        if self._files.exists(f"{self._root}/{path}"):
            self._files.rm(f"{self._root}/{path}", recursive=True)


@dataclass(frozen=True)
class SitePublication:
    """What a publication did.

    Args:
        url: the place.
        generation_id: what its pointer names now.
        is_new: whether files were written; False if that generation was there.
        files: number of files of the generation.
        bytes: their size.
        kept: ids of the generations there, the newest publication first.
        removed: ids of generations that were removed.
    """

    url: str
    generation_id: str
    is_new: bool
    files: int
    bytes: int
    kept: list[GenerationId]
    removed: list[GenerationId]


def publish_site(home: Home, url: str, *, keep: int = GENERATIONS_TO_KEEP) -> SitePublication:
    """Publish the published generation of a data root, with exports, answers, report and pages.

    Builds wait while it is written, and so does another publication: the newest generation is named last.

    Args:
        home: the data root.
        url: a folder, ``s3://bucket/path``, ``gs://bucket/path`` or another URL that fsspec writes to.
        keep: generations that stay there, at least 1.

    Raises:
        NoWarehouseError: nothing is published here.
        SiteError: exports, report or pages cannot be made, the place cannot be written to.
    """
    if keep < 1:
        raise SiteError(f"--keep is {keep}: at least the published generation stays, so it must be 1 or more")
    place = Place(url)
    with exclusive(home, WAIT_S), _staging(home) as folder:
        site = stage(home, folder)
        try:
            return upload(site, place, keep=keep)
        except AccelmartError:
            raise
        except Exception as e:  # libraries of object stores have errors of their own
            raise SiteError(
                f"{place.url} cannot be written to ({type(e).__name__}: {e}). What it names is unchanged; publish "
                "again when that is solved"
            ) from e


def stage(home: Home, folder: Path) -> Site:
    """Collect every file of the published generation in a folder; the caller holds the lock of builds.

    Raises:
        NoWarehouseError: nothing is published.
        SiteError: an output is not that of the published generation and cannot be made.
    """
    problems = repair(home)
    generation = own_publication(home).generation
    if late := behind(home):
        reasons = "; ".join(problems) or ", ".join(output.name for output in late)
        raise SiteError(f"not of the published generation {generation.generation_id}: {reasons}")
    link_or_copy(generation.path, folder / DATABASE)
    # a sixth of the size; no file name and no time inside: the same generation gives the same bytes
    with (
        (folder / DATABASE).open("rb") as file,
        (folder / COMPRESSED).open("wb") as out,
        igzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as packed,
    ):
        shutil.copyfileobj(file, packed, _BLOCK_BYTES)
    for source, target, pattern in ((home.exports.resolve(), "tables", "*"), (home.docs, "docs", "**/*.md")):
        for path in sorted(source.glob(pattern)):
            if path.is_file() and not path.name.startswith("."):
                link_or_copy(path, folder / target / path.relative_to(source))
    (folder / "tables" / CARD).write_text(data_card(generation), encoding="utf-8")
    link_or_copy(home.report, folder / "report.html")
    write_answers(generation, folder / "answers")
    (folder / LLMS).write_text(llms_txt(generation), encoding="utf-8")
    is_made = docs_site_of(home) == generation.generation_id
    site = Site(generation, folder, home.site if is_made else None)
    sums = [f"{sha256_of(folder / path)}  {path}\n" for path in site.files()]
    (folder / CHECKSUMS).write_text("".join(sums), encoding="utf-8")
    return site


def docs_site_of(home: Home) -> str | None:
    """Return the id of the generation that the website describes; None if there is no website."""
    try:
        return (home.site / DOCS_SITE_STAMP).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def upload(site: Site, place: Place, *, keep: int = GENERATIONS_TO_KEEP) -> SitePublication:
    """Write a generation to a place, then its pointer, then remove generations that are no longer kept."""
    id_ = site.generation.generation_id
    earlier = _pointer_of(place)
    below = f"generations/{id_}"
    is_new = place.read(f"{below}/{CHECKSUMS}") is None
    paths = site.files()
    if is_new:
        place.remove(below)  # what an interrupted publication left
        for path in paths:
            place.put(f"{below}/{path}", site.folder / path)
    kept = [id_, *(k for k in earlier.get("kept", []) if is_generation_id(k) and k != id_)][:keep]
    database = _stated(place, below, site)
    pointer = {
        "format": 1,
        "generation_id": id_,
        "built_at": site.generation.built_at.astimezone(UTC).isoformat(),
        "published_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "database": database,
        "tables": f"{below}/tables/datapackage.json",
        "answers": f"{below}/answers/index.json",
        "report": f"{below}/report.html",
        **_stated_website(site),
        "checksums": f"{below}/{CHECKSUMS}",
        "kept": kept,
    }
    if {**pointer, "published_at": ""} != {**earlier, "published_at": ""}:
        if (flat := site.folder / "tables" / ANSWERS_CSV).exists():
            place.put(ANSWERS_CSV, flat)
        root_words = (site.folder / LLMS).read_text(encoding="utf-8").replace("](", f"]({below}/")
        place.put(LLMS, root_words.encode())
        for page in site.pages():
            place.put(page, Path(site.website or "", page))
        if not site.website:
            place.put(FRONT, _front(str(pointer["report"]), id_).encode())
        place.put(POINTER, (json.dumps(pointer, indent=1) + "\n").encode())
    removed = [old for old in place.folders("generations") if is_generation_id(old) and old not in kept]
    for old in removed:
        # without its last file first: what is left of it is never taken for a whole generation
        place.remove(f"generations/{old}/{CHECKSUMS}")
        place.remove(f"generations/{old}")
    size = sum((site.folder / path).stat().st_size for path in paths)
    return SitePublication(place.url, id_, is_new, len(paths), size, kept, removed)


def _front(target: str, generation_id: str) -> str:
    """Return the page at the root of a place without a website: it leads a browser to the report of a generation."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Accelmart</title>\n'
        f'<meta http-equiv="refresh" content="0; url={target}">\n</head>\n'
        f'<body><p><a href="{target}">Accelmart, generation {generation_id}</a></p></body>\n</html>\n'
    )


def _stated(place: Place, below: str, site: Site) -> dict[str, Any]:
    """Return path, hash and size of the published file as the checksums at the place state them."""
    sums = (place.read(f"{below}/{CHECKSUMS}") or b"").decode("utf-8")
    digests = {path: digest for digest, _, path in (line.partition("  ") for line in sums.splitlines())}
    generation = site.generation
    digest = digests.get(DATABASE, "")
    if digest != (generation.sha256 or sha256_of(site.folder / DATABASE)):
        raise SiteError(
            f"{place.url}/{below} holds another file of generation {generation.generation_id} than is published "
            "here: publish to another place, or remove that folder there"
        )
    return {
        "path": f"{below}/{DATABASE}",
        **({"gzip": f"{below}/{COMPRESSED}"} if COMPRESSED in digests else {}),
        "sha256": digest,
        "bytes": (site.folder / DATABASE).stat().st_size,
    }


def _stated_website(site: Site) -> dict[str, str]:
    """Return entry pages of the website and a digest of all pages, by which a changed website is published again."""
    if not site.website:
        return {}
    digest = hashlib.sha256()
    for page in site.pages():
        digest.update(f"{page} {sha256_of(site.website / page)}\n".encode())
    return {"site": FRONT, "documentation": "docs/index.html", "site_sha256": digest.hexdigest()}


def _pointer_of(place: Place) -> dict[str, Any]:
    try:
        stated = json.loads(place.read(POINTER) or b"{}")
    except ValueError:
        return {}  # replaced by this publication
    return stated if isinstance(stated, dict) else {}


@contextmanager
def _staging(home: Home) -> Iterator[Path]:
    """Yield an empty folder on the disk of the data root, where files can be linked; it is removed afterwards."""
    folder = home.root / ".site"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
