"""The HTTP client against a real server on this machine."""

from __future__ import annotations

import gzip
import json
import logging
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, HTTPServer
from time import monotonic, sleep, time

import pytest
from local_server import LocalClient, answer
from replay_server import ReplayServer, Reply, as_json, reset_mid_body, server_error

from ingest.core.errors import FetchFailed
from ingest.core.http import HttpClient
from ingest.core.http_landing import fetch_to_landing
from ingest.core.http_mirror import Mirror, redirect_target
from ingest.core.http_request import HttpRequest
from ingest.core.http_response import StatusRefused
from ingest.core.landing import Landing
from ingest.core.payload_checks import json_document
from ingest.core.urls import public_url


class Waits(list):
    """A clock that only moves when somebody sleeps."""

    now = 1000.0

    def sleep(self, seconds: float) -> None:
        self.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def client(waits) -> HttpClient:
    return LocalClient(
        retries=3, backoff_jitter_seconds=0, read_timeout_seconds=5, sleep=waits.sleep, clock=waits.clock
    )


def get(client: HttpClient, url: str, **given) -> bytes:
    with client.download(url, **({"limit_bytes": 1 << 20} | given)) as got:
        return got.body.read()


def test_a_download_and_its_evidence(server, client):
    url = server.on(
        "/a", answer(body=b"hello", Content_Type="text/CSV; charset=utf-8", ETag='"1"', Last_Modified="x")
    )
    with client.download(url, limit_bytes=5) as got:
        assert got.body.read() == b"hello"
    assert (got.status, got.bytes, got.is_over_limit, got.url) == (200, 5, False, url)
    assert (got.content_type, got.etag, got.last_modified) == ("text/csv", '"1"', "x")


def test_it_says_who_it_is(server):
    url = server.on("/a", answer())
    get(LocalClient(), url)
    get(LocalClient(contact="ops@example.org"), url)
    plain, configured = (headers["user-agent"] for _, headers in server.requests)
    shape = r"accelmart/\d[\w.]* \(\+https://github\.com/accelmart/accelmart; {}\)"
    assert re.fullmatch(shape.format("contact in README"), plain)
    assert re.fullmatch(shape.format(r"ops@example\.org"), configured)
    with pytest.raises(ValueError, match="ACCELMART_CONTACT"):
        LocalClient(contact="a\nb: c")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_passing_trouble_is_tried_again(server, client, waits, status):
    url = server.on("/a", answer(status), answer(status), answer(status), answer(body=b"ok"))
    assert get(client, url) == b"ok"
    assert waits == [0, 2.0, 4.0]  # urllib3 tries at once, then doubles


def test_lasting_trouble_fails_with_what_to_do(server, client):
    url = server.on("/a", answer(503))
    with pytest.raises(FetchFailed, match=r"the server answered 503 .*\(4 tries\)\. To fix: try again later"):
        get(client, url)
    assert len(server.requests) == 4


def test_jitter_is_added_within_its_bound(server, waits):
    client = LocalClient(retries=2, backoff_seconds=0, backoff_jitter_seconds=0.5, sleep=waits.sleep)
    assert get(client, server.on("/a", answer(503), answer(503), answer(body=b"ok"))) == b"ok"
    assert waits[0] == 0 and 0 < waits[1] <= 0.5


def test_retry_after_seconds_are_honoured_and_capped(server, waits):
    client = LocalClient(retry_after_max_seconds=60, sleep=waits.sleep)
    url = server.on(
        "/a",
        answer(429, Retry_After="7"),
        answer(503, Retry_After="86400"),
        answer(503, Retry_After="0"),
        answer(body=b"ok"),
    )
    assert get(client, url) == b"ok"
    assert waits[:2] == [7, 60]


def test_without_settings_a_server_is_given_five_tries_and_five_minutes(server, waits):
    client = LocalClient(backoff_jitter_seconds=0, sleep=waits.sleep, clock=waits.clock)
    url = server.on("/a", answer(429, Retry_After="86400"), answer(503))
    with pytest.raises(FetchFailed, match=r"\(5 tries\)"):
        get(client, url)
    assert waits == [300, 2, 4, 8]


def test_retry_after_date_is_honoured(server, client, waits):
    url = server.on("/a", answer(503, Retry_After=formatdate(time() + 120, usegmt=True)), answer(body=b"ok"))
    assert get(client, url) == b"ok"
    assert len(waits) == 1 and 60 < waits[0] <= 120


def test_an_unreadable_retry_after_is_ignored(server, client, waits):
    assert get(client, server.on("/a", answer(503, Retry_After="soon"), answer(body=b"ok"))) == b"ok"
    assert waits == [0]


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (400, "does not accept it"),
        (401, "wants credentials"),
        (403, "robots.txt"),
        (404, "correct its fetch plan"),
        (410, "correct its fetch plan"),
        (304, "does not accept it"),
        (204, "does not accept it"),
    ],
)
def test_other_statuses_fail_at_once_with_what_to_do(server, client, status, remedy):
    url = server.on("/a", answer(status))
    with pytest.raises(FetchFailed, match=rf"the server answered {status}.*To fix: .*{remedy}"):
        get(client, url)
    assert len(server.requests) == 1


def test_a_used_up_rate_limit_is_reported(server, client):
    with pytest.raises(FetchFailed, match="rate limit"):
        get(client, server.on("/a", answer(403, X_RateLimit_Remaining="0")))


def test_a_body_that_breaks_off_is_fetched_again_from_the_start(server, client):
    url = server.on("/a", answer(body=b"0123", length=10), answer(body=b"0123456789"))
    assert get(client, url) == b"0123456789"


def test_nothing_of_the_broken_body_remains(server, client):
    url = server.on("/a", answer(body=b"x" * 300_000, length=400_000), answer(body=b"short"))
    assert get(client, url) == b"short"


def test_a_body_that_always_breaks_off_fails(server, client):
    url = server.on("/a", answer(body=b"0123", length=10))
    with pytest.raises(
        FetchFailed, match=r"broke off: IncompleteRead\(4 bytes read, 6 more expected\) \(4 tries\)"
    ):
        get(client, url)


def test_a_broken_chunked_body_is_tried_again(server, client):
    def broken(handler):
        handler.wfile.write(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n"
        )

    assert get(client, server.on("/a", broken, answer(body=b"whole"))) == b"whole"


def test_damaged_compression_is_tried_again(server, client):
    bad = answer(body=b"not gzip at all", Content_Encoding="gzip")
    good = answer(body=gzip.compress(b"hello"), Content_Encoding="gzip")
    assert get(client, server.on("/a", bad, good)) == b"hello"


def test_a_refused_connection_is_tried_again_and_reported(client, waits):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # taken, but nobody listens
        with pytest.raises(FetchFailed, match=r"Connection refused \(4 tries\)"):
            get(client, f"http://127.0.0.1:{unused.getsockname()[1]}/a?token=s3cret")
    assert waits == [0, 2.0, 4.0]


def test_a_silent_server_times_out(server, waits):
    release = threading.Event()
    client = LocalClient(retries=1, read_timeout_seconds=0.1, sleep=waits.sleep)
    url = server.on("/a", lambda handler: release.wait(10))
    with pytest.raises(FetchFailed, match=r"no data for 0\.1 s \(2 tries\)"):
        get(client, url)
    release.set()


def test_a_stalled_body_times_out(server, waits):
    release = threading.Event()
    client = LocalClient(retries=1, read_timeout_seconds=0.1, sleep=waits.sleep)

    def stall(handler):
        answer(body=b"0123", length=10)(handler)
        handler.wfile.flush()
        release.wait(10)

    with pytest.raises(FetchFailed, match=r"broke off: no data for 0\.1 s"):
        get(client, server.on("/a", stall))
    release.set()


def test_the_whole_download_has_a_deadline(server, waits):
    client = LocalClient(
        total_timeout_seconds=100, retry_after_max_seconds=1000, sleep=waits.sleep, clock=waits.clock
    )
    with pytest.raises(FetchFailed, match="not finished within 100 s"):
        get(client, server.on("/a", answer(503, Retry_After="500")))
    assert waits == []


@pytest.mark.parametrize(("size", "over"), [(1000, False), (1001, True), (5000, True)])
def test_the_limit_stops_the_download(server, client, size, over):
    with client.download(server.on("/a", answer(body=b"x" * size)), limit_bytes=1000) as got:
        assert len(got.body.read()) == got.bytes == min(size, 1001)
    assert got.is_over_limit is over


def test_a_compression_bomb_is_stopped_by_its_decoded_size(server, client):
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 60_000
    url = server.on("/a", answer(body=bomb, Content_Encoding="gzip"))
    with client.download(url, limit_bytes=100_000) as got:
        assert (got.bytes, got.is_over_limit) == (100_001, True)


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


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/a", "data:text/plain,x", "gopher://x/"]
)
def test_a_redirect_out_of_http_is_refused(server, client, target):
    url = server.on("/a", answer(302, Location=target))
    with pytest.raises(FetchFailed, match="neither http nor https"):
        get(client, url)


@pytest.mark.parametrize(
    ("url", "location", "target"),
    [
        ("https://a.org/x/y", "z", "https://a.org/x/z"),
        ("https://a.org/x", "https://b.org/", "https://b.org/"),
        ("http://a.org/x", "https://a.org/x", "https://a.org/x"),
        ("https://a.org/x", "http://a.org/x", None),
        ("https://a.org/x", "HTTP://a.org/x", None),
        ("https://a.org/x", "file:///x", None),
    ],
)
def test_where_a_redirect_may_lead(url, location, target):
    if target:
        assert redirect_target(url, location) == target
    else:
        with pytest.raises(FetchFailed, match=r"from https down|neither http nor https"):
            redirect_target(url, location)


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
            answer(302, Location="http://127.0.0.1/plain")(self)

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


def test_tls_is_verified_and_never_given_up_by_a_redirect(tls_server, client, waits, monkeypatch):
    url, cert = tls_server
    with pytest.raises(FetchFailed, match="certificate is not trusted"):
        get(client, url)
    assert waits == []  # no retry makes it trusted
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(cert))
    with pytest.raises(FetchFailed, match="redirects from https down to http://127"):
        get(client, url)


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a/b", "/etc/passwd", "http://", "http://[", "example.org"]
)
def test_only_http_and_https_are_fetched(client, url):
    with pytest.raises(FetchFailed, match="URL"):
        get(client, url)


def test_a_host_is_asked_once_a_second_and_this_machine_at_will(server, waits):
    client = LocalClient(host_intervals_seconds={"127.0.0.1": 1.0}, sleep=waits.sleep, clock=waits.clock)
    url = server.on("/a", answer())
    for _ in range(3):
        get(client, url)
    assert waits == [1.0, 1.0]
    get(client, server.url("/a", host="localhost"))
    assert waits == [1.0, 1.0]


def test_own_headers_are_not_passed_on_to_another_host(server, client):
    server.on("/a", answer(302, Location="/b"))
    server.on("/b", answer(302, Location=server.url("/c", host="localhost")))
    server.on("/c", answer(body=b"ok"))
    assert get(client, server.url("/a"), headers={"X-Api-Key": "s3cret"}) == b"ok"
    assert [headers.get("x-api-key") for _, headers in server.requests] == ["s3cret", "s3cret", None]


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


def land(landing, client, url, **given):
    return fetch_to_landing(
        landing, "src", "k", url, client=client, **({"licence": "CC0-1.0", "limit_bytes": 1000} | given)
    )


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
    first, second, third = (land(landing, client, url, check=json_document()) for _ in range(3))
    assert [p.outcome for p in (first, second, third)] == ["landed", "unchanged", "landed"]
    assert [p.http_status for p in (first, second, third)] == [200, 304, 200]
    assert (first.content_type, first.etag, second.etag, third.etag) == (
        "application/json",
        '"1"',
        '"1"',
        '"2"',
    )
    assert landing.read(second) == b"[1]" and landing.read(third) == b"[2]"
    assert server.requests[1][1]["if-modified-since"] == "Sat, 01 Aug 2026 00:00:00 GMT"


def test_the_same_bytes_without_validators_are_unchanged(server, client, landing):
    url = server.on("/a", answer(body=b"[1]"))
    assert [land(landing, client, url).outcome for _ in range(2)] == ["landed", "unchanged"]


def test_a_bad_payload_is_quarantined_and_asked_for_again(server, client, landing):
    url = server.on(
        "/a", conditional(b"[1]", '"1"'), conditional(b"<html>", '"2"'), conditional(b"<html>", '"2"')
    )
    good, *bad = (land(landing, client, url, check=json_document()) for _ in range(3))
    assert [p.outcome for p in bad] == ["quarantined", "quarantined"]
    assert "HTML" in bad[0].reason
    assert landing.latest("src", "k") == good
    assert [h.get("if-none-match") for _, h in server.requests] == [None, '"1"', '"1"']


def test_validators_are_not_used_for_another_url_or_a_damaged_object(server, client, landing, tmp_path):
    a, b = server.on("/a", conditional(b"[1]", '"1"')), server.on("/b", conditional(b"[1]", '"1"'))
    land(landing, client, a)
    assert land(landing, client, b).http_status == 200
    next((tmp_path / "landing" / "objects").rglob("*.gz")).write_bytes(b"rot")
    healed = land(landing, client, b)
    assert (healed.http_status, healed.outcome, landing.read(healed)) == (200, "unchanged", b"[1]")


def test_over_the_limit_is_quarantined_with_its_beginning(server, client, landing):
    kept = land(landing, client, server.on("/a", answer(body=b"x" * 5000)), limit_bytes=100)
    assert (kept.outcome, kept.bytes) == ("quarantined", 100)
    assert "limit of 100 bytes" in kept.reason


def test_a_failed_fetch_leaves_the_last_good_payload_in_force(server, client, landing):
    url = server.on("/a", answer(body=b"[1]"), answer(404))
    good = land(landing, client, url)
    with pytest.raises(FetchFailed):
        land(landing, client, url)
    assert landing.history() == [good]


def test_there_is_a_progress_bar_for_people_only(server, client, monkeypatch, capsys):
    url = server.on("/a", answer(body=b"x" * 1000))
    get(client, url)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert get(client, url) == b"x" * 1000
    assert "/a" in capsys.readouterr().err


# --- POST --------------------------------------------------------------------------------------------------------


@pytest.fixture
def upstream():
    with ReplayServer() as replayed:
        yield replayed


@pytest.fixture
def mirrored(upstream, waits) -> HttpClient:
    return LocalClient(
        mirror=upstream.url,
        retries=3,
        backoff_jitter_seconds=0,
        min_interval_seconds=0,
        sleep=waits.sleep,
        clock=waits.clock,
    )


API = "https://api.example.org/graphql"


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


def test_a_post_is_not_conditional(upstream, mirrored, landing):
    upstream.on(API, echoed)
    kept = [land(landing, mirrored, API, json=[]) for _ in range(2)]
    assert [p.outcome for p in kept] == ["landed", "unchanged"]
    assert all("if-none-match" not in a.headers for a in upstream.requests)


@pytest.mark.parametrize(
    ("status", "arrives"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
def test_what_a_redirect_makes_of_a_post(upstream, mirrored, status, arrives):
    upstream.on(API, Reply(status=status, headers={"Location": "/v2"}))
    upstream.on("https://api.example.org/v2", echoed)
    method, _, body = json.loads(get(mirrored, API, json={"a": 1}))
    assert (method, body) == (arrives, '{"a": 1}' if arrives == "POST" else "")


# --- decoding and slowness ---------------------------------------------------------------------------------------


def test_gzip_that_ends_too_early_is_no_whole_answer(server, client):
    whole = gzip.compress(b"price\n" * 1000)
    url = server.on(
        "/a",
        answer(body=whole[:-20], Content_Encoding="gzip"),
        answer(body=whole[:10], Content_Encoding="gzip"),
        answer(body=whole, Content_Encoding="gzip"),
    )
    assert get(client, url) == b"price\n" * 1000
    with pytest.raises(FetchFailed, match=r"broke off: its gzip data is cut short \(4 tries\)"):
        get(client, server.on("/b", answer(body=whole[:-1], Content_Encoding="gzip")))


def test_an_empty_body_is_no_broken_gzip(server, client):
    assert get(client, server.on("/a", answer(body=b"", Content_Encoding="gzip"))) == b""
    assert len(server.requests) == 1


def test_gzip_of_several_members_with_padding(server, client):
    body = gzip.compress(b"a" * 200_000) + gzip.compress(b"b") + bytes(512)
    assert get(client, server.on("/a", answer(body=body, Content_Encoding="gzip"))) == b"a" * 200_000 + b"b"
    assert get(client, server.on("/b", answer(body=b"", Content_Encoding="gzip"))) == b""


def test_an_encoding_nobody_asked_for_is_refused(server, client):
    url = server.on("/a", answer(body=b"x", Content_Encoding="br"))
    with pytest.raises(FetchFailed, match="content encoding 'br', which was not asked for"):
        get(client, url)
    assert server.requests[0][1]["accept-encoding"] == "gzip"


def test_a_drip_is_left_at_the_deadline(server):
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        for _ in range(2000):
            handler.wfile.write(b".")
            sleep(0.01)

    started = monotonic()
    with pytest.raises(FetchFailed, match=r"not finished within 0\.2 s"):
        get(LocalClient(total_timeout_seconds=0.2), server.on("/a", drip))
    assert monotonic() - started < 10


# --- the clock ---------------------------------------------------------------------------------------------------


def dated(seconds: float, age: str = "0"):
    """An answer of a server whose clock is so far from ours."""

    def send(handler):
        handler.date_time_string = lambda timestamp=None: formatdate(time() + seconds, usegmt=True)
        answer(body=b"ok", Age=age)(handler)

    return send


def test_an_answer_is_refused_while_the_clock_is_ahead_of_the_servers(server, client, landing):
    url = server.on("/a", dated(-3 * 86400))
    with pytest.raises(FetchFailed, match=r"clock is 3 days ahead of the server's .*correct the clock"):
        fetch_to_landing(landing, "src", "v1", url, client=client, licence="CC0", limit_bytes=100)
    assert landing.history() == []


@pytest.mark.parametrize("given", [dated(-3600), dated(86400 * 9), dated(-5 * 86400, age="432000")])
def test_clocks_that_differ_a_little_and_kept_answers_are_fine(server, client, given):
    assert get(client, server.on("/a", given)) == b"ok"


# --- keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("split", range(1, 20, 3))
def test_an_answer_that_repeats_the_key_is_refused_wherever_the_blocks_end(server, client, landing, split):
    body = b"x" * (70_000 - split) + b"sk-0123456789/abc" + b"y" * 70_000

    def in_two(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[:70_000])
        handler.wfile.flush()
        sleep(0.01)
        handler.wfile.write(body[70_000:])

    headers = {"Authorization": "Bearer sk-0123456789/abc"}
    with pytest.raises(FetchFailed, match="repeats the key it was asked with"):
        land(landing, client, server.on("/a", in_two), headers=headers, limit_bytes=1 << 20)
    assert landing.history() == []


@pytest.mark.parametrize("size", [1, 2, 5, 16, 17, 40])
def test_a_key_is_found_in_blocks_of_any_size(size):
    key = "sk-0123456789/abc"
    asked = HttpRequest("https://h.org/a", "https://h.org/a", {"Authorization": f"Bearer {key}"}, {}, None)

    def read(text):
        body = text.encode()
        return b"".join(asked.refuse_keys(body[i : i + size] for i in range(0, len(body), size)))

    assert read(f"{key[:-1]}. {key[1:]}") == f"{key[:-1]}. {key[1:]}".encode()
    for form in (key, "sk-0123456789%2Fabc", "sk-0123456789\\/abc"):
        with pytest.raises(FetchFailed, match="repeats the key"):
            read(f"a {form} b")


def test_short_values_places_in_a_list_and_plain_headers_are_no_keys(server, client):
    body = b'{"next_page_token": "CAFE-0123456789", "a": "k=1234567", "type": "application/json"}'
    url = server.on("/a", answer(body=body)) + "?pageToken=CAFE-0123456789&key=1234567"
    assert get(client, url, headers={"Accept": "application/json"}) == body


def test_a_refusal_does_not_repeat_the_key_in_its_reason(server, client):
    def refuse(handler):
        handler.wfile.write(b"HTTP/1.1 403 no sk-0123456789 here\r\nContent-Length: 0\r\n\r\n")

    with pytest.raises(StatusRefused, match=r"answered 403 no \*\*\* here") as refused:
        get(client, server.on("/a", refuse), headers={"X-Api-Key": "sk-0123456789"})
    assert refused.value.status == 403 and "sk-0" not in repr(vars(refused.value))


@pytest.mark.parametrize("value", ["abcdefgh\n", " abcdefgh", "abc\u2019defgh"])
def test_a_key_that_cannot_be_sent_is_reported_without_its_value(server, client, value):
    with pytest.raises(
        FetchFailed, match="its header X-Api-Key has a character that cannot be sent"
    ) as failed:
        get(client, server.on("/a", answer()), headers={"X-Api-Key": value})
    assert "abc" not in str(failed.value) and server.requests == []


# --- a mirror ----------------------------------------------------------------------------------------------------

PUBLIC = "https://data.example.org/a/list.json?b=1&c=%2F"


def test_the_mirror_is_asked_and_the_public_url_shown(upstream, mirrored, landing):
    upstream.on("https://data.example.org/a/list.json", as_json([1]))
    kept = land(landing, mirrored, PUBLIC)
    assert kept.url == PUBLIC
    (asked,) = upstream.requests
    assert (asked.url, asked.headers["host"]) == (PUBLIC, upstream.url.removeprefix("http://"))
    assert land(landing, mirrored, PUBLIC).http_status == 304


def test_a_mirror_is_asked_for_every_public_url(upstream):
    upstream.on("https://data.example.org/a/list.json", as_json([1]))
    client = LocalClient(mirror=upstream.url + "/")
    assert get(client, PUBLIC) == b"[1]"
    assert get(client, PUBLIC.replace("example.org/", "example.org:443/")) == b"[1]"
    for wrong in ("mirror:8080", "ftp://mirror:8080", "https://", "http://mirror/?a=b", "http://mirror#a"):
        with pytest.raises(ValueError, match=rf"mirror '{re.escape(wrong)}': give http.*ACCELMART_MIRROR"):
            LocalClient(mirror=wrong)


def test_another_port_is_another_folder_of_the_mirror(upstream, mirrored):
    upstream.on("https://data.example.org:8443/a", as_json([8443]))
    assert get(mirrored, "https://data.example.org:8443/a") == b"[8443]"


def test_this_machine_is_not_mirrored(upstream, mirrored, server):
    assert get(mirrored, server.on("/a", answer(body=b"here"))) == b"here"
    assert upstream.requests == []


@pytest.mark.parametrize(
    "location",
    [
        "https://b.example.net/there?x=1",
        "https://data.example.org/a/there?x=1",
        "//data.example.org/a/there?x=1",
        "/a/there?x=1",
        "there?x=1",
        "/data.example.org/a/there?x=1",
        "/b.example.net/there?x=1",
        "{mirror}/b.example.net/there?x=1",
        "{mirror}/data.example.org/a/there?x=1",
    ],
)
def test_redirects_lead_through_the_mirror_again(upstream, mirrored, location):
    """Public URLs, paths as the upstream writes them, and paths as the mirror writes them."""
    upstream.on(
        "https://data.example.org/a/list.json",
        Reply(status=302, headers={"Location": location.format(mirror=upstream.url)}),
    )
    for url in (
        "https://b.example.net/there",
        "https://data.example.org/a/there",
        "https://data.example.org/b.example.net/there",
    ):
        upstream.on(url, lambda asked: as_json(asked.headers.get("x-api-key") == "s3cret-key"))
    with mirrored.download(PUBLIC, limit_bytes=100, headers={"X-Api-Key": "s3cret-key"}) as got:
        has_key = json.loads(got.body.read())
    assert got.url == PUBLIC
    is_same_host = "example.net" not in location or location.startswith("/b.")
    # the key stays with its host: what matters is the public host, not that both are the mirror's
    assert has_key is is_same_host
    assert upstream.requests[-1].query == {"x": "1"}


def test_a_redirect_to_the_mirrors_own_pages_is_followed_without_keys(upstream, mirrored):
    upstream.on(
        "https://data.example.org/a/list.json",
        Reply(status=302, headers={"Location": f"{upstream.url}/cache/0123"}),
    )
    upstream.on("https://cache/0123", lambda asked: as_json(asked.headers.get("x-api-key")))
    assert get(mirrored, PUBLIC, headers={"X-Api-Key": "s3cret-key"}) == b"null"


def test_a_redirect_down_to_http_is_refused_behind_a_mirror_too(upstream, mirrored):
    upstream.on(
        "https://data.example.org/a/list.json",
        Reply(status=302, headers={"Location": "http://data.example.org/"}),
    )
    with pytest.raises(FetchFailed, match=r"from https down to http://data\.example\.org/"):
        get(mirrored, PUBLIC)


def test_a_mirror_may_stand_in_a_folder(upstream, waits):
    inner = LocalClient(mirror=f"{upstream.url}/upstreams.test/all", sleep=waits.sleep)
    upstream.on(
        "https://upstreams.test/all/data.example.org/a", Reply(status=302, headers={"Location": "/b"})
    )
    upstream.on("https://upstreams.test/all/data.example.org/b", as_json([2]))
    assert get(inner, "https://data.example.org/a") == b"[2]"


def test_each_upstream_has_its_own_pace_behind_a_mirror(upstream, waits):
    client = LocalClient(mirror=upstream.url, sleep=waits.sleep, clock=waits.clock)
    for host in ("a", "b", "a", "b", "a"):
        upstream.on(f"https://{host}.example.org/", as_json([]))
        get(client, f"https://{host}.example.org/")
    assert waits == [1.0, 1.0]


def test_a_mirror_that_is_down_is_named(upstream, mirrored):
    with (
        upstream.down(),
        pytest.raises(
            FetchFailed, match=r"refused \(4 tries, at the mirror http://127\.0\.0\.1:\d+\)"
        ) as failed,
    ):
        get(mirrored, PUBLIC)
    assert failed.value.url == PUBLIC


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("https://h.org/a%2Fb?q=1&r=%20#x", "https://mirror.corp:8443/up/h.org/a%2Fb?q=1&r=%20"),
        ("https://h.org", "https://mirror.corp:8443/up/h.org/"),
        ("https://H.org:443/a", "https://mirror.corp:8443/up/h.org/a"),
        ("http://h.org:80/a", "https://mirror.corp:8443/up/h.org/a"),
        ("http://h.org:443/a", "https://mirror.corp:8443/up/h.org:443/a"),
        ("https://u:p@h.org/a", "https://u:p@mirror.corp:8443/up/h.org/a"),
        ("https://mirror.corp:8443/cache/1", "https://mirror.corp:8443/cache/1"),
        ("http://localhost:3000/a", "http://localhost:3000/a"),
    ],
)
def test_where_a_public_url_is_asked(url, place):
    assert Mirror("https://mirror.corp:8443/up/").place_of(url) == place
    assert Mirror("").place_of(url) == url


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://mirror.corp/up/h.org/b", "https://h.org/b"),
        ("http://mirror.corp/up/h.org/b", "https://h.org/b"),
        ("https://mirror.corp/up/other.net/b?c=1", "https://other.net/b?c=1"),
        ("https://mirror.corp/up/cache/b", "https://mirror.corp/up/cache/b"),
        ("https://mirror.corp/up/h.org", "https://mirror.corp/up/h.org"),
        ("https://mirror.corp/login", "https://mirror.corp/login"),
        ("/up/h.org/b", "https://h.org/b"),
        ("/up/other.net/b", "https://h.org/up/other.net/b"),
        ("https://other.net/b", "https://other.net/b"),
    ],
)
def test_where_a_redirect_leads_behind_a_mirror(location, target):
    assert Mirror("https://mirror.corp/up").redirect_target("https://h.org/a", location) == target
