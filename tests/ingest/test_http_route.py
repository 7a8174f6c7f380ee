"""Which addresses are connected to, and that a download ends at its deadline in every phase."""

from __future__ import annotations

import ipaddress
import socket
import threading
from contextlib import contextmanager
from time import monotonic, sleep

import pytest
from local_server import LocalClient, answer
from raw_server import raw_server

from ingest.core.errors import FetchFailed
from ingest.core.hosts import ForbiddenAddressError, PrivateHosts, is_public
from ingest.core.http import HttpClient

PUBLIC = [
    "8.8.8.8",
    "140.82.112.3",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
]
NOT_PUBLIC = [
    *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
    *("100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "::127.0.0.1", "64:ff9b:1::1"),
    *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "2002:7f00:1::1"),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_addresses_that_are_not_public(address):
    assert not is_public(ipaddress.ip_address(address))


def get(client: HttpClient, url: str, **more) -> bytes:
    with client.download(url, limit_bytes=1 << 20, **more) as got:
        return got.body.read()


# forms that the system's resolver takes for 127.0.0.1 or 169.254.169.254
FORMS = [
    "127.0.0.1",
    "2130706433",
    "0x7f.1",
    "127.1",
    "0",
    "[::ffff:127.0.0.1]",
    "169.254.169.254",
    "localhost",
]


@pytest.mark.parametrize("host", FORMS)
def test_a_first_address_that_is_not_public_is_refused(server, host):
    server.on("/a", answer(body=b"inside"))
    with pytest.raises(FetchFailed, match=r"is not a public address.*ACCELMART_PRIVATE_HOSTS"):
        get(HttpClient(retries=0), f"http://{host}:{server.port}/a")
    assert server.requests == []


@pytest.mark.parametrize("host", [f for f in FORMS if f != "localhost"])
def test_a_redirect_to_an_address_that_is_not_public_is_refused(server, host):
    url = server.on("/a", answer(302, Location=f"http://{host}:{server.port}/inside"))
    server.on("/inside", answer(body=b"inside"))
    # the first host is allowed by its name, so every form of its address is another host
    client = HttpClient(retries=0, private_hosts=["localhost"])
    with pytest.raises(FetchFailed, match="is not a public address"):
        get(client, url.replace("127.0.0.1", "localhost"))
    assert server.paths() == ["/a"]


@pytest.fixture
def names(monkeypatch):
    """Name → the answers of the name server, one after the other; the last one stays."""
    answers: dict[str, list[list[str]]] = {}
    really = socket.getaddrinfo

    def look_up(host, port, *args, **more):
        if host not in answers:
            return really(host, port, *args, **more)
        found = answers[host].pop(0) if len(answers[host]) > 1 else answers[host][0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return answers


def test_a_name_with_one_private_address_is_refused(server, names):
    names["data.example.org"] = [["8.8.8.8", "127.0.0.1"]]
    with pytest.raises(FetchFailed, match=r"data\.example\.org \(127\.0\.0\.1\) is not a public address"):
        get(HttpClient(retries=0), f"http://data.example.org:{server.port}/a")
    assert server.requests == []


@pytest.mark.parametrize("entry", ["127.0.0.1", "127.0.0.0/8", "LOCALHOST", "localhost:{port}"])
def test_what_is_allowed_is_fetched(server, entry):
    server.on("/a", answer(body=b"ok"))
    client = HttpClient(retries=0, private_hosts=[entry.format(port=server.port)])
    assert get(client, server.url("/a", host="localhost")) == b"ok"


def test_another_port_of_an_allowed_host_is_refused():
    hosts = PrivateHosts(["localhost:8080"])
    hosts.require_allowed("http://localhost:8080/", is_proxied=False)
    with pytest.raises(ForbiddenAddressError):
        hosts.require_allowed("http://localhost:22/", is_proxied=False)


@pytest.mark.parametrize("entry", ["http://a", "a/b", "user@a", "10.0.0.0/99"])
def test_what_is_no_host_is_refused(entry):
    with pytest.raises(ValueError, match="no host, address or network"):
        HttpClient(private_hosts=[entry])


def test_the_proxy_may_be_private_and_what_it_is_asked_for_may_not(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", server.url(""))
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.delenv("no_proxy")
    server.on("http://data.example.org/a", answer(body=b"ok"))
    assert get(HttpClient(retries=0), "http://data.example.org/a") == b"ok"
    with pytest.raises(FetchFailed, match=r"169\.254\.169\.254 is not a public address"):
        get(HttpClient(retries=0), "http://169.254.169.254/latest/meta-data")


# --- the deadline ------------------------------------------------------------------------------------------------


@contextmanager
def dripping(start: bytes, every_seconds: float = 0.02):
    """A server that sends `start` and then one byte at a time, for five seconds; yields its port."""
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        connection.sendall(start)
        ends_at = monotonic() + 5
        while not over.is_set() and monotonic() < ends_at:
            connection.sendall(b"x")
            sleep(every_seconds)

    with raw_server(drip) as port:
        try:
            yield port
        finally:
            over.set()


PHASES = {
    "status line": b"HTTP/1.1 200 ",
    "headers": b"HTTP/1.1 200 OK\r\nX-A: ",
    "interim answers": b"HTTP/1.1 100 Continue\r\nX-A: ",
    "body": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
    "body without a length": b"HTTP/1.1 200 OK\r\n\r\n",
    "length of a chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
}


@pytest.mark.parametrize("phase", PHASES)
def test_a_drip_is_left_at_the_deadline_in_every_phase(phase):
    client = LocalClient(total_timeout_seconds=0.3, read_timeout_seconds=10)
    with dripping(PHASES[phase]) as port:
        started = monotonic()
        with pytest.raises(FetchFailed, match=r"not finished within 0\.3 s"):
            get(client, f"http://127.0.0.1:{port}/a")
        assert monotonic() - started < 3


def test_tls_that_is_never_agreed_on_is_left_at_the_deadline():
    client = LocalClient(total_timeout_seconds=0.3, read_timeout_seconds=10)
    # a record of 16 KiB that comes byte by byte
    with dripping(b"\x16\x03\x03\x40\x00") as port:
        started = monotonic()
        with pytest.raises(FetchFailed, match=r"not finished within 0\.3 s"):
            get(client, f"https://127.0.0.1:{port}/a")
        assert monotonic() - started < 3


def test_redirects_share_one_deadline(server):
    def slowly(handler):
        sleep(0.15)
        answer(302, Location=f"/{len(server.requests)}")(handler)

    for number in range(10):
        server.on(f"/{number}", slowly)
    with pytest.raises(FetchFailed, match=r"not finished within 0\.3 s"):
        get(LocalClient(total_timeout_seconds=0.3, max_redirects=50), server.url("/0"))
    assert len(server.requests) <= 4


def test_whether_a_server_is_there_has_a_deadline_too():
    client = LocalClient(connect_timeout_seconds=0.1, read_timeout_seconds=0.2)
    with dripping(PHASES["headers"]) as port, pytest.raises(FetchFailed, match=r"no data for 0\.2 s"):
        client.reach(f"http://127.0.0.1:{port}/")


# --- keys in clear -----------------------------------------------------------------------------------------------

KEYED = {"headers": {"Authorization": "Bearer marker-0123456789"}}


@pytest.mark.parametrize("mirror", ["http://mirror.example.org", "http://10.0.0.7:8080/all"])
@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("https://api.example.org/a", KEYED),
        ("https://api.example.org/a?key=short", {}),
        ("https://user:marker-0123456789@api.example.org/a", {}),
    ],
)
def test_a_key_is_not_sent_to_a_mirror_without_tls(mirror, url, more):
    with pytest.raises(FetchFailed) as refused:
        get(HttpClient(mirror=mirror, retries=0), url, **more)
    assert "its key would be sent without encryption" in str(refused.value)
    assert "ACCELMART_MIRROR" in str(refused.value)
    assert "marker-0123456789" not in str(refused.value)


def test_a_key_is_not_sent_to_an_upstream_without_tls():
    with pytest.raises(FetchFailed, match="its key would be sent without encryption"):
        get(HttpClient(retries=0), "http://api.example.org/a", **KEYED)


def test_a_key_stays_with_its_port(server):
    other = type(server)()
    thread = threading.Thread(target=other.httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        url = server.on("/a", answer(302, Location=other.on("/b", answer(body=b"ok"))))
        assert get(LocalClient(retries=0), url, **KEYED) == b"ok"
    finally:
        other.httpd.shutdown()
        other.httpd.server_close()
    assert ["authorization" in headers for _, headers in other.requests] == [False]
