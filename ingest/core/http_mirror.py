"""Where a public URL is really requested: at its own host, or at a mirror of the upstreams in a closed network.

ACCELMART_MIRROR names the mirror: https://host/path?query is then requested at <mirror>/host/path?query. What is shown,
kept and compared stays the public URL.
"""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit, urlunsplit

from ingest.core.errors import FetchFailed
from ingest.core.urls import CHECK_URL, public_url

MIRROR_VARIABLE = "ACCELMART_MIRROR"
LOCAL_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})


class Mirror:
    """Where public URLs are really asked: at themselves, or at a mirror of the upstreams."""

    def __init__(self, base: str) -> None:
        self.base = base.strip().rstrip("/")
        try:
            self._parts = urlsplit(self.base)
            is_url = self._parts.scheme in {"http", "https"} and bool(self._parts.hostname)
        except ValueError:
            is_url = False
        if self.base and not (is_url and not self._parts.query and not self._parts.fragment):
            raise ValueError(
                f"mirror {public_url(base)!r}: give http(s)://host[:port][/path], or nothing ({MIRROR_VARIABLE})"
            )

    @property
    def hosts(self) -> list[str]:
        """The mirror as ``host:port``, or nothing."""
        usual = {"http": 80, "https": 443}.get(self._parts.scheme)
        host = self._parts.hostname
        bracketed = f"[{host}]" if host and ":" in host else host
        return [f"{bracketed}:{self._parts.port or usual}"] if self.base else []

    def place_of(self, url: str) -> str:
        """The URL to send a request for a public URL to."""
        parts = urlsplit(url)
        if not self.base or parts.hostname in LOCAL_HOSTS or parts.netloc == self._parts.netloc:
            return url
        user, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(
            (
                self._parts.scheme,
                user + at + self._parts.netloc if at else self._parts.netloc,
                f"{self._parts.path}/{host_and_port(url)}{parts.path or '/'}",
                parts.query,
                "",
            )
        )

    def redirect_target(self, url: str, location: str) -> str:
        """Where a redirect of a public URL leads: a public URL again, or the mirror itself."""
        asked = self.place_of(url)
        if asked == url:
            return redirect_target(url, location)
        parts, prefix = urlsplit(location), self._parts.path + "/"
        if not parts.netloc:
            # upstream's own path, unless the mirror wrote it
            if not parts.path.startswith(f"{prefix}{host_and_port(url)}/"):
                return redirect_target(url, location)
            parts = urlsplit(urljoin(asked, location))
        if parts.netloc != self._parts.netloc:
            return redirect_target(url, location)
        host, slash, path = parts.path.removeprefix(prefix).partition("/")
        if not (parts.path.startswith(prefix) and slash and "." in host):
            return urlunsplit(parts)
        return urlunsplit((urlsplit(url).scheme, host, f"/{path}", parts.query, ""))

    def note(self, url: str) -> str:
        """For messages: that not the upstream itself was asked."""
        return f", at the mirror {public_url(self.base)}" if self.place_of(url) != url else ""


def redirect_target(url: str, location: str) -> str:
    """Where a redirect leads, if it may.

    Args:
        url: that answered.
        location: its Location header.

    Returns:
        The absolute URL.

    Raises:
        FetchFailed: when it leaves http and https, or falls from https to http.
    """
    try:
        target = urljoin(url, location)
        scheme = urlsplit(target).scheme.lower()
    except ValueError:
        raise FetchFailed(url=public_url(url), problem="it redirects to no URL", remedy=CHECK_URL) from None
    if scheme not in {"http", "https"}:
        problem = f"it redirects to {public_url(target)}, which is neither http nor https"
    elif scheme == "http" and urlsplit(url).scheme.lower() == "https":
        problem = f"it redirects from https down to {public_url(target)}"
    else:
        return target
    raise FetchFailed(url=public_url(url), problem=problem, remedy=CHECK_URL)


def checked_host(url: str, shown: str) -> str:
    """The host of a URL; raise `FetchFailed` unless the URL is a full http or https one."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as error:
        raise FetchFailed(url=shown, problem=f"not a URL ({error})", remedy=CHECK_URL) from None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        raise FetchFailed(
            url=shown, problem="not an http or https URL", remedy="give a full URL: https://host/path"
        )
    return host


def host_and_port(url: str) -> str:
    """Host and port of a URL as a mirror names its folders: a port only where it is not the usual one."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    usual = {"http": ":80", "https": ":443"}.get(parts.scheme.lower(), "")
    return host.removesuffix(usual).removesuffix(":")
