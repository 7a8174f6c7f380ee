"""Which hosts may be fetched from: public ones, and private ones that the operator names.

A host is resolved once for this check and again for the connection: a name server that answers differently the second
time is not defended against.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# IPv6 addresses that stand for the IPv4 address in their last 32 bits
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# for protocols (RFC 6890); Python calls some of them global
_PROTOCOLS = ipaddress.IPv4Network("192.0.0.0/24")
# translation inside one network (RFC 8215): whatever it leads to is private
_LOCAL_NAT64 = ipaddress.IPv6Network("64:ff9b:1::/48")


class ForbiddenAddressError(Exception):
    """A host that is not public and not allowed."""


def is_public(address: _Address) -> bool:
    """Whether an address belongs to the public internet: no private, loopback, link-local, shared or reserved one.

    An IPv6 address that stands for an IPv4 address (mapped, 6to4, NAT64) is as public as that one.
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address in _LOCAL_NAT64 or address.is_site_local:
            return False
    return (
        address not in _PROTOCOLS
        and address.is_global
        and not address.is_multicast
        and not address.is_reserved
    )


class PrivateHosts:
    """Hosts that may be fetched from although they are not public.

    Args:
        entries: a host name, an address, a network such as ``10.1.0.0/16``, or ``host:port``.

    Raises:
        ValueError: an entry is none of these.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self._names: set[str] = set()
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in entries:
            try:
                self._networks.append(ipaddress.ip_network(entry.strip("[]")))
            except ValueError:
                parts = urlsplit(f"//{entry}")
                if not parts.hostname or parts.path or parts.query or parts.fragment or "@" in entry:
                    raise ValueError(f"{entry!r} is no host, address or network") from None
                self._names.add(f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname)

    def require_allowed(self, url: str, *, is_proxied: bool) -> None:
        """Return if all addresses of a URL's host are public or allowed.

        Args:
            url: with a host.
            is_proxied: a proxy resolves the name; only a host that is written as an address can be checked here.

        Raises:
            ForbiddenAddressError: an address is neither; one among public ones is how a name is turned against a
                network from inside.
            OSError: there is no such name.
        """
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        # also 2130706433, 0x7f.1 and 127.1 are addresses to the system's resolver
        flags = socket.AI_NUMERICHOST if is_proxied else 0
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
        except socket.gaierror:
            if is_proxied:
                return
            raise
        for *_, (address, *_) in addresses:
            at = ipaddress.ip_address(str(address).partition("%")[0])
            if (
                self._has_name(host, port)
                or any(at in network for network in self._networks)
                or is_public(at)
            ):
                continue
            shown = str(at) if host == str(at) else f"{host} ({at})"
            raise ForbiddenAddressError(f"{shown} is not a public address")

    def _has_name(self, host: str, port: int | None) -> bool:
        name = host.lower().rstrip(".")
        return name in self._names or f"{name}:{port}" in self._names
