"""The guard before a webserver made here, which records what reaches it: what is passed on whole, and what is not passed on.

Then the command that compose and systemd run, before Dagster's own webserver.
"""

import contextlib
import gzip
import hashlib
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
import requests
import uvicorn
import yaml
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from typer.testing import CliRunner
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from orchestration.cli import app
from orchestration.guard import Guard

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PUBLIC = "https://accelmart.example.org"
JSON = {"Content-Type": "application/json"}
LAUNCH = '{"query": "mutation { setNuxSeen }"}'
GET = "/graphql?query=mutation{setNuxSeen}"
BYTES = os.urandom(3_000_000)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextlib.contextmanager
def serving(application, port):
    server = uvicorn.Server(
        uvicorn.Config(application, port=port, log_config=None, timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        thread.join()


class Upstream:
    """A webserver in place of Dagster's."""

    def __init__(self):
        self.seen, self.go_on, self.left = [], threading.Event(), threading.Event()
        routes = [
            Route("/stream", self.stream),
            Route("/packed", self.packed),
            Route("/elsewhere", lambda request: RedirectResponse("/packed")),
            Route("/{path:path}", self.echo, methods=["GET", "POST"]),
            WebSocketRoute("/graphql", self.subscription),
        ]
        self.application = Starlette(routes=routes)

    async def echo(self, request):
        body = await request.body()
        self.seen.append((request.method, request.scope["raw_path"], request.url.query, request.headers.raw))
        answer = PlainTextResponse(
            hashlib.sha256(body).hexdigest(), 404 if request.url.path == "/no" else 200
        )
        answer.raw_headers += [(b"set-cookie", b"a=1"), (b"set-cookie", b"b=2")]
        return answer

    def stream(self, request):
        def parts():
            yield b"first"
            assert self.go_on.wait(20)
            yield b"last"

        return StreamingResponse(parts())

    def packed(self, request):
        headers = {"content-encoding": "gzip", "content-disposition": 'attachment; filename="run.gz"'}
        return Response(gzip.compress(BYTES, 1), headers=headers)

    async def subscription(self, socket):
        self.seen.append(("websocket", socket.url.path))
        await socket.accept(subprotocol="graphql-ws")
        with contextlib.suppress(Exception):
            while (text := await socket.receive_text()) != "end":
                await socket.send_text(f"{text}, heard")
        with contextlib.suppress(RuntimeError):
            await socket.close()
        self.left.set()


@pytest.fixture(scope="module")
def upstream():
    return Upstream()


@pytest.fixture(scope="module")
def url(upstream):
    behind, port = free_port(), free_port()
    addresses = [f"http://{name}:{port}" for name in ("127.0.0.1", "localhost")]
    guard = Guard("127.0.0.1", behind, [*addresses, PUBLIC])
    with serving(upstream.application, behind), serving(guard.application, port):
        yield f"http://127.0.0.1:{port}"


def ask(method, url, **arguments):
    with requests.Session() as session:
        session.trust_env = False  # no proxy
        return session.request(method, url, timeout=20, allow_redirects=False, **arguments)


def foreign_requests(url):
    """What a page of elsewhere, or a name that leads here, can make a browser send: (what, method, URL, headers, body)."""
    port = url.rpartition(":")[2]
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    return [
        ("query in the address", "GET", url + GET, {}, None),
        ("the same, of a page", "GET", url + GET, {"Accept": "text/html"}, None),
        ("the same with a slash", "GET", f"{url}/graphql/?query=mutation{{setNuxSeen}}", {}, None),
        ("the same, encoded", "GET", f"{url}/%67raphql?%71uery=mutation{{setNuxSeen}}", {}, None),
        ("the same, asked for its head", "HEAD", url + GET, {}, None),
        ("form", "POST", f"{url}/graphql", form, "query=mutation{setNuxSeen}"),
        ("form with the query in the address", "POST", url + GET, form, ""),
        ("text", "POST", f"{url}/graphql", {"Content-Type": "text/plain"}, LAUNCH),
        (
            "text that names JSON",
            "POST",
            f"{url}/graphql",
            {"Content-Type": "text/plain; application/json"},
            LAUNCH,
        ),
        ("parts", "POST", url + GET, {"Content-Type": "multipart/form-data; boundary=application/json"}, ""),
        (
            "GraphQL",
            "POST",
            f"{url}/graphql",
            {"Content-Type": "application/graphql"},
            "mutation{setNuxSeen}",
        ),
        ("no type", "POST", url + GET, {}, None),
        (
            "report of an asset by a form",
            "POST",
            f"{url}/report_asset_materialization/x?metadata=1",
            form,
            "",
        ),
        ("preflight", "OPTIONS", f"{url}/graphql", {"Access-Control-Request-Method": "POST"}, None),
        ("another method", "PUT", f"{url}/graphql", JSON, LAUNCH),
        *(
            (f"JSON of {origin}", "POST", f"{url}/graphql", {**JSON, "Origin": origin}, LAUNCH)
            for origin in (
                "https://evil.example",
                "null",
                "http://127.0.0.1:1",
                f"https://127.0.0.1:{port}",
                f"http://127.0.0.1:{port}.evil.example",
                "http://accelmart.example.org",
            )
        ),
        *(
            (f"JSON for {host}", "POST", f"{url}/graphql", {**JSON, "Host": host}, LAUNCH)
            for host in (
                f"evil.example:{port}",
                "evil.example",
                "127.0.0.1",
                f"127.0.0.1:{port}.evil.example",
                "",
            )
        ),
        ("page under another name", "GET", url, {"Host": f"evil.example:{port}"}, None),
    ]


def test_nothing_of_elsewhere_reaches_the_webserver(url, upstream):
    upstream.seen.clear()
    answers = {
        what: ask(method, at, headers=headers, data=body)
        for what, method, at, headers, body in foreign_requests(url)
    }
    assert [what for what, answer in answers.items() if answer.status_code not in (400, 403, 405, 415)] == []
    assert upstream.seen == []
    # nothing permits a page to try again with JSON
    assert [what for what, a in answers.items() if "access-control-allow-origin" in a.headers] == []
    said = answers["JSON for evil.example"].text
    assert url in said and PUBLIC in said and "ACCELMART_UI_URL" in said and said.count("\n") == 1


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:{port}", None),
        ("LOCALHOST:{port}", "http://localhost:{port}"),
        ("accelmart.example.org", PUBLIC),
        ("127.0.0.1:{port}", PUBLIC),  # a proxy that keeps the browser's origin alone
    ],
)
def test_its_own_pages_and_programs_are_passed_on(url, upstream, host, origin):
    port = url.rpartition(":")[2]
    headers = {
        "Host": host.format(port=port),
        "Content-Type": "application/json; charset=utf-8",
        "Cookie": "c=1",
    }
    if origin:
        headers["Origin"] = origin.format(port=port)
    upstream.seen.clear()
    answer = ask("POST", f"{url}/graphql", data=LAUNCH, headers=headers)
    assert (answer.status_code, answer.text) == (200, hashlib.sha256(LAUNCH.encode()).hexdigest())
    assert answer.raw.headers.getlist("set-cookie") == ["a=1", "b=2"]
    ((method, path, query, raw),) = upstream.seen
    assert (method, path, query) == ("POST", b"/graphql", "")
    assert dict(raw)[b"host"].decode() == headers["Host"] and dict(raw)[b"cookie"] == b"c=1"


def test_pages_downloads_and_streams_arrive_as_they_were_sent(url, upstream):
    upstream.seen.clear()
    assert ask("GET", f"{url}/assets/a%2Fb/c?view=lineage&q=a%2Bb").status_code == 200
    assert upstream.seen[0][1:3] == (b"/assets/a%2Fb/c", "view=lineage&q=a%2Bb")
    assert ask("GET", f"{url}/no").status_code == 404
    # an answer to HEAD states a length and has no body
    head = ask("HEAD", f"{url}/")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, "64", b"")
    # a POST of 3 MB, and a download that is compressed already
    assert ask("POST", f"{url}/x", data=BYTES, headers=JSON).text == hashlib.sha256(BYTES).hexdigest()
    packed = ask("GET", f"{url}/packed")
    assert packed.content == BYTES and "run.gz" in packed.headers["content-disposition"]
    assert packed.headers["x-frame-options"] == "SAMEORIGIN"
    assert ask("GET", f"{url}/elsewhere").headers["location"] == "/packed"
    # what is sent while more is to come arrives at once
    with requests.Session() as session:
        session.trust_env = False
        with session.get(f"{url}/stream", stream=True, timeout=20) as answer:
            parts = answer.iter_content(None)
            assert next(parts) == b"first"
            upstream.go_on.set()
            assert b"".join(parts) == b"last"


def test_subscriptions_work_and_those_of_elsewhere_do_not(url, upstream, caplog):
    at, port = url.replace("http:", "ws:") + "/graphql", url.rpartition(":")[2]
    upstream.seen.clear()
    with connect(at, origin=url, subprotocols=["graphql-ws"], proxy=None) as opened:
        assert opened.subprotocol == "graphql-ws"
        for text in ("one", "two"):
            opened.send(text)
            assert opened.recv(timeout=20) == f"{text}, heard"
        opened.send("end")
        # the webserver ends it: so does the guard
        assert list(opened) == [] and opened.close_code == 1000
    assert upstream.seen == [("websocket", "/graphql")]
    # a browser that leaves without a word ends it at the webserver too
    upstream.left.clear()
    opened = connect(at, origin=url, subprotocols=["graphql-ws"], proxy=None)
    opened.socket.shutdown(socket.SHUT_RDWR)
    assert upstream.left.wait(20)
    upstream.seen.clear()
    for foreign in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"additional_headers": {"Host": f"evil.example:{port}"}},
    ):
        with pytest.raises(InvalidStatus) as refused:
            connect(at, subprotocols=["graphql-ws"], proxy=None, **foreign)
        assert refused.value.response.status_code == 403
    assert upstream.seen == []
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_before_dagster_answers_the_guard_says_so(url):
    port = free_port()
    guard = Guard("127.0.0.1", free_port(), [f"http://127.0.0.1:{port}"])
    assert not guard.answers()
    with serving(guard.application, port):
        answer = ask("GET", f"http://127.0.0.1:{port}/runs")
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
        assert answer.text == (
            "Dagster does not answer: it starts, or has ended. Try again in a few seconds.\n"
        )
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://127.0.0.1:{port}/graphql", proxy=None)
        assert refused.value.response.status_code == 503


def server_commands():
    """The commands that serve the UI on a server, by file, with `PORT` for the port."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["webserver"]["command"]
    unit = (DEPLOY / "systemd" / "accelmart-webserver.service").read_text()
    (start,) = re.findall(r"^ExecStart=/opt/accelmart/.venv/bin/(.*)$", unit, re.M)
    return {
        "compose": [re.sub(r"^\$\{ACCELMART_UI_PORT:-3000\}$", "PORT", word) for word in compose],
        "systemd": [re.sub("^3000$", "PORT", word) for word in shlex.split(start)],
    }


def test_systemd_runs_the_command_of_compose():
    compose, systemd = server_commands().values()
    at = compose.index("--host")
    assert compose[at : at + 2] == ["--host", "0.0.0.0"]  # in its container
    assert systemd == compose[:at] + compose[at + 2 :]


def test_what_servers_run_accepts_nothing_of_elsewhere(tmp_path):
    """Dagster's own webserver, which does take each of these changes: the guard alone keeps it from them."""
    port = free_port()
    (tmp_path / "workspace.yaml").write_text("load_from: []\n")
    name, *words = server_commands()["systemd"]
    given = {"/etc/accelmart/workspace.yaml": str(tmp_path / "workspace.yaml"), "PORT": str(port)}
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ACCELMART_", "DAGSTER_"))}
    process = subprocess.Popen(
        [Path(sys.executable).with_name(name), *(given.get(word, word) for word in words)],
        env={**clean, "ACCELMART_HOME": str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    family = [psutil.Process(process.pid)]
    try:
        url = f"http://127.0.0.1:{port}"
        # it is named once it answers
        assert process.stdout.readline() == f"Dagster: {url}\n"
        assert ask("GET", f"{url}/server_info").status_code == 200
        family += family[0].children(recursive=True)
        for what, method, at, headers, body in foreign_requests(url):
            assert ask(method, at, headers=headers, data=body).status_code in (400, 403, 405, 415), what
        assert ask("POST", f"{url}/graphql", data=LAUNCH, headers=JSON).json() == {
            "data": {"setNuxSeen": True}
        }
        # Dagster itself listens on an address of this machine that is not that of the guard
        listening = {
            c.laddr for p in family for c in p.net_connections("tcp") if c.status == psutil.CONN_LISTEN
        }
        assert all(at.ip.startswith("127.") for at in listening) and len(listening) == 2
        (own,) = [at for at in listening if at.port != port]
        assert ask("GET", f"http://{own.ip}:{own.port}{GET}").json() == {"data": {"setNuxSeen": True}}
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
        assert [p for p in family if p.is_running() and p.status() != psutil.STATUS_ZOMBIE] == []
    finally:
        for one in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        process.stdout.close()


def test_a_port_in_use_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("ACCELMART_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, ["ui", "--port", str(port)])
    assert done.exit_code == 1
    assert f"port {port} of 127.0.0.1 cannot be used" in str(done.exception) + done.output
