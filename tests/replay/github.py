"""The part of GitHub's API that discovery uses, served by the replay server: pages, ETags, rate limits."""

from __future__ import annotations

import time

from replay_server import Asked, ReplayServer, Reply, as_json

HOST = "api.github.com"
_OTHERS = [f"mlcube_{i}" for i in range(98)]


class GitHub:
    """MLCommons' repositories; `push` gives one a new head commit.

    `left` is how many requests it still answers: conditional ones answered with "not modified" do not count.
    """

    def __init__(self, server: ReplayServer) -> None:
        self.heads: dict[str, str] = {}
        self.pushed: dict[str, int] = {}
        self.left, self.reset_at = 60, int(time.time()) + 1800
        server.on(f"https://{HOST}/orgs/mlcommons/repos", self._limited(self._list))
        server.on(f"https://{HOST}/repos/mlcommons/*", self._limited(self._commit))

    def push(self, repository: str, commit: str) -> None:
        self.heads[repository] = commit
        self.pushed[repository] = self.pushed.get(repository, 0) + 1

    def _limited(self, answer):
        def limited(asked: Asked) -> Reply:
            reply = answer(asked)
            if reply.validator and asked.headers.get("if-none-match") == reply.validator:
                return reply
            if self.left <= 0:
                headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(self.reset_at)}
                return Reply(b'{"message": "API rate limit exceeded"}', 403, headers=headers, etag="")
            self.left -= 1
            return reply

        return limited

    def _list(self, asked: Asked) -> Reply:
        names = sorted([*_OTHERS, *self.heads])
        size, page = int(asked.query["per_page"]), int(asked.query["page"])
        return as_json(
            [
                {
                    "name": name,
                    "full_name": f"mlcommons/{name}",
                    "default_branch": "main",
                    "pushed_at": f"2026-11-01T00:00:{self.pushed.get(name, 0):02d}Z",
                    "archived": False,
                }
                for name in names[(page - 1) * size : page * size]
            ]
        )

    def _commit(self, asked: Asked) -> Reply:
        name = asked.path.split("/")[3]
        if name not in self.heads:
            return as_json({"message": "Not Found"}, status=404)
        return Reply(
            self.heads[name].encode(), content_type="application/vnd.github.sha", etag=f'"{self.heads[name]}"'
        )
