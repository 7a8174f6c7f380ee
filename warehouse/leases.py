"""Leases: what one worker of several may do at a time, in a place that all of them reach.

A lease is a file ``leases/<name>/<token>.json``. Its token is a number that grows with every holder; of two workers
that ask for the next number one gets it, because a file is written only if its name is free. The holder renews the
lease while it works. A lease that was not renewed in time may be taken over: its holder is dead, or so slow that it
must not go on. Tokens fence off the slow one: what it then wants to write is refused, because a higher token is there
(`Lease.check`, `warehouse.store`). Clocks decide when a lease is taken over, never whether two may write.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ingest.core.errors import AccelmartError
from warehouse.places import Place

log = logging.getLogger(__name__)
# between two looks at a lease that another worker holds
_PAUSE_S = 0.5


class LeaseHeldError(AccelmartError):
    """Another worker holds the lease."""


class LeaseLostError(AccelmartError):
    """Another worker has taken the lease over; nothing more may be written under it."""


class Lease:
    """A lease that this process holds.

    Args:
        place: where leases are.
        name: what it is for.
        token: its number; higher than that of every holder before.
        seconds: after this time without renewal it may be taken over.
    """

    def __init__(self, place: Place, name: str, token: int, seconds: float) -> None:
        self.name, self.token = name, token
        self._place, self._seconds = place, seconds
        self._id = uuid.uuid4().hex

    @property
    def path(self) -> str:
        """Its file."""
        return _path(self.name, self.token)

    def record(self, *, is_released: bool = False) -> bytes:
        """Return what its file is to hold from now on."""
        record = {
            "token": self.token,
            "holder": f"process {os.getpid()} on {socket.gethostname()}",
            "id": self._id,
            "expires_at": time.time() + self._seconds,
            "is_released": is_released,
        }
        return json.dumps(record).encode()

    def renew(self, *, is_released: bool = False) -> None:
        """Say that the holder is alive, or that it has ended."""
        self._place.put(self.path, self.record(is_released=is_released))

    def check(self) -> None:
        """Raise LeaseLostError if another worker has a higher token."""
        newest = _newest(self._place, self.name)
        if newest > self.token:
            raise LeaseLostError(
                f"lease {self.token} ({self.name}) of {self._place.address} was taken over by lease {newest}: this "
                "worker did not renew it in time. Nothing was written; what it was doing is done by the other, or again"
            )


@contextmanager
def leased(place: Place, name: str, *, seconds: float, wait_s: float) -> Iterator[Lease]:
    """Hold a lease, and renew it meanwhile.

    Args:
        place: where leases are.
        name: what it is for.
        seconds: after this time without renewal another worker may take it over.
        wait_s: how long to wait for another holder.

    Raises:
        LeaseHeldError: another worker holds it for longer than `wait_s`.
    """
    lease = _acquire(place, name, seconds, time.monotonic() + wait_s)
    ended = threading.Event()
    renewing = threading.Thread(target=_renew_until, args=(lease, seconds / 4, ended), daemon=True)
    renewing.start()
    try:
        yield lease
    finally:
        ended.set()
        renewing.join()
        try:
            lease.renew(is_released=True)
        except Exception as e:  # noqa: BLE001  libraries of object stores have errors of their own; it expires
            log.warning("lease %s of %s is not released (%r): it expires", lease.token, place.address, e)


def _acquire(place: Place, name: str, seconds: float, deadline: float) -> Lease:
    while True:
        newest = _newest(place, name)
        holder = _holder(place, name, newest)
        if holder is None:
            lease = Lease(place, name, newest + 1, seconds)
            # a file of that number may have been removed since: then a higher one is there
            if place.put_new(lease.path, lease.record()) and _newest(place, name) == lease.token:
                _remove_earlier(place, lease)
                return lease
        elif time.monotonic() >= deadline:
            raise LeaseHeldError(
                f"{holder} works on {place.address} (lease {newest}, {name}). Wait for it, or call again with "
                f"--wait SECONDS. If it is dead, its lease expires {seconds:.0f} s after its last renewal"
            )
        time.sleep(_PAUSE_S)


def holder_of(place: Place, name: str) -> str | None:
    """Return who holds a lease now; None if nobody does."""
    return _holder(place, name, _newest(place, name))


def _newest(place: Place, name: str) -> int:
    """Return the highest token; 0 if nobody ever held the lease."""
    names = place.sizes(f"leases/{name}")
    return max(
        (int(n.removesuffix(".json")) for n in names if n.removesuffix(".json").isdecimal()), default=0
    )


def _holder(place: Place, name: str, token: int) -> str | None:
    """Return who holds a lease; None if it is free, was released or has expired."""
    content = place.read(_path(name, token)) if token else None
    try:
        stored: dict[str, Any] = json.loads(content or b"{}")
        is_held = not stored["is_released"] and float(stored["expires_at"]) > time.time()
        return str(stored["holder"]) if is_held else None
    except (ValueError, KeyError, TypeError):
        return None


def _remove_earlier(place: Place, lease: Lease) -> None:
    for file in place.sizes(f"leases/{lease.name}"):
        if file < f"{lease.token:012d}.json":
            place.remove(f"leases/{lease.name}/{file}")


def _renew_until(lease: Lease, pause_s: float, ended: threading.Event) -> None:
    while not ended.wait(pause_s):
        try:
            lease.renew()
        except Exception as e:  # noqa: BLE001  as above; the next renewal may succeed
            log.warning("lease %s is not renewed (%r): tried again in %.0f s", lease.token, e, pause_s)


def _path(name: str, token: int) -> str:
    return f"leases/{name}/{token:012d}.json"
