"""A real S3 server on this machine, and a proxy before it that answers wrongly, late or not at all."""

import http.client
import json
import random
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULTS = ("error", "lost answer", "cut upload", "late")
LATE_S = 1.5
# of s3fs: patience is short, so that a late answer costs a test little
CLIENT = {"config_kwargs": {"read_timeout": 1, "connect_timeout": 2, "retries": {"max_attempts": 6}}}


@contextmanager
def s3_server(bucket="warehouses"):
    """Yield the address of a server with one bucket."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        address = "http://{}:{}".format(*server.get_host_and_port())
        client = boto3.client(
            "s3",
            endpoint_url=address,
            aws_access_key_id="test",
            aws_secret_access_key="test",
            region_name="us-east-1",
        )
        client.create_bucket(Bucket=bucket)
        yield address
    finally:
        server.stop()


def settings_of(address):
    """Return the environment with which every S3 client asks a server, also in other processes."""
    return {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "FSSPEC_S3": json.dumps(CLIENT),
    }


@contextmanager
def used_here(patch, address):
    """Use a server in this process, which has read its environment already."""
    import fsspec
    import fsspec.config

    for name, value in settings_of(address).items():
        patch.setenv(name, value)
    patch.setitem(fsspec.config.conf, "s3", CLIENT)
    fsspec.filesystem("s3").clear_instance_cache()
    try:
        yield
    finally:
        fsspec.filesystem("s3").clear_instance_cache()


class FaultyProxy(ThreadingHTTPServer):
    """Passes requests on to a server; a part of them meets a fault.

    Args:
        address: of the server.
        share: of requests that meet a fault; may be changed at any time.
        seed: of the faults.
    """

    daemon_threads = True

    def __init__(self, address, share=0.0, seed=1):
        super().__init__(("127.0.0.1", 0), _Proxied)
        self.upstream = address.removeprefix("http://")
        self.share = share
        self.met = dict.fromkeys(FAULTS, 0)
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self.address = "http://{}:{}".format(*self.server_address)

    def fault(self):
        with self._lock:
            if self._random.random() >= self.share:
                return None
            # the kind met least: requests come in no fixed order, so chance alone may leave one out
            fault = min(FAULTS, key=lambda each: (self.met[each], self._random.random()))
            self.met[fault] += 1
            return fault

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """A client that gave up is what these faults are for."""


class _Proxied(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self._pass_on
        raise AttributeError(name)

    def _pass_on(self):
        fault = self.server.fault()
        length = int(self.headers.get("Content-Length") or 0)
        if fault == "error":
            self.close_connection = True  # what was to be uploaded is not read
            return self._answer(503, {}, b"<Error><Code>SlowDown</Code><Message>made up</Message></Error>")
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        body = self.rfile.read(length // 2 if fault == "cut upload" else length)
        if fault == "cut upload":
            return self._hang_up()
        if fault == "late":
            time.sleep(LATE_S)
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=30)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("expect", "connection")}
        upstream.request(self.command, self.path, body, headers)
        answer = upstream.getresponse()
        content = answer.read()
        upstream.close()
        if fault == "lost answer":
            return self._hang_up()
        return self._answer(answer.status, dict(answer.getheaders()), content)

    def handle_expect_100(self):
        return True  # `_pass_on` says so

    def _answer(self, status, headers, content):
        self.send_response_only(status)
        kept = {k: v for k, v in headers.items() if k.lower() not in ("transfer-encoding", "connection")}
        if self.command != "HEAD":
            kept = {k: v for k, v in kept.items() if k.lower() != "content-length"}
            kept["Content-Length"] = str(len(content))
        for name, value in kept.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _hang_up(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        pass
