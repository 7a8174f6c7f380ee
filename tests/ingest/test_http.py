"""The HTTP client against real servers on this machine."""

from __future__ import annotations

import gzip
import ipaddress
import json
import logging
import re
import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import monotonic, sleep, time

import pytest
from json_source import json_source
from local_server import LocalClient, answer
from raw_server import raw_server
from replay_server import ReplayServer, Reply, as_json, reset_mid_body, server_error
from urllib3.util import Retry

from ingest.core.errors import FetchFailed
from ingest.core.fetch import run_fetch
from ingest.core.fetch_plan import Fetch, Request
from ingest.core.hosts import PrivateHosts, is_public, parse_mirror
from ingest.core.http import HttpClient, NoAnswer, StatusRefused
from ingest.core.landing import Landing
from ingest.core.urls import public_url

KEYED = {"headers": {"Authorization": "Bearer marker-0123456789"}}


@pytest.fixture
def client() -> HttpClient:
    return LocalClient(retry=Retry(3), read_timeout_seconds=5)


def get(client: HttpClient, url: str, **given) -> bytes:
    with client.download(url, **({"limit_bytes": 1 << 20} | given)) as got:
        return got.body.read()


def test_a_download_and_its_evidence(server, client):
    url = server.on(
        "/a", answer(body=b"hello", Content_Type="text/CSV; charset=utf-8", ETag='"1"', Last_Modified="x")
    )
    with client.download(url, limit_bytes=5) as got:
        assert got.body.read() == b"hello"
    assert (got.status, got.is_over_limit) == (200, False)
    assert (got.content_type, got.etag, got.last_modified) == ("text/csv", '"1"', "x")


def test_it_says_who_it_is(server):
    url = server.on("/a", answer())
    get(LocalClient(), url)
    get(LocalClient(contact="ops@example.org"), url)
    plain, configured = (headers["user-agent"] for _, headers in server.requests)
    shape = r"accelmart/\d[\w.]* \(\+https://github\.com/accelmart/accelmart; {}\)"
    assert re.fullmatch(shape.format("contact in README"), plain)
    assert re.fullmatch(shape.format(r"ops@example\.org"), configured)


# --- retries -----------------------------------------------------------------------------------------------------


def broken_chunks(handler):
    start = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    handler.wfile.write(start + b"5\r\nhello\r\n")


WHOLE = gzip.compress(b"price\n" * 1000)
PASSING = {
    **{f"{status}": answer(status) for status in (429, 500, 502, 503, 504)},
    "unreadable Retry-After": answer(503, Retry_After="soon"),
    "hangs up": lambda handler: None,
    "body cut short": answer(body=b"x" * 300_000, length=400_000),
    "chunks cut short": broken_chunks,
    "no gzip": answer(body=b"not gzip at all", Content_Encoding="gzip"),
    "gzip cut short": answer(body=WHOLE[:-1], Content_Encoding="gzip"),
    "gzip cut in its header": answer(body=WHOLE[:8], Content_Encoding="gzip"),
}


@pytest.mark.parametrize("name", PASSING)
def test_passing_trouble_is_sat_out_and_lasting_trouble_reported(server, client, name):
    url = server.on("/a", *[PASSING[name]] * 3, answer(body=b"short"))
    assert get(client, url) == b"short"  # nothing of a broken body remains
    with pytest.raises(FetchFailed, match=r": .*\. To fix: .*try again later"):
        get(client, server.on("/b", PASSING[name]))
    assert server.paths() == ["/a"] * 4 + ["/b"] * 4


def test_retry_after_is_granted_up_to_its_bound(server):
    client = LocalClient(retry=Retry(3, retry_after_max=1))
    waits = ("1", "86400", formatdate(time() + 86400, usegmt=True))
    url = server.on("/a", *(answer(503, Retry_After=wait) for wait in waits), answer(body=b"ok"))
    started = monotonic()
    assert get(client, url) == b"ok"
    assert 2.9 < monotonic() - started < 60


def test_a_wait_beyond_the_deadline_is_not_begun(server):
    client = LocalClient(total_timeout_seconds=20, retry=Retry(3))
    started = monotonic()
    with pytest.raises(StatusRefused, match="answered 503 Service Unavailable") as refused:
        get(client, server.on("/a", answer(503, Retry_After="500")))
    assert monotonic() - started < 15 and refused.value.may_pass
    assert refused.value.limits == {"retry-after": "500"}


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (400, "does not accept it"),
        (401, "wants credentials"),
        (403, "ACCELMART_CONTACT"),
        (404, "correct its fetch plan"),
        (304, "does not accept it"),
        (204, "does not accept it"),
        (599, "does not accept it"),
    ],
)
def test_other_statuses_fail_at_once_with_what_to_do(server, client, status, remedy):
    url = server.on("/a", answer(status))
    with pytest.raises(StatusRefused, match=rf"the server answered {status}.*To fix: .*{remedy}") as refused:
        get(client, url)
    assert not refused.value.may_pass and len(server.requests) == 1


def test_a_refused_connection_is_reported(client):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # taken, but nobody listens
        with pytest.raises(NoAnswer, match=r"Connection refused\. To fix: check the network"):
            get(client, f"http://127.0.0.1:{unused.getsockname()[1]}/a?token=s3cret")


def test_a_name_that_does_not_exist_is_reported():
    with pytest.raises(NoAnswer, match="the name of its host cannot be resolved"):
        get(HttpClient(retry=Retry(0)), "https://data.example.invalid/a")


def test_silence_times_out(server):
    release = threading.Event()
    client = LocalClient(retry=Retry(1), read_timeout_seconds=0.4)

    def stall(handler):
        answer(body=b"0123", length=10)(handler)
        handler.wfile.flush()
        release.wait(10)

    with pytest.raises(NoAnswer, match=r"Read timed out"):
        get(client, server.on("/a", lambda handler: release.wait(10)))
    with pytest.raises(NoAnswer, match=r"broke off: Read timed out"):
        get(client, server.on("/b", stall))
    release.set()
    assert server.paths() == ["/a", "/a", "/b", "/b"]


# --- size, encoding and time -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "over"), [(1000, False), (1001, True), (5000, True)])
def test_the_limit_stops_the_download(server, client, size, over):
    with client.download(server.on("/a", answer(body=b"x" * size)), limit_bytes=1000) as got:
        assert len(got.body.read()) == min(size, 1001)
    assert got.is_over_limit is over


def test_a_compression_bomb_is_stopped_by_its_decoded_size(server, client):
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 60_000
    url = server.on("/a", answer(body=bomb, Content_Encoding="gzip"))
    with client.download(url, limit_bytes=100_000) as got:
        assert (len(got.body.read()), got.is_over_limit) == (100_001, True)


def test_an_empty_body_is_no_broken_gzip(server, client):
    assert get(client, server.on("/a", answer(body=b"", Content_Encoding="gzip"))) == b""
    assert len(server.requests) == 1


def test_gzip_of_several_members_with_padding(server, client):
    body = gzip.compress(b"a" * 200_000) + gzip.compress(b"b") + bytes(512)
    assert get(client, server.on("/a", answer(body=body, Content_Encoding="gzip"))) == b"a" * 200_000 + b"b"


def test_an_encoding_nobody_asked_for_is_refused(server, client):
    url = server.on("/a", answer(body=b"x", Content_Encoding="br"))
    with pytest.raises(FetchFailed, match="content encoding 'br', which was not asked for"):
        get(client, url)
    assert server.requests[0][1]["accept-encoding"] == "gzip"


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
    "TLS": b"\x16\x03\x03\x40\x00",  # a record of 16 KiB
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
        with pytest.raises(NoAnswer, match=r"not finished within 0\.3 s"):
            get(client, f"http{'s' if phase == 'TLS' else ''}://127.0.0.1:{port}/a")
        assert monotonic() - started < 3


def test_redirects_share_one_deadline(server):
    def slowly(handler):
        sleep(0.15)
        answer(302, Location=f"/{len(server.requests)}")(handler)

    for number in range(10):
        server.on(f"/{number}", slowly)
    with pytest.raises(NoAnswer, match=r"not finished within 0\.3 s"):
        get(LocalClient(total_timeout_seconds=0.3), server.url("/0"))
    assert len(server.requests) <= 4


def test_whether_a_server_is_there_has_a_deadline_too():
    client = LocalClient(connect_timeout_seconds=0.1, read_timeout_seconds=0.2)
    with dripping(PHASES["headers"]) as port, pytest.raises(NoAnswer, match=r"not finished within 0\.3 s"):
        client.reach(f"http://127.0.0.1:{port}/")


# --- redirects and addresses -------------------------------------------------------------------------------------


def test_redirects_are_followed(server, client):
    server.on("/b/c", answer(302, Location="d?x=1"))
    server.on("/b/d", answer(body=b"there"))
    assert get(client, server.on("/a", answer(301, Location="/b/c"))) == b"there"
    assert server.paths() == ["/a", "/b/c", "/b/d?x=1"]


def test_a_redirect_loop_is_left(server, client):
    url = server.on("/a", answer(302, Location="/a"))
    with pytest.raises(FetchFailed, match="more than 5 redirects"):
        get(client, url)
    assert len(server.requests) == 6


NOT_FETCHED = [
    *("file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://x/", "data:text/plain,x", "http://[::1"),
    "http://8.8.8.8/a",
]


@pytest.mark.parametrize("target", [*NOT_FETCHED, "http://", "/etc/passwd", "example.org"])
def test_only_https_is_fetched_from_elsewhere(client, target):
    with pytest.raises(FetchFailed, match=r"URL|it has no https:// address"):
        get(client, target)


@pytest.mark.parametrize("target", NOT_FETCHED)
def test_a_redirect_out_of_https_is_refused(server, client, target):
    url = server.on("/a", answer(302, Location=target))
    with pytest.raises(FetchFailed, match=r"not an http or https URL|redirects to what is none|no https://"):
        get(client, url)
    assert len(server.requests) == 1


@pytest.fixture
def tls_server(tmp_path):
    """An https server whose only answer is a redirect down to http."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test"
    named = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(["openssl", *made.split(), *named], check=True, capture_output=True)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            answer(302, Location="http://8.8.8.8/plain")(self)

        def log_message(self, *args):
            pass

    httpd = HTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{httpd.server_address[1]}/a", cert
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def test_tls_is_verified_and_never_given_up_by_a_redirect(tls_server, client, monkeypatch):
    url, cert = tls_server
    with pytest.raises(FetchFailed, match=r"no trusted TLS connection to it .*CERTIFICATE_VERIFY_FAILED"):
        get(client, url)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(cert))
    with pytest.raises(FetchFailed, match=r"http://8\.8\.8\.8/plain: it has no https:// address"):
        get(client, url)


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


@pytest.mark.parametrize("address", PUBLIC + NOT_PUBLIC)
def test_which_addresses_are_public(address):
    assert is_public(ipaddress.ip_address(address)) is (address in PUBLIC)


# forms that the system's resolver takes for 127.0.0.1 or 169.254.169.254
FORMS = [
    *("127.0.0.1", "2130706433", "0x7f.1", "127.1", "0", "[::ffff:127.0.0.1]", "169.254.169.254"),
    "localhost",
]


@pytest.mark.parametrize("host", FORMS)
def test_a_first_address_that_is_not_public_is_refused(server, host):
    server.on("/a", answer(body=b"inside"))
    with pytest.raises(FetchFailed, match=r"is not a public address.*ACCELMART_PRIVATE_HOSTS"):
        get(HttpClient(), f"http://{host}:{server.port}/a")
    assert server.requests == []


@pytest.mark.parametrize("host", [f for f in FORMS if f != "localhost"])
def test_a_redirect_to_an_address_that_is_not_public_is_refused(server, host):
    url = server.on("/a", answer(302, Location=f"http://{host}:{server.port}/inside"))
    server.on("/inside", answer(body=b"inside"))
    # the first host is allowed by its name, so every form of its address is another host
    with pytest.raises(FetchFailed, match="is not a public address"):
        get(HttpClient(private_hosts=["localhost"]), url.replace("127.0.0.1", "localhost"))
    assert server.paths() == ["/a"]


def test_a_name_with_one_private_address_is_refused(monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 443)) for a in ("8.8.8.8", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: found)
    with pytest.raises(FetchFailed, match=r"data\.example\.org \(127\.0\.0\.1\) is not a public address"):
        get(HttpClient(), "https://data.example.org/a")


@pytest.mark.parametrize("entry", ["127.0.0.1", "127.0.0.0/8", "LOCALHOST", "localhost:{port}"])
def test_what_is_allowed_is_fetched(server, entry):
    server.on("/a", answer(body=b"ok"))
    client = HttpClient(private_hosts=[entry.format(port=server.port)])
    assert get(client, server.url("/a", host="localhost")) == b"ok"


def test_another_port_of_an_allowed_host_is_refused():
    hosts = PrivateHosts(["localhost:8080"])
    assert hosts.refusal("http://localhost:8080/", is_proxied=False) == ""
    assert "not a public address" in hosts.refusal("http://localhost:22/", is_proxied=False)


@pytest.mark.parametrize("entry", ["http://a", "a/b", "user@a", "10.0.0.0/99"])
def test_what_is_no_host_is_refused(entry):
    with pytest.raises(ValueError, match="no host, address or network"):
        HttpClient(private_hosts=[entry])


def test_the_proxy_may_be_private_and_what_it_is_asked_for_may_not(server, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", server.url(""))
    monkeypatch.delenv("NO_PROXY")
    monkeypatch.delenv("no_proxy")
    # the name is the proxy's to resolve; this server is no proxy for TLS, but it was asked
    with pytest.raises(NoAnswer, match="Tunnel connection failed: 501"):
        get(HttpClient(retry=Retry(0)), "https://data.example.org/a")
    with pytest.raises(FetchFailed, match=r"169\.254\.169\.254 is not a public address"):
        get(HttpClient(retry=Retry(0)), "https://169.254.169.254/latest/meta-data")


# --- manners -----------------------------------------------------------------------------------------------------


def test_a_host_is_asked_at_its_pace_and_this_machine_at_will(server):
    url, client = server.on("/a", answer()), LocalClient()
    started = monotonic()
    for _ in range(3):
        get(client, url)
    assert monotonic() - started < 1.9
    client.slow_down("127.0.0.1", 0.3)
    client.slow_down("127.0.0.1", 0.1)  # no reason to hurry
    started = monotonic()
    for _ in range(3):
        get(client, url)
    assert monotonic() - started >= 0.6


# --- keys --------------------------------------------------------------------------------------------------------


def test_own_headers_are_not_passed_on_to_another_host_or_port(server, client):
    other = type(server)()
    thread = threading.Thread(target=other.httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    server.on("/a", answer(302, Location="/b"))
    server.on("/b", answer(302, Location=server.url("/c", host="localhost")))
    server.on("/c", answer(302, Location=other.on("/d", answer(body=b"ok"))))
    assert get(client, server.url("/a"), headers={"X-Api-Key": "s3cret"}) == b"ok"
    other.httpd.shutdown()
    other.httpd.server_close()
    asked = [*server.requests, *other.requests]
    assert [headers.get("x-api-key") for _, headers in asked] == ["s3cret", "s3cret", None, None]


@pytest.mark.parametrize(
    ("url", "more"),
    [
        ("https://api.example.org/a", KEYED),
        ("https://api.example.org/a?key=short", {}),
        ("https://user:marker-0123456789@api.example.org/a", {}),
        ("http://10.0.0.7/a", KEYED),
    ],
)
def test_a_key_is_not_sent_without_tls(url, more):
    mirror = "http://mirror.example.org" if url.startswith("https") else ""
    with pytest.raises(FetchFailed, match=r"its key would be sent without encryption.*ACCELMART_MIRROR") as e:
        get(HttpClient(mirror=mirror, private_hosts=["10.0.0.0/8"]), url, **more)
    assert "marker-0123456789" not in str(e.value)


@pytest.mark.parametrize("value", ["abcdefgh\n", " abcdefgh", "abc\u2019defgh"])
def test_a_key_that_cannot_be_sent_is_reported_without_its_value(server, client, value):
    with pytest.raises(FetchFailed, match=r"X-Api-Key.* has a character that cannot be sent") as failed:
        get(client, server.on("/a", answer()), headers={"X-Api-Key": value})
    assert "abc" not in str(failed.value) and server.requests == []


def test_a_refusal_does_not_repeat_the_servers_words(server, client):
    def refuse(handler):
        handler.wfile.write(b"HTTP/1.1 403 no sk-0123456789 here\r\nContent-Length: 0\r\n\r\n")

    with pytest.raises(StatusRefused, match=r"answered 403 Forbidden\.") as refused:
        get(client, server.on("/a", refuse), headers={"X-Api-Key": "sk-0123456789"})
    assert "sk-0" not in repr(vars(refused.value))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://u:p@h.org/a?b=1", "https://h.org/a?b=1"),
        ("https://tok@h.org/a", "https://h.org/a"),
        ("https://u:p@ss@h.org/", "https://h.org/"),
        (
            "https://h.org/a?api_key=x&b=2&X-Amz-Signature=z",
            "https://h.org/a?api_key=***&b=2&X-Amz-Signature=***",
        ),
        (
            "https://h.org/a?sig=1&author=me&access_token=t#id_token=u",
            "https://h.org/a?sig=***&author=me&access_token=***#id_token=***",
        ),
        ("ssh://git:pw@h.org/a", "ssh://git@h.org/a"),
        ("git@h.org:a/b.git", "git@h.org:a/b.git"),
        ("cannot reach http://u:p@h.org/?token=t now", "cannot reach http://h.org/?token=*** now"),
        ("https://h.org/?$filter=a eq 'b'", "https://h.org/?$filter=a eq 'b'"),
        ("/a/path@2", "/a/path@2"),
        # the example of RFC 7519
        (
            "refused eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODB9."
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk now",
            "refused *** now",
        ),
    ],
)
def test_what_is_shown_of_a_url(text, shown):
    assert public_url(text) == shown


def test_messages_and_logs_hold_no_secrets(server, client, caplog, capfd):
    caplog.set_level(logging.INFO)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        dead = unused.getsockname()[1]
        urls = [
            f"http://user:s3cret@127.0.0.1:{server.port}/missing?api_key=s3cret",
            f"http://user:s3cret@127.0.0.1:{dead}/a?token=s3cret",
            server.on("/a", answer(302, Location="file://u:s3cret@h/?token=s3cret")),
            server.on("/b", answer(503)) + "?password=s3cret",
            "http://user:s3cret@/a?key=s3cret",
        ]
        for url in urls:
            with pytest.raises(FetchFailed) as failed:
                get(client, url)
            chain = [failed.value, failed.value.__cause__]
            assert failed.value.__suppress_context__ or failed.value.__context__ is None
            assert "s3cret" not in "".join(map(str, chain))
    assert "s3cret" not in caplog.text + "".join(capfd.readouterr())


# --- into the landing zone ---------------------------------------------------------------------------------------


def land(landing, client, url, *, json=None, limit_bytes=1000):
    fetch = Fetch(key="k", first=Request(url=url, json=json))
    return run_fetch(landing, json_source(limit_bytes=limit_bytes), fetch, client)


def conditional(body: bytes, etag: str):
    def send(handler):
        if handler.headers.get("If-None-Match") == etag:
            answer(304, ETag=etag)(handler)
        else:
            answer(
                body=body,
                ETag=etag,
                Last_Modified="Sat, 01 Aug 2026 00:00:00 GMT",
                Content_Type="application/json",
            )(handler)

    return send


@pytest.fixture
def landing(tmp_path) -> Landing:
    return Landing(str(tmp_path / "landing"))


def test_only_what_is_new_is_fetched(server, client, landing):
    url = server.on("/a", conditional(b"[1]", '"1"'), conditional(b"[1]", '"1"'), conditional(b"[2]", '"2"'))
    first, second, third = (land(landing, client, url) for _ in range(3))
    assert [p.outcome for p in (first, second, third)] == ["landed", "unchanged", "landed"]
    assert [p.http_status for p in (first, second, third)] == [200, 304, 200]
    assert [p.etag for p in (first, second, third)] == ['"1"', '"1"', '"2"']
    assert landing.read(second) == b"[1]" and landing.read(third) == b"[2]"
    assert server.requests[1][1]["if-modified-since"] == "Sat, 01 Aug 2026 00:00:00 GMT"


def test_validators_are_not_used_for_another_url_or_a_damaged_object(server, client, landing, tmp_path):
    a, b = server.on("/a", conditional(b"[1]", '"1"')), server.on("/b", conditional(b"[1]", '"1"'))
    land(landing, client, a)
    assert land(landing, client, b).http_status == 200
    next((tmp_path / "landing" / "objects").rglob("*.gz")).write_bytes(b"rot")
    healed = land(landing, client, b)
    assert (healed.http_status, healed.outcome, landing.read(healed)) == (200, "unchanged", b"[1]")


# --- POST and mirrors --------------------------------------------------------------------------------------------


@pytest.fixture
def upstream():
    with ReplayServer() as replayed:
        yield replayed


@pytest.fixture
def mirrored(upstream) -> HttpClient:
    return HttpClient(mirror=upstream.url, retry=Retry(3), min_interval_seconds=0)


API = "https://api.example.org/graphql"
LIST = "https://data.example.org/a/list.json"
ASKED = f"{LIST}?b=1&c=%2F"


def echoed(asked) -> Reply:
    return as_json([asked.method, asked.headers.get("content-type"), asked.body.decode()])


def test_json_is_posted_and_tried_again_as_a_whole(upstream, mirrored):
    upstream.on(API, echoed)
    upstream.fault("api.example.org", "/", server_error(503).once())
    upstream.fault("api.example.org", "/", reset_mid_body().once().after(1))
    got = json.loads(get(mirrored, API, json={"query": "é"}))
    assert got == ["POST", "application/json", '{"query": "\\u00e9"}']
    assert [a.method for a in upstream.requests] == ["POST"] * 3
    assert len({a.body for a in upstream.requests}) == 1


@pytest.mark.parametrize(
    ("status", "arrives"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
def test_what_a_redirect_makes_of_a_post(upstream, mirrored, status, arrives):
    upstream.on(API, Reply(status=status, headers={"Location": "/v2"}))
    upstream.on("https://api.example.org/v2", echoed)
    method, _, body = json.loads(get(mirrored, API, json={"a": 1}))
    assert (method, body) == (arrives, '{"a": 1}' if arrives == "POST" else "")


def test_the_mirror_is_asked_and_the_public_url_shown(upstream, mirrored, landing):
    upstream.on(LIST, as_json([1]))
    kept = land(landing, mirrored, ASKED)
    assert kept.url == ASKED
    (asked,) = upstream.requests
    assert (asked.url, asked.headers["host"]) == (ASKED, upstream.url.removeprefix("http://"))
    assert land(landing, mirrored, ASKED).http_status == 304


def test_a_mirror_is_asked_for_every_public_url(upstream, mirrored):
    upstream.on(LIST, as_json([1]))
    upstream.on("https://data.example.org:8443/a", as_json([8443]))
    assert get(mirrored, LIST.replace("data.example.org/", "Data.example.org:443/")) == b"[1]"
    assert get(mirrored, "https://data.example.org:8443/a") == b"[8443]"
    assert parse_mirror(" http://mirror/up/ ") == "http://mirror/up"
    for wrong in ("mirror:8080", "ftp://mirror:8080", "https://", "http://mirror/?a=b", "http://mirror#a"):
        with pytest.raises(ValueError, match=rf"mirror '{re.escape(wrong)}': give http.*ACCELMART_MIRROR"):
            HttpClient(mirror=wrong)


def test_this_machine_is_not_mirrored(upstream, server):
    client = LocalClient(mirror=upstream.url)
    assert get(client, server.on("/a", answer(body=b"here"))) == b"here"
    assert upstream.requests == []


@pytest.mark.parametrize(
    ("location", "has_key"),
    [
        ("https://b.example.net/there?x=1", False),
        ("https://data.example.org/a/there?x=1", True),
        ("//data.example.org/a/there?x=1", True),
        ("/a/there?x=1", True),
        ("there?x=1", True),
        # addresses of the mirror itself are asked without keys
        ("{mirror}/b.example.net/there?x=1", False),
        ("{mirror}/data.example.org/a/there?x=1", False),
    ],
)
def test_redirects_lead_through_the_mirror_again(upstream, mirrored, location, has_key):
    upstream.on(LIST, Reply(status=302, headers={"Location": location.format(mirror=upstream.url)}))
    for url in ("https://b.example.net/there", "https://data.example.org/a/there"):
        upstream.on(url, lambda asked: as_json(asked.headers.get("x-api-key") == "s3cret-key"))
    with mirrored.download(ASKED, limit_bytes=100, headers={"X-Api-Key": "s3cret-key"}) as got:
        assert json.loads(got.body.read()) is has_key
    assert upstream.requests[-1].query == {"x": "1"}


def test_a_redirect_down_to_http_is_refused_behind_a_mirror_too(upstream, mirrored):
    upstream.on(LIST, Reply(status=302, headers={"Location": "http://data.example.org/"}))
    with pytest.raises(FetchFailed, match=r"http://data\.example\.org/: it has no https:// address"):
        get(mirrored, ASKED)


def test_a_mirror_may_stand_in_a_folder(upstream):
    inner = HttpClient(mirror=f"{upstream.url}/upstreams.test/all")
    upstream.on(
        "https://upstreams.test/all/data.example.org/a", Reply(status=302, headers={"Location": "/b"})
    )
    upstream.on("https://upstreams.test/all/data.example.org/b", as_json([2]))
    assert get(inner, "https://data.example.org/a") == b"[2]"


def test_each_upstream_has_its_own_pace_behind_a_mirror(upstream):
    for host in "abc":
        upstream.on(f"https://{host}.example.org/", as_json([]))
    hurried, slow = (HttpClient(mirror=upstream.url, min_interval_seconds=s) for s in (0.3, 20))
    started = monotonic()
    for host in "aba":
        get(hurried, f"https://{host}.example.org/")
    assert monotonic() - started >= 0.3
    started = monotonic()
    for host in "abc":
        get(slow, f"https://{host}.example.org/")
    assert monotonic() - started < 20


def test_a_mirror_that_is_down_is_named(upstream, mirrored):
    named = r"refused, at the mirror http://127\.0\.0\.1:\d+\. To fix"
    with upstream.down(), pytest.raises(NoAnswer, match=named) as failed:
        get(mirrored, ASKED)
    assert failed.value.url == ASKED
