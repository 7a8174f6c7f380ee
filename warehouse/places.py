"""A place for files: a local folder, or an object store through fsspec. A file appears there whole or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Protocol

from ingest.core.errors import AccelmartError
from warehouse.files import replace_by_copy, written_whole


class PlaceError(AccelmartError):
    """There is no filesystem for the URL, or what it needs is not installed."""


class Place(Protocol):
    """A place with files below it.

    Attributes:
        address: of the place, for messages.
    """

    address: str

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none."""

    def put(self, path: str, source: Path | bytes) -> None:
        """Write or replace a file atomically: a copy of `source`, or its bytes."""

    def get(self, path: str, target: Path) -> bool:
        """Copy a file to a local one, which appears whole; return False if there is none."""

    def sizes(self, folder: str) -> dict[str, int]:
        """Return every file below a folder, by its path from there, with its bytes."""

    def sweep(self) -> None:
        """Remove temporary files that a killed publication left beside the pointer."""

    def folders(self, path: str) -> list[str]:
        """Return the names of the folders in a folder."""

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all in it, if it is there."""


def place_at(url: str) -> Place:
    """Return the place of a path or URL.

    Raises:
        PlaceError: there is no filesystem for the URL.
    """
    if "://" not in url:
        return LocalPlace(Path(url).absolute())
    from fsspec.core import url_to_fs

    try:
        files, path = url_to_fs(url, use_listings_cache=False)
    except (ImportError, ValueError) as e:
        raise PlaceError(
            f"{url} cannot be written to: {e}. Object stores need: pip install 'accelmart[object-stores]'"
        ) from e
    if "file" in ((p,) if isinstance(p := files.protocol, str) else p):
        return LocalPlace(Path(path))
    return RemotePlace(files, path, url)


class LocalPlace:
    """A folder: files are written aside and renamed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.address = str(root)

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        try:
            return (self._root / path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def put(self, path: str, source: Path | bytes) -> None:
        """Write or replace a file atomically: a copy of `source`, or its bytes."""
        if isinstance(source, Path):
            replace_by_copy(source, self._root / path)
            return
        with written_whole(self._root / path) as temporary:
            temporary.write_bytes(source)

    def get(self, path: str, target: Path) -> bool:
        """Copy a file to a local one, which appears whole; return False if there is none."""
        try:
            replace_by_copy(self._root / path, target)
        except FileNotFoundError:
            return False
        return True

    def sizes(self, folder: str) -> dict[str, int]:
        """Return every file below a folder, by its path from there, with its bytes."""
        root = self._root / folder
        files = (p for p in root.rglob("*") if p.is_file() and not p.name.startswith("."))
        return {p.relative_to(root).as_posix(): p.stat().st_size for p in files}

    def sweep(self) -> None:
        """Remove temporary files that a killed publication left beside the pointer."""
        for path in self._root.glob(".*.tmp"):
            path.unlink(missing_ok=True)

    def folders(self, path: str) -> list[str]:
        """Return the names of the folders in a folder."""
        folder = self._root / path
        return sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all in it, if it is there."""
        target = self._root / path
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)


class RemotePlace:
    """An object store: an object appears when all of it was sent."""

    def __init__(self, files: Any, root: str, address: str) -> None:
        self._files = files
        self._root = root.rstrip("/")
        self.address = address.rstrip("/")

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none."""
        try:
            return bytes(self._files.cat_file(self._at(path)))
        except FileNotFoundError:
            return None

    def put(self, path: str, source: Path | bytes) -> None:
        """Write or replace a file atomically: a copy of `source`, or its bytes."""
        if isinstance(source, Path):
            self._files.put_file(str(source), self._at(path))
        else:
            self._files.pipe_file(self._at(path), source)

    def get(self, path: str, target: Path) -> bool:
        """Copy a file to a local one, which appears whole; return False if there is none."""
        try:
            with written_whole(target) as temporary:
                self._files.get_file(self._at(path), str(temporary))
        except FileNotFoundError:
            return False
        return True

    def sizes(self, folder: str) -> dict[str, int]:
        """Return every file below a folder, by its path from there, with its bytes."""
        self._files.invalidate_cache()
        below = f"{self._at(folder)}/"
        entries = self._files.find(below, detail=True)
        return {name.partition(below)[2]: int(entry["size"]) for name, entry in entries.items()}

    def sweep(self) -> None:
        """Do nothing: an object appears when all of it was sent."""

    def folders(self, path: str) -> list[str]:
        """Return the names of the folders in a folder."""
        self._files.invalidate_cache()
        try:
            entries = self._files.ls(self._at(path), detail=True)
        except FileNotFoundError:
            return []
        return sorted(e["name"].rstrip("/").rpartition("/")[2] for e in entries if e["type"] == "directory")

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all in it, if it is there."""
        self._files.invalidate_cache()
        if self._files.isfile(self._at(path)):
            self._files.rm_file(self._at(path))  # `rm` would list everything around it
        elif self._files.exists(self._at(path)):
            self._files.rm(self._at(path), recursive=True)

    def _at(self, path: str) -> str:
        return f"{self._root}/{path}"
