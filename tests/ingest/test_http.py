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
from email.utils import formatdate
from time import monotonic, sleep, time

import pytest
from json_source import json_source
from local_server import LocalClient, answer, size_of
from made import fetch_one
from raw_server import raw_server
from replay_server import ReplayServer, Reply, as_json, reset_mid_body, server_error
from urllib3.util import Retry

from accelmart.hosts import is_public, parse_mirror
from accelmart.http import HttpClient, NoAnswer, NoConnection, StatusRefused
from ingest.core.errors import FetchFailed
from ingest.core.fetch_plan import Fetch, Request
from orchestration.policies import is_worth_another_try

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
    get(LocalClient(contact="ops@example.org"), url)
    shape = r"accelmart/\d[\w.]* \(\+https://github\.com/accelmart/accelmart; ops@example\.org\)"
    assert re.fullmatch(shape, server.requests[0][1]["user-agent"])


def broken_chunks(handler):
    start = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    handler.wfile.write(start + b"5\r\nhello\r\n")


PASSING = {
    **{f"{status}": answer(status) for status in (429, 500, 502, 503, 504)},
    "unreadable Retry-After": answer(503, Retry_After="soon"),
    "hangs up": lambda handler: None,
    "body cut short": answer(body=b"x" * 300_000, length=400_000),
    "chunks cut short": broken_chunks,
    "no gzip": answer(body=b"not gzip at all", Content_Encoding="gzip"),
    "gzip cut short": answer(body=gzip.compress(b"price\n" * 1000)[:-1], Content_Encoding="gzip"),
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


@pytest.mark.parametrize("status", [403, 304, 204, 599])
def test_other_statuses_fail_at_once(server, client, status):
    with pytest.raises(StatusRefused, match=rf"the server answered {status}.*To fix: ") as refused:
        get(client, server.on("/a", answer(status)))
    assert not refused.value.may_pass and len(server.requests) == 1


def test_a_name_that_does_not_exist_is_reported():
    with pytest.raises(NoAnswer, match="the name of its host cannot be resolved"):
        get(HttpClient(retry=Retry(0)), "https://data.example.invalid/a")


def test_a_server_out_of_reach_is_not_tried_for_minutes():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    started = monotonic()
    with pytest.raises(NoConnection, match="Connection refused") as failed:
        get(LocalClient(), f"http://127.0.0.1:{port}/a")
    # the usual pauses would be fifteen seconds and more
    assert monotonic() - started < 10
    assert not is_worth_another_try(failed.value)


def test_silence_times_out(server):
    release = threading.Event()

    def stall(handler):
        answer(body=b"0123", length=10)(handler)
        handler.wfile.flush()
        release.wait(10)

    client = LocalClient(retry=Retry(1), read_timeout_seconds=0.4)
    for url in (server.on("/a", lambda handler: release.wait(10)), server.on("/b", stall)):
        with pytest.raises(NoAnswer, match=r"Read timed out"):
            get(client, url)
    release.set()
    assert server.paths() == ["/a", "/a", "/b", "/b"]


@pytest.mark.parametrize(
    ("body", "size", "over"),
    [(bytes(1000), 1000, False), (bytes(1001), 1001, True), (gzip.compress(bytes(5_000_000)), 1001, True)],
    ids=["whole", "a byte more", "bomb"],
)
def test_the_limit_of_decoded_bytes_stops_the_download(server, client, body, size, over):
    encoding = {"Content_Encoding": "gzip"} if body[:1] == b"\x1f" else {}
    with client.download(server.on("/a", answer(body=body, **encoding)), limit_bytes=1000) as got:
        assert (got.body.read(), got.is_over_limit) == (bytes(size), over)


MEMBERS = gzip.compress(b"a" * 200_000) + gzip.compress(b"b") + bytes(512)


@pytest.mark.parametrize(("body", "decoded"), [(b"", b""), (MEMBERS, b"a" * 200_000 + b"b")], ids=size_of)
def test_gzip_may_be_empty_or_of_several_padded_members(server, client, body, decoded):
    assert get(client, server.on("/a", answer(body=body, Content_Encoding="gzip"))) == decoded
    assert len(server.requests) == 1


def test_an_encoding_that_nobody_asked_for_is_refused(server, client):
    with pytest.raises(FetchFailed, match="content encoding 'br', which was not asked for"):
        get(client, server.on("/a", answer(body=b"x", Content_Encoding="br")))


def test_redirects_share_one_deadline(server):
    def slowly(handler):
        sleep(0.15)
        answer(302, Location=f"/{len(server.requests)}")(handler)

    for number in range(10):
        server.on(f"/{number}", slowly)
    with pytest.raises(NoAnswer, match=r"not finished within 0\.3 s"):
        get(LocalClient(total_timeout_seconds=0.3), server.url("/0"))
    assert len(server.requests) <= 4


def drip(connection: socket.socket) -> None:
    """Send headers without end, or to a client that asks for TLS a record of 16 KiB, a byte at a time."""
    is_tls = connection.recv(1) == b"\x16"
    connection.sendall(b"\x16\x03\x03\x40\x00" if is_tls else b"HTTP/1.1 200 OK\r\nX-A: ")
    for _ in range(250):
        connection.sendall(b"x")
        sleep(0.02)


def test_a_handshake_that_drips_is_left_at_the_deadline():
    client = LocalClient(total_timeout_seconds=0.3, read_timeout_seconds=10)
    with raw_server(drip) as port, pytest.raises(NoAnswer, match=r"not finished within 0\.3 s"):
        get(client, f"https://127.0.0.1:{port}/a")


def test_whether_a_server_is_there_is_asked_without_a_query_and_has_a_deadline(server, client):
    server.on("/a", answer(404))
    status = client.reach(server.url("/a?key=s3cret"))
    assert status >= 400 and server.paths() in ([], ["/a"])
    hurried = LocalClient(connect_timeout_seconds=0.1, read_timeout_seconds=0.2)
    with raw_server(drip) as port, pytest.raises(NoAnswer, match=r"not finished within 0\.3 s"):
        hurried.reach(f"http://127.0.0.1:{port}/")


def test_a_redirect_loop_is_left(server, client):
    url = server.on("/a", answer(302, Location="/a"))
    with pytest.raises(FetchFailed, match="more than 5 redirects"):
        get(client, url)
    assert len(server.requests) == 6


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "http://[::1", "http://8.8.8.8/a", "http://", "a.org"]
)
def test_only_https_is_fetched_from_elsewhere(server, client, target):
    with pytest.raises(FetchFailed, match=r"URL|it has no https:// address"):
        get(client, target)
    if "/" in target[7:]:
        with pytest.raises(FetchFailed, match=r"not an http or https URL|no https:// address"):
            get(client, server.on("/a", answer(302, Location=target)))
    assert len(server.requests) <= 1


def test_without_trusted_tls_nothing_is_fetched(server, client):
    with pytest.raises(FetchFailed, match="no trusted TLS connection"):
        get(client, server.url("/a").replace("http:", "https:"))


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl to make a certificate")
def test_a_certificate_that_only_its_server_signed_is_not_trusted(tmp_path, client, monkeypatch):
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    made = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test -addext"
    named = ["subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run([*made.split(), *named], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def answer_in_tls(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.recv(1000)
            secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    with raw_server(answer_in_tls) as port:
        with pytest.raises(FetchFailed, match=r"no trusted TLS connection.*CERTIFICATE_VERIFY_FAILED"):
            get(client, f"https://127.0.0.1:{port}/")
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", certificate)
        assert get(client, f"https://127.0.0.1:{port}/") == b"ok"


PUBLIC = ["140.82.112.3", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"]
NOT_PUBLIC = [
    *("127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "::127.0.0.1", "64:ff9b:1::1"),
    *("::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "2002:7f00:1::1"),
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
def test_an_address_that_is_not_public_is_refused(server, host):
    inside = f"http://{host}:{server.port}/inside"
    server.on("/inside", answer(body=b"inside"))
    with pytest.raises(FetchFailed, match=r"is not a public address.*ACCELMART_PRIVATE_HOSTS"):
        get(HttpClient(), inside)
    assert server.requests == []
    # the first host is allowed by its name, so every form of its address is another host
    server.on("/a", answer(302, Location=inside.replace("localhost", "127.0.0.1")))
    with pytest.raises(FetchFailed, match="is not a public address"):
        get(HttpClient(private_hosts=["localhost"]), server.url("/a", host="localhost"))
    assert server.paths() == ["/a"]


def test_a_name_with_one_private_address_is_refused(monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 443)) for a in ("8.8.8.8", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: found)
    with pytest.raises(FetchFailed, match=r"data\.example\.org \(127\.0\.0\.1\) is not a public address"):
        get(HttpClient(), "https://data.example.org/a")


@pytest.mark.parametrize("entry", ["127.0.0.0/8", "LOCALHOST", "localhost:{port}"])
def test_what_is_allowed_is_fetched(server, entry):
    server.on("/a", answer(body=b"ok"))
    client = HttpClient(private_hosts=[entry.format(port=server.port)])
    assert get(client, server.url("/a", host="localhost")) == b"ok"
    if ":" in entry:
        with pytest.raises(FetchFailed, match="is not a public address"):
            get(client, "http://localhost:22/")


@pytest.mark.parametrize("entry", ["http://a", "user@a", "10.0.0.0/99"])
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


def test_own_headers_are_not_passed_on_to_another_host_or_port(server, client):
    with ReplayServer() as other:
        other.on("https://d/e", as_json([]))
        server.on("/a", answer(302, Location="/b"))
        server.on("/b", answer(302, Location=server.url("/c", host="localhost")))
        server.on("/c", answer(302, Location=f"{other.url}/d/e"))
        assert get(client, server.url("/a"), headers={"X-Api-Key": "s3cret"}) == b"[]"
    asked = [*(headers for _, headers in server.requests), *(a.headers for a in other.requests)]
    assert [headers.get("x-api-key") for headers in asked] == ["s3cret", "s3cret", None, None]


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


@pytest.mark.parametrize("value", ["abcdefgh\n", "abc\u2019defgh"])
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


def land(landing, client, url):
    return fetch_one(landing, json_source(limit_bytes=1000), Fetch(key="k", first=Request(url=url)), client)


def conditional(body: bytes, etag: str):
    more = {"Last_Modified": "Sat, 01 Aug 2026 00:00:00 GMT", "Content_Type": "application/json"}

    def send(handler):
        is_known = handler.headers.get("If-None-Match") == etag
        (answer(304, ETag=etag) if is_known else answer(body=body, ETag=etag, **more))(handler)

    return send


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


@pytest.mark.parametrize(("status", "arrives"), [(302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
def test_what_a_redirect_makes_of_a_post(upstream, mirrored, status, arrives):
    upstream.on(API, Reply(status=status, headers={"Location": "/v2"}))
    upstream.on("https://api.example.org/v2", echoed)
    method, _, body = json.loads(get(mirrored, API, json={"a": 1}))
    assert (method, body) == (arrives, '{"a": 1}' if arrives == "POST" else "")


def test_the_mirror_is_asked_for_every_public_url_which_is_shown(upstream, mirrored, landing):
    upstream.on(LIST, as_json([1]))
    upstream.on("https://data.example.org:8443/a", as_json([8443]))
    assert land(landing, mirrored, ASKED).url == ASKED
    (asked,) = upstream.requests
    assert (asked.url, asked.headers["host"]) == (ASKED, upstream.url.removeprefix("http://"))
    assert land(landing, mirrored, ASKED).http_status == 304
    assert get(mirrored, LIST.replace("data.example.org/", "Data.example.org:443/")) == b"[1]"
    assert get(mirrored, "https://data.example.org:8443/a") == b"[8443]"


def test_what_is_no_mirror_is_refused():
    assert parse_mirror(" http://mirror/up/ ") == "http://mirror/up"
    for wrong in ("ftp://mirror:8080", "https://", "http://mirror/?a=b", "http://mirror#a"):
        with pytest.raises(ValueError, match="ACCELMART_MIRROR"):
            HttpClient(mirror=wrong)


def test_this_machine_is_not_mirrored(upstream, server):
    client = LocalClient(mirror=upstream.url)
    assert get(client, server.on("/a", answer(body=b"here"))) == b"here"


@pytest.mark.parametrize(
    ("location", "has_key"),
    [
        ("https://b.example.net/there?x=1", False),
        ("https://data.example.org/a/there?x=1", True),
        ("there?x=1", True),
        # addresses of the mirror itself are asked without keys
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
    for seconds, hosts, shortest, longest in ((0.3, "aba", 0.3, 20), (20, "abc", 0, 20)):
        client = HttpClient(mirror=upstream.url, min_interval_seconds=seconds)
        started = monotonic()
        for host in hosts:
            get(client, f"https://{host}.example.org/")
        assert shortest <= monotonic() - started < longest


def test_a_mirror_that_is_down_is_named(upstream, mirrored):
    named = r"refused, at the mirror http://127\.0\.0\.1:\d+\. To fix"
    with upstream.down(), pytest.raises(NoAnswer, match=named) as failed:
        get(mirrored, ASKED)
    assert failed.value.url == ASKED
