"""The guard in front of Dagster's webserver, which has no login and takes a change from any web page.

A proxy for HTTP and websockets. It refuses what a page of elsewhere can make a browser send: another host name (DNS
rebinding), another origin, a query in an address, a change in a form.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlsplit

from starlette import requests
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

_OF_ONE_CONNECTION = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
_PORTS = {"http": ":80", "https": ":443"}
_AGAIN = {"retry-after": "2", "refresh": "2"}  # a browser loads the page again by itself


class Guard:
    """Passes on what the webserver's own pages ask, and what programs of this machine do.

    Args:
        host: of Dagster's webserver.
        port: of Dagster's webserver.
        addresses: URLs at which people open it: scheme, host, port.
    """

    def __init__(self, host: str, port: int, addresses: Iterable[str]) -> None:
        self._upstream = host, port
        served = [urlsplit(address.lower()) for address in addresses]
        self._origins = {f"{url.scheme}://{url.netloc.removesuffix(_PORTS[url.scheme])}" for url in served}
        self._hosts = {origin.partition("//")[2] for origin in self._origins}
        http = Route("/{path:path}", self._http, methods=["GET", "POST"])
        self.application = Starlette(routes=[http, WebSocketRoute("/{path:path}", self._websocket)])

    def answers(self) -> bool:
        """Return whether Dagster's webserver is up."""
        connection = HTTPConnection(*self._upstream, timeout=5)
        with suppress(OSError, HTTPException):
            connection.request("GET", "/server_info")
            return connection.getresponse().status == 200
        return False

    def _foreign(self, asked: requests.HTTPConnection) -> Response | None:
        hosts, origins = ([v.lower() for v in asked.headers.getlist(name)] for name in ("host", "origin"))
        if len(hosts) == 1 and self._hosts.issuperset(hosts) and self._origins.issuperset(origins):
            return None
        known = ", ".join(sorted(self._origins))
        return _refused(
            403, f"Served is {known} alone. Name another address of this server in ACCELMART_UI_URL"
        )

    async def _http(self, request: requests.Request) -> Response:
        if refusal := self._foreign(request):
            return refusal
        if request.method == "POST":
            kinds = [kind.partition(";")[0].strip() for kind in request.headers.getlist("content-type")]
            if kinds != ["application/json"]:
                return _refused(415, "Send it as application/json: other types are refused")
        elif request.scope["query_string"] and request.scope["path"].rstrip("/").endswith("graphql"):
            return _refused(405, "Send the query by POST, as application/json")
        try:
            answer = await run_in_threadpool(self._ask, request, await request.body())
        except (OSError, HTTPException):
            return _not_up()
        response = StreamingResponse(iter(partial(answer.read1, 1 << 16), b""), answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _OF_ONE_CONNECTION:
                response.headers.append(name, value)
        response.headers["x-frame-options"] = "SAMEORIGIN"
        return response

    def _ask(self, request: requests.Request, body: bytes) -> HTTPResponse:
        """Send a request on with path and headers unchanged; return the answer, its body unread."""
        target = b"?".join(filter(None, (request.scope["raw_path"], request.scope["query_string"])))
        connection = HTTPConnection(*self._upstream)
        connection.putrequest(
            request.method, target.decode("latin-1"), skip_host=True, skip_accept_encoding=True
        )
        for name, value in request.headers.items():
            if name not in {*_OF_ONE_CONNECTION, "content-length"}:
                connection.putheader(name, value)
        connection.putheader("content-length", str(len(body)))
        connection.putheader("connection", "close")
        connection.endheaders(body)
        return connection.getresponse()

    async def _websocket(self, browser: WebSocket) -> None:
        if self._foreign(browser):
            await browser.close()  # before it is open: answered with 403
            return
        host, port = self._upstream
        address = f"ws://{host}:{port}{browser.scope['path']}"
        protocols = browser.scope["subprotocols"] or None
        try:
            dagster = await connect(address, subprotocols=protocols, proxy=None, max_size=None)
        except (OSError, WebSocketException):
            await browser.send_denial_response(_not_up())
            return
        async with dagster:
            await browser.accept(dagster.subprotocol)
            ways = [asyncio.create_task(way(browser, dagster)) for way in (_to_dagster, _to_browser)]
            # whichever side ends, the other one ends with it
            _, left = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in left:
                way.cancel()
        with suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
            await browser.close()


async def _to_dagster(browser: WebSocket, dagster: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while (message := await browser.receive())["type"] == "websocket.receive":
            await dagster.send(message.get("text") or message.get("bytes") or "")


async def _to_browser(browser: WebSocket, dagster: ClientConnection) -> None:
    with suppress(ConnectionClosed, WebSocketDisconnect):
        async for message in dagster:
            await browser.send(
                {"type": "websocket.send", "text" if isinstance(message, str) else "bytes": message}
            )


def _not_up() -> Response:
    return _refused(
        503, "Dagster does not answer: it starts, or has ended. Try again in a few seconds", _AGAIN
    )


def _refused(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"{sentence}.\n", status, headers)
