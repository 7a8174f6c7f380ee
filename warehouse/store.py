"""One data root for several workers: what must outlive a worker, under one URL (``ACCELMART_STORE``).

    landing/                 payloads and their manifest, unless they are elsewhere (``ACCELMART_LANDING``)
    raw/  generations/       files that never change under their name
    state/<number>.json      everything that does change, small: what is published, holds, the user's scenarios, …
    leases/build/            who may build; see `warehouse.leases`

Each worker has a local copy in its data root. `shared` brings it up to date, lets the worker build, and gives back what
is new: files first, then the next number of the state. A number is written only if it is free, so of two workers one
wins, and whoever reads the highest number sees a whole publication. Nothing is renamed, and a file appears whole or not
at all. What of a killed worker is not in the store yet was never published; the next worker does it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from ingest.core.errors import AccelmartError
from warehouse.build import raw_lock
from warehouse.files import read_derived, written_whole
from warehouse.home import Home
from warehouse.leases import Lease, LeaseHeldError, LeaseLostError, holder_of, leased
from warehouse.places import Place, PlaceError, place_at
from warehouse.price_fold import PRICE_CLOSED, PRICE_OPEN, PRICE_POLLS
from warehouse.publish import make_all_read_only

__all__ = [
    "LeaseHeldError",
    "State",
    "StoreError",
    "follow",
    "shared",
    "shared_raw",
    "shared_settings",
    "standing",
]
BUILD_LEASE = "build"
_STATES_KEPT = 20
_TRANSFERS = 8
# folded prices; their last files are those that `Bundle.is_there`, `has_open` and `has_intervals` ask for
_MONTHS = "raw/price_months/"
_LAST_OF_MONTH = (PRICE_POLLS, PRICE_OPEN, PRICE_CLOSED)
# made by one worker and replaced by another: a copy has those of the store alone
_REPLACED = (_MONTHS, "raw/price_manifest/", "generations/")
_FOLDERS = ("raw", "generations")
# follows from what is published: the store knows better than a copy
_DERIVED = frozenset({"published.json", "last_build.json", "isolated.json", "iceberg.json"})


class StoreError(AccelmartError):
    """The store cannot be read or written, or two workers changed the same file."""


@dataclass(frozen=True)
class State:
    """What changes, as of one number.

    Args:
        number: of the state; each is one more than the one before. 0 is the state before the first.
        token: of the lease that it was written under; 0 without one.
        files: path below the data root → content.
    """

    number: int = 0
    token: int = 0
    files: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def shared(home: Home, wait_s: float) -> Iterator[None]:
    """Build on the store's state: take the lease, bring the data root up to date, give back what is new.

    What was done is given back even if the block raises: a data root is consistent after every error.

    Args:
        home: a data root with a store; its `build_lock` is held.
        wait_s: how long to wait for a worker that builds.

    Raises:
        LeaseHeldError: another worker builds.
        LeaseLostError: another worker has taken over; nothing was given back.
        StoreError: the store cannot be reached, or a file of the user was changed here and there.
    """
    with _words(home), ExitStack() as held:
        lease = _transfer(
            held.enter_context, leased(_place(home), BUILD_LEASE, seconds=home.lease_s, wait_s=wait_s)
        )
        copy = _Copy(home)
        with raw_lock(home):
            copy.pull()
        try:
            yield
        finally:
            with raw_lock(home):
                copy.push(lease)


@contextmanager
def shared_raw(home: Home, *, is_folding: bool = False) -> Iterator[None]:
    """Add to the store's raw layer what is parsed meanwhile, by any number of workers at a time.

    Args:
        home: a data root with a store.
        is_folding: prices are folded, which replaces what was folded before. `raw.lock` is held.
    """
    with _words(home):
        copy = _Copy(home, ("raw",))
        copy.pull_files(replaced=is_folding)
        try:
            yield
        finally:
            copy.push_files(copy.local_files())
            if is_folding:
                copy.remove_replaced()


@contextmanager
def shared_settings(home: Home) -> Iterator[None]:
    """Change a file of the user, such as ``holds.json``, in the store, also while a worker builds."""
    with _words(home):
        copy = _Copy(home, ())
        copy.pull_settings()
        try:
            yield
        finally:
            copy.push_state(None)


def follow(home: Home) -> None:
    """Have in the data root what is published in the store: to read, not to build. Its `build_lock` is held."""
    with _words(home):
        copy = _Copy(home, ("generations",))
        newest, here = copy.numbers()
        if newest and newest != here:
            copy.pull()


def standing(home: Home) -> tuple[int, int, str | None]:
    """Return the number of the newest state, that of the copy in the data root, and who builds (None: nobody).

    Raises:
        StoreError: the store cannot be reached.
    """
    with _words(home):
        copy = _Copy(home)
        return *copy.numbers(), _transfer(holder_of, _place(home), BUILD_LEASE)


def _place(home: Home) -> Place:
    try:
        return place_at(home.store_url)
    except PlaceError as e:
        raise StoreError(str(e)) from e


@contextmanager
def _words(home: Home) -> Iterator[None]:
    """Say in words what a library of an object store raises. What the block of the caller raises passes as it is."""
    try:
        yield
    except _TransferError as e:
        raise StoreError(
            f"the store {_place(home).address} cannot be reached ({e}). What is published there is whole; call again "
            "when that is solved"
        ) from e.__cause__


class _TransferError(Exception):
    """A file was not read or written; its cause is the library's error."""


class _Copy:
    """The copy of a store in a data root.

    Args:
        home: the data root.
        folders: what of its files are copied; none: the state alone.
    """

    def __init__(self, home: Home, folders: tuple[str, ...] = _FOLDERS) -> None:
        self._home, self._folders = home, folders
        self._place = _place(home)
        self._there: set[str] = set()
        self._base = State()

    def _at(self, path: str) -> Path:
        """Return the place of a file of the store in the data root."""
        if Path(path).is_absolute() or ".." in Path(path).parts:
            raise StoreError(
                f"{self._place.address} has a file outside of a data root, {path!r}: remove it there"
            )
        return self._home.root / path

    # --- files that never change under their name ---

    def local_files(self) -> set[str]:
        """Return the paths of the files of this data root that belong into the store."""
        return {
            path.relative_to(self._home.root).as_posix()
            for folder in self._folders
            for path in (self._home.root / folder).rglob("*")
            if path.is_file() and _belongs(path.relative_to(self._home.root))
        }

    def pull_files(self, *, replaced: bool = True) -> None:
        """Copy the files that are missing here; remove replaced ones, if `replaced`."""
        self._there = {
            f"{folder}/{name}" for folder in self._folders for name in _transfer(self._place.sizes, folder)
        }
        here = self.local_files()
        self._copy(self._there - here, lambda path: self._place.get(path, self._at(path)))
        make_all_read_only(self._home)
        if replaced and self._there:
            for path in here - self._there:
                if path.startswith(_REPLACED):
                    (self._home.root / path).unlink(missing_ok=True)

    def push_files(self, here: Iterable[str]) -> None:
        """Copy the files that are missing in the store."""
        missing = set(here) - self._there
        self._copy(missing, lambda path: self._place.put(path, self._home.root / path))

    def remove_replaced(self, *, of_all: bool = False) -> None:
        """Remove from the store what was removed here since the copy was made.

        Args:
            of_all: whatever it is; else only folded prices.
        """
        gone = self._there - self.local_files()
        self._copy({p for p in gone if of_all or p.startswith(_REPLACED)}, self._place.remove)

    def _copy(self, paths: set[str], copy: Callable[[str], object]) -> None:
        with ThreadPoolExecutor(_TRANSFERS) as pool:
            for _, some in groupby(sorted(paths, key=_rank), key=_rank):
                for done in [pool.submit(_transfer, copy, path) for path in some]:
                    done.result()

    # --- state ---

    def numbers(self) -> tuple[int, int]:
        """Return the number of the newest state, and of the one that the data root was last equal to."""
        return _transfer(_newest_state, self._place), self._remembered().get("number", 0)

    def pull(self) -> None:
        """Bring the data root up to date."""
        state = _transfer(_read_state, self._place)  # first: it names no file that is not there yet
        self.pull_files()
        self._take(state)

    def pull_settings(self) -> None:
        """Bring the user's files up to date; what is published stays, as another process may be publishing here."""
        self._take(_transfer(_read_state, self._place), leave=_DERIVED)

    def _take(self, state: State, *, leave: frozenset[str] = frozenset()) -> None:
        """Write the files of a state here. A file that the user changed here since the copy before stays."""
        self._base = state
        if not state.number:
            return
        here, before = _state_files(self._home), self._remembered().get("files", {})
        paths = {*here, *state.files} - leave
        for path in sorted(paths, key=lambda path: path == "published.json"):
            mine, theirs = here.get(path), state.files.get(path)
            if mine == theirs:
                continue
            if path not in _DERIVED and mine != before.get(path):
                if theirs != before.get(path):
                    raise StoreError(
                        f"{self._home.root / path} was changed here, and by another worker in {self._place.address}. "
                        "Take one of them: to take the store's, remove the file here and call again"
                    )
                continue
            _write(self._at(path), theirs)
        self._remember(state, leave)

    def push(self, lease: Lease) -> None:
        """Give back what is new: files, then the state, if the lease still holds."""
        _transfer(lease.check)
        self.push_files(self.local_files())
        self.push_state(lease)
        self.remove_replaced(of_all=True)

    def push_state(self, lease: Lease | None) -> None:
        """Write the next state, with what changed here; what others changed meanwhile stays."""
        while True:
            newest = _transfer(_read_state, self._place)
            here, before = _state_files(self._home), self._base.files
            changed = {p for p in {*here, *before} if here.get(p) != before.get(p)}
            if lease is None:
                changed -= _DERIVED
            if not changed:
                return
            for path in sorted(changed):
                if newest.files.get(path) not in (before.get(path), here.get(path)):
                    raise StoreError(
                        f"{path} was changed by another worker in {self._place.address} at the same time: call again"
                    )
            files = {p: text for p, text in newest.files.items() if p not in changed}
            files |= {p: here[p] for p in changed if p in here}
            if lease is not None:
                _transfer(lease.check)
                if newest.token > lease.token:
                    raise LeaseLostError(
                        f"{self._place.address} has a state of a later lease: {newest.token}"
                    )
            state = State(newest.number + 1, lease.token if lease else newest.token, files)
            if state.number == 1:
                _transfer(_try, self._place)
            if _transfer(self._place.put_new, _path(state.number), _document(state)):
                self._remember(state, frozenset() if lease else _DERIVED)
                _transfer(_remove_states, self._place, state.number - _STATES_KEPT)
                return

    def _remembered(self) -> dict[str, Any]:
        """Return number and files of the state that this data root was last equal to; empty if there was none."""
        stored: dict[str, Any] = read_derived(self._home.store_copy, dict, {})
        return stored if stored.get("store") == self._place.address else {}

    def _remember(self, state: State, leave: frozenset[str]) -> None:
        """Keep what this data root is equal to now: all of a state, or all but some files, of which it is as before."""
        before = self._remembered()
        files = {path: text for path, text in state.files.items() if path not in leave}
        files |= {path: text for path, text in before.get("files", {}).items() if path in leave}
        number = before.get("number", 0) if leave else state.number
        with written_whole(self._home.store_copy) as temporary:
            document = {"store": self._place.address, "number": number, "files": files}
            temporary.write_text(json.dumps(document), encoding="utf-8")


def _transfer(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return call(*args)
    except AccelmartError:
        raise
    except Exception as e:  # libraries of object stores have errors of their own
        raise _TransferError(f"{type(e).__name__}: {e}") from e


def _belongs(path: Path) -> bool:
    """Whether a file belongs into the store: not what is being written, and not a file of this machine alone."""
    is_temporary = any(part.startswith(".") or part.endswith(".tmp") for part in path.parts)
    return not is_temporary and path != Path("raw/inputs.json")


def _rank(path: str) -> int:
    """Return the place of a file in the order of copying: one that states that others are complete comes after them.

    0: rows. 1: the account of a part, the last files of a month of folded prices, the record of a generation. 2: the
    list of the parts of a payload.
    """
    folder = path.split("/")[-2]
    if path.startswith(_MONTHS):
        return 1 if folder in _LAST_OF_MONTH else 0
    if folder == "parsed":
        return 2
    return 1 if folder.endswith("_reconciliation") or path.endswith(".record.json") else 0


def _state_files(home: Home) -> dict[str, str]:
    """Return the content of every file that changes, by its path below the data root."""
    fixed = (home.holds, home.accepted_payloads, home.scenarios, *(home.root / name for name in _DERIVED))
    of_user = (p for p in home.overrides.rglob("*") if p.is_file() and not p.name.startswith("."))
    return {
        path.relative_to(home.root).as_posix(): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in (*fixed, *of_user)
        if path.is_file()
    }


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    with written_whole(path) as temporary:
        temporary.write_bytes(text.encode("utf-8", "surrogateescape"))


def _newest_state(place: Place) -> int:
    """Return the number of the newest state; 0 before the first. Numbers are written in order, and old ones removed."""
    names = (name.removesuffix(".json") for name in place.sizes("state"))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def _read_state(place: Place) -> State:
    number = _newest_state(place)
    if not number:
        return State()
    stored = json.loads(place.read(_path(number)) or b"")
    return State(int(stored["number"]), int(stored["token"]), dict(stored["files"]))


def _document(state: State) -> bytes:
    # the process and a random number make it unique: `Place.put_new` knows its own by the content
    stored = {
        "number": state.number,
        "token": state.token,
        "writer": f"{os.getpid()}-{os.urandom(8).hex()}",
        "files": dict(state.files),
    }
    return json.dumps(stored, indent=1).encode()


def _try(place: Place) -> None:
    """Raise StoreError for a place that writes a file although its name is taken: two workers would both publish."""
    name = f"tried/{os.urandom(8).hex()}"
    try:
        if not place.put_new(name, b"first") or place.put_new(name, b"second"):
            raise StoreError(
                f"{place.address} cannot be a store: it writes over a file that is to be written only if its name is "
                "free. Use an object store with conditional writes (S3: If-None-Match), or a shared folder"
            )
    finally:
        place.remove(name)


def _remove_states(place: Place, until: int) -> None:
    for name in place.sizes("state"):
        if name <= f"{until:012d}.json":
            place.remove(f"state/{name}")


def _path(number: int) -> str:
    return f"state/{number:012d}.json"
