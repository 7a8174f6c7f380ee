"""GitHub as an installation meets it: MLCommons' repositories with their stored trees over git's HTTP, and its limit.

Import `played` before it: it adds the folders of the tests to the path.
"""

import json
import os
import subprocess
import tarfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import replay_server as replay

API_HOST = "api.github.com"
LIMIT = 60
PUBLISHED = "refs/tags/published"
SUMMARIES = {"inference_results_v5.1": "inference_v5.1/summary_results.json"}
"""Files that a repository has and its stored archive lacks."""


def stored_trees(mlperf: Path) -> dict[str, Path]:
    """Return every round of which a tree is stored: repository → archive."""
    archives = [*(mlperf / "releases").glob("*_results_v*.tar.gz"), *(mlperf / "trimmed").glob("*.tar.xz")]
    return {path.name.partition(".tar.")[0]: path for path in sorted(archives)}


def _files(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (path, content) without the folder that GitHub puts around a tree."""
    repository, seen = archive.name.partition(".tar.")[0], set[str]()
    with tarfile.open(archive) as tar:
        for member in tar:
            first, _, rest = member.name.partition("/")
            path = rest if first.startswith(f"{repository}-") else member.name
            if member.isfile() and path and path not in seen:
                seen.add(path)
                file = tar.extractfile(member)
                assert file is not None
                yield path, file.read()


class Repositories:
    """The result repositories as bare git repositories in a folder, which a later day finds there again.

    Args:
        folder: where they are.
        mlperf: folder of the stored archives.
    """

    def __init__(self, folder: Path, mlperf: Path) -> None:
        self.folder, self.mlperf = folder, mlperf

    def make(self, repository: str, origin: Path | dict[str, bytes | None]) -> str:
        """Create a repository from a stored archive or files, or take it back to that. Return the commit."""
        place = self.folder / f"{repository}.git"
        if not place.exists():
            subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(place)], check=True)
            self._git(repository, "config", "uploadpack.allowFilter", "true")
            self._git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
            files = dict(_files(origin)) if isinstance(origin, Path) else origin
            if repository in SUMMARIES:
                summary = self.mlperf / SUMMARIES[repository]
                files[summary.name] = summary.read_bytes()
            self._git(repository, "update-ref", PUBLISHED, self.commit(repository, files, "The round"))
        self._git(repository, "update-ref", "refs/heads/main", PUBLISHED)
        return self._git(repository, "rev-parse", PUBLISHED).decode().strip()

    def commit(self, repository: str, changes: Mapping[str, bytes | None], message: str) -> str:
        """Commit files to the head of a repository; None removes a file or folder. Return the commit."""
        has_head = bool(self._git(repository, "for-each-ref", "refs/heads/main"))
        stream = [
            f"commit refs/heads/main\ncommitter T <t@example.org> {int(time.time())} +0000\n".encode(),
            b"data %d\n%s\n" % (len(message), message.encode()),
            b"from refs/heads/main^0\n" if has_head else b"",
        ]
        for path, data in changes.items():
            name = path.encode()
            if data is None:
                stream.append(b"D %s\n" % name)
            else:
                stream += [b"M 100644 inline %s\ndata %d\n" % (name, len(data)), data, b"\n"]
        self._git(repository, "fast-import", "--quiet", "--force", data=b"".join(stream))
        return self._git(repository, "rev-parse", "refs/heads/main").decode().strip()

    def read(self, repository: str, path: str) -> bytes:
        """Return a file at the head of a repository."""
        return self._git(repository, "show", f"refs/heads/main:{path}")

    def paths(self, repository: str, under: str) -> list[str]:
        """Return the paths of files below a folder."""
        listed = self._git(repository, "ls-tree", "-r", "-z", "--name-only", "refs/heads/main", "--", under)
        return [name for name in listed.decode().split("\0") if name]

    def _git(self, repository: str, *words: str, data: bytes = b"") -> bytes:
        place = self.folder / f"{repository}.git"
        command = ["git", "-c", "core.compression=1", "-C", str(place), *words]
        return subprocess.run(command, input=data, check=True, stdout=subprocess.PIPE).stdout


class GitServer:
    """git's own HTTP backend on 127.0.0.1; a context manager. A repository that is not there is answered with 404.

    Args:
        folder: of the repositories, and of the configuration that leads git here.
    """

    def __init__(self, folder: Path) -> None:
        self.fetches: Counter[str] = Counter()
        exec_path = subprocess.run(["git", "--exec-path"], check=True, capture_output=True, text=True)
        backend, outer = Path(exec_path.stdout.strip()) / "git-http-backend", self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer()

            def do_POST(self) -> None:
                self.answer()

            def answer(self) -> None:
                parts = urlsplit(self.path)
                path = parts.path.removeprefix("/mlcommons")
                outer.fetches[path.split("/")[1]] += self.command == "POST"
                environment = {
                    "PATH": os.environ["PATH"],
                    "GIT_PROJECT_ROOT": str(folder),
                    "GIT_HTTP_EXPORT_ALL": "1",
                    "GIT_CONFIG_COUNT": "1",
                    "GIT_CONFIG_KEY_0": "safe.directory",
                    "GIT_CONFIG_VALUE_0": "*",
                    "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                    "PATH_INFO": path,
                    "QUERY_STRING": parts.query,
                    "REQUEST_METHOD": self.command,
                    "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                    "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                    "REMOTE_ADDR": "127.0.0.1",
                }
                body = self.body()
                done = subprocess.run(
                    [str(backend)],
                    input=body,
                    env=environment | {"CONTENT_LENGTH": str(len(body))},
                    stdout=subprocess.PIPE,
                    check=False,
                )
                head, _, content = done.stdout.partition(b"\r\n\r\n")
                fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
                self.send_response(int(fields.pop("Status", "200").split()[0]))
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def body(self) -> bytes:
                if self.headers.get("Transfer-Encoding", "") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                chunks = []
                while size := int(self.rfile.readline(), 16):
                    chunks.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(chunks)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._configuration = folder / "gitconfig"
        self._configuration.write_text(
            f'[url "http://127.0.0.1:{self._server.server_address[1]}/mlcommons/"]\n'
            "\tinsteadOf = https://github.com/mlcommons/\n[http]\n\tproxy =\n"
        )

    @property
    def settings(self) -> dict[str, str]:
        """Return an environment in which git fetches from this machine instead of github.com."""
        return {"GIT_CONFIG_GLOBAL": str(self._configuration)}

    def __enter__(self) -> "GitServer":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class HourlyLimit:
    """GitHub's limit for an address without a token: 60 requests an hour, of which others may have used some.

    An answer of "not modified" counts too: it is free with a token only
    (docs.github.com, best practices for using the REST API).

    Args:
        server: whose answers of GitHub's API are limited.
        hour_seconds: how long an hour is played.
        used: how many of the first hour are used up by others.
    """

    def __init__(self, server: replay.ReplayServer, hour_seconds: float, used: int = 0) -> None:
        self.hour_seconds, self.refused = hour_seconds, 0
        self.hours: list[int] = []  # requests answered in each played hour that had any
        self._used, self._ends = used, 0.0
        self._lock = threading.Lock()
        server.fault(API_HOST, "/", replay.altered(self._limited))

    def _limited(self, asked: replay.Asked, reply: replay.Reply) -> replay.Reply:
        with self._lock:
            now = time.time()
            if now >= self._ends:
                used, self._used = self._used if not self.hours else 0, 0
                self._ends, self._used = now + self.hour_seconds, used
                self.hours.append(0)
            is_over = self._used >= LIMIT
            self._used += not is_over
            self.hours[-1] += not is_over
            self.refused += is_over
            headers = {
                "X-RateLimit-Limit": str(LIMIT),
                "X-RateLimit-Remaining": str(LIMIT - self._used),
                "X-RateLimit-Used": str(self._used),
                "X-RateLimit-Reset": str(int(self._ends) + 1),
                "X-RateLimit-Resource": "core",
            }
        if is_over:
            body = {"message": "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated "
                    "requests get a higher rate limit.)"}  # fmt: skip
            return replay.Reply(json.dumps(body).encode(), 403, headers=headers, etag="")
        return replay.replace(reply, headers={**reply.headers, **headers})
