"""Connections of one download: to public addresses only, and never past its deadline.

A host name is resolved once. All its addresses are checked, and the connection is made to one of the checked
addresses: a name server that answers differently the second time (DNS rebinding) gains nothing. Behind a proxy the
proxy resolves names; then only hosts that are written as addresses can be checked here.
"""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from functools import partial
from http.client import HTTPResponse
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NameResolutionError, NewConnectionError
from urllib3.util.connection import create_connection

from ingest.core.hosts import PrivateHosts

PRIVATE_HOSTS_VARIABLE = "ACCELMART_PRIVATE_HOSTS"


class DeadlinePassedError(Exception):
    """The download took longer than it may. Not an OSError: urllib3 would try again."""


class Route:
    """How one download connects.

    Args:
        private_hosts: allowed although not public.
        deadline: on `clock`.
        clock: seconds.
        connect_timeout_seconds: for a connection, TLS included.
        read_timeout_seconds: without a byte.
    """

    def __init__(
        self,
        private_hosts: PrivateHosts,
        deadline: float,
        clock: Callable[[], float],
        connect_timeout_seconds: float,
        read_timeout_seconds: float,
    ) -> None:
        self._private_hosts, self._deadline, self._clock = private_hosts, deadline, clock
        self._connect_timeout_seconds = connect_timeout_seconds
        self._read_timeout_seconds = read_timeout_seconds

    def connect(self, host: str, port: int, *, is_proxy: bool, **options: Any) -> socket.socket:
        """Connect to a checked address of a host.

        Raises:
            ForbiddenAddressError: one of its addresses is neither public nor allowed.
            DeadlinePassedError: there is no time left.
            OSError: there is no such name, or nobody answers.
        """
        addresses = list(
            dict.fromkeys(str(a[4][0]) for a in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        )
        # one private address among public ones is how a name is turned against a network from inside
        for address in () if is_proxy else addresses:
            self._private_hosts.require_allowed(host, port, address)
        failure: OSError | None = None
        for address in addresses:
            try:
                return create_connection(
                    (address, port), self._left(self._connect_timeout_seconds), **options
                )
            except OSError as error:
                failure = error
        raise failure or OSError("the name has no address")

    def wait_for_data(self, sock: socket.socket) -> None:
        """Let the next read of a socket take as long as the server may be silent, and not past the deadline."""
        sock.settimeout(self._left(self._read_timeout_seconds))

    def require_time(self) -> None:
        """Raise `DeadlinePassedError` if there is no time left."""
        self._left(0)

    def _left(self, wanted_seconds: float) -> float:
        left = self._deadline - self._clock()
        if left <= 0:
            raise DeadlinePassedError
        return min(left, wanted_seconds)


class GuardedAdapter(HTTPAdapter):
    """requests' adapter over connections of one `Route`."""

    def __init__(self, route: Route) -> None:
        self._route = route
        super().__init__()

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Make the pool of direct connections."""
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = self._pools()

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """Return the pool of connections by way of a proxy."""
        manager = super().proxy_manager_for(proxy, **options)
        if not proxy.lower().startswith("socks"):
            manager.pool_classes_by_scheme = self._pools()
        return manager

    def _pools(self) -> dict[str, Any]:
        return {
            "http": partial(_HttpPool, route=self._route),
            "https": partial(_HttpsPool, route=self._route),
        }


class _HttpGuarded(HTTPConnection):
    """A connection that asks its route for the socket, and before every read for the time left."""

    def __init__(self, *args: Any, route: Route, **options: Any) -> None:
        super().__init__(*args, **options)
        self._route = route
        self.response_class: Any = partial(_response, route)

    def _new_conn(self) -> socket.socket:
        try:
            return self._route.connect(
                self._dns_host,
                self.port or self.default_port,
                is_proxy=self.proxy is not None,
                source_address=self.source_address,
                socket_options=self.socket_options,
            )
        except socket.gaierror as error:
            raise NameResolutionError(self.host, self, error) from error
        except TimeoutError as error:
            self._route.require_time()
            raise ConnectTimeoutError(self, f"connection to {self.host} timed out") from error
        except OSError as error:
            raise NewConnectionError(self, f"Failed to establish a new connection: {error}") from error


class _HttpsGuarded(_HttpGuarded, HTTPSConnection):
    """The same with TLS."""


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _HttpGuarded


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _HttpsGuarded


def _response(route: Route, sock: socket.socket, *args: Any, **options: Any) -> HTTPResponse:
    """An answer whose status line, headers and body are read through the route."""
    timed: Any = _TimedSocket(route, sock)
    return HTTPResponse(timed, *args, **options)


class _TimedSocket:
    """What `HTTPResponse` needs of a socket."""

    def __init__(self, route: Route, sock: socket.socket) -> None:
        self._route, self._sock = route, sock

    def makefile(self, mode: str) -> io.BufferedReader:
        """The bytes that arrive."""
        return io.BufferedReader(_TimedReader(self._route, self._sock))


class _TimedReader(io.RawIOBase):
    def __init__(self, route: Route, sock: socket.socket) -> None:
        self._route, self._sock = route, sock
        self._file = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._route.wait_for_data(self._sock)
        try:
            return self._file.readinto(buffer)
        except TimeoutError:
            self._route.require_time()
            raise

    def close(self) -> None:
        self._file.close()
        super().close()
