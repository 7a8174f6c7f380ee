"""Which hosts may be fetched from: public ones, and private ones and a mirror that the operator names.

A host is resolved once for this check and again for the connection: a name server that answers differently the second
time is not defended against.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from accelmart.urls import public_url

MIRROR_VARIABLE, PRIVATE_HOSTS_VARIABLE = "ACCELMART_MIRROR", "ACCELMART_PRIVATE_HOSTS"
LOCAL_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})

# IPv6 addresses that stand for the IPv4 address in their last 32 bits
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# for protocols (RFC 6890), and translation inside one network (RFC 8215); Python calls some of them global
_INSIDE = (ipaddress.ip_network("192.0.0.0/24"), ipaddress.ip_network("64:ff9b:1::/48"))


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address belongs to the public internet: no private, loopback, link-local, shared or reserved one.

    An IPv6 address that stands for an IPv4 address (mapped, 6to4, NAT64) is as public as that one.
    """
    if isinstance(address, ipaddress.IPv6Address):
        is_nat64 = address in _NAT64
        last_bits = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if is_nat64 else None
        if inner := address.ipv4_mapped or address.sixtofour or last_bits:
            return is_public(inner)
        if address.is_site_local:
            return False
    is_special = address.is_multicast or address.is_reserved or any(address in network for network in _INSIDE)
    return address.is_global and not is_special


def parse_mirror(text: str) -> str:
    """Return the base URL of a mirror without a slash at its end; empty is none.

    Raises:
        ValueError: it is no http or https URL, or has a query or fragment.
    """
    base = text.strip().rstrip("/")
    try:
        parts = urlsplit(base)
        is_url = parts.scheme in {"http", "https"} and parts.hostname and not (parts.query or parts.fragment)
    except ValueError:
        is_url = False
    if base and not is_url:
        raise ValueError(
            f"mirror {public_url(text)!r}: give http(s)://host[:port][/path], or nothing ({MIRROR_VARIABLE})"
        )
    return base


def parse_private_hosts(text: str) -> list[str]:
    """Return the entries of ``ACCELMART_PRIVATE_HOSTS``.

    Raises:
        ValueError: one is none of what `PrivateHosts` takes.
    """
    hosts = text.replace(",", " ").split()
    PrivateHosts(hosts)
    return hosts


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

    def refusal(self, url: str, *, is_proxied: bool) -> str:
        """Return why a URL must not be fetched: its scheme, or an address that is neither public nor allowed.

        Args:
            url: with a host.
            is_proxied: a proxy resolves the name; only a host that is written as an address can be checked here.

        Returns:
            The reason; empty if it may be fetched. One private address among public ones is a reason: that is how a
            name is turned against a network from inside.

        Raises:
            OSError: there is no such name.
        """
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
        if host in self._names or f"{host}:{port}" in self._names:
            return ""
        # also 2130706433, 0x7f.1 and 127.1 are addresses to the system's resolver
        flags = socket.AI_NUMERICHOST if is_proxied else 0
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
        except socket.gaierror:
            if not is_proxied:
                raise
            answers = []
        addresses = [ipaddress.ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in answers]
        others = [a for a in addresses if not any(a in network for network in self._networks)]
        if addresses and not others:
            return ""
        if inside := next((a for a in others if not is_public(a)), None):
            return f"{host if host == str(inside) else f'{host} ({inside})'} is not a public address"
        return "" if parts.scheme.lower() == "https" else "it has no https:// address"
