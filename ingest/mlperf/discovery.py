"""Finding MLPerf rounds on GitHub: result repositories that are new, and new commits in those that are known.

One list of the organisation's repositories tells which there are and when each was pushed to; only for those that
were pushed to since is the head of the default branch asked. What was answered is kept with its ETag, so that
an unchanged answer is not sent again; with a token it does not count against GitHub's limit either. Where the limit is
used up, the next look goes on from there.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from accelmart.http import HttpClient, StatusRefused
from ingest.core.errors import AccelmartError, FetchFailed, PayloadRejected
from ingest.mlperf.releases import release_order, round_of_repository

API = "https://api.github.com"
ORGANISATION = "mlcommons"
_LIST_URL = f"{API}/orgs/{ORGANISATION}/repos"
_LIMIT_HEADERS = ("retry-after", "x-ratelimit-remaining", "x-ratelimit-reset")
TOKEN_VARIABLE = "GITHUB_TOKEN"  # noqa: S105 - a name
PAGE_SIZE = 100
_PAGES_MAX = 50
_LIMIT_BYTES = 16 << 20
_COMMIT_LIMIT_BYTES = 4096
_STATE_VERSION = 1
_COMMIT = re.compile(r"[0-9a-f]{40}")
# GitHub's word where a secondary limit is not explained further
_WITHOUT_A_WORD_SECONDS = 60.0


class RateLimited(AccelmartError):
    """GitHub does not answer before a certain time.

    Args:
        until: seconds since 1970.
        has_token: whether it was asked with a token.

    Attributes:
        state: for the next look.
    """

    def __init__(self, until: float, *, has_token: bool) -> None:
        self.until, self.state = until, State(not_before=until)
        remedy = (
            "nothing is to be done"
            if has_token
            else f"set {TOKEN_VARIABLE} for 5,000 requests an hour instead of 60"
        )
        super().__init__(
            f"GitHub's rate limit is used up until {datetime.fromtimestamp(until, UTC):%Y-%m-%d %H:%M:%S} UTC; {remedy}"
        )


@dataclass(frozen=True, order=True)
class Head:
    """The newest commit of a result repository.

    Attributes:
        source: registered source.
        release: the round.
        commit: full id.
    """

    source: str
    release: str
    commit: str

    @property
    def repository(self) -> str:
        """Name on GitHub."""
        return f"{self.source.removeprefix('mlperf-')}_results_{self.release}"

    @property
    def key(self) -> str:
        """``repository@commit``: what is fetched once."""
        return f"{self.repository}@{self.commit}"


@dataclass
class State:
    """What is known from earlier looks; it goes into a sensor's cursor as JSON.

    Attributes:
        pages: URL of a page of the list → (ETag, its result repositories as (name, branch, when it was pushed to),
            how many repositories it had).
        heads: repository → (when it was pushed to, its head) as looked up last.
        first: repository → its head when it was seen for the first time.
        not_before: seconds since 1970 before which GitHub does not want to be asked.
    """

    pages: dict[str, list[Any]] = field(default_factory=dict)
    heads: dict[str, list[str]] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)
    not_before: float = 0.0

    @property
    def releases(self) -> list[tuple[str, str]]:
        """(source, release) of every result repository in the list, by source and age."""
        named = {round_of_repository(name) for _, rows, _ in self.pages.values() for name, *_ in rows}
        return sorted(filter(None, named), key=lambda n: (n[0], release_order(n[1])))

    @classmethod
    def from_json(cls, text: str | None) -> State:
        """The state of a cursor; an empty one where there is none, or it is of another version."""
        stored = json.loads(text) if text else {}
        return cls(**stored) if stored.pop("version", None) == _STATE_VERSION else cls()

    def to_json(self) -> str:
        """For a cursor."""
        return json.dumps({"version": _STATE_VERSION, **vars(self)}, sort_keys=True)


@dataclass(frozen=True)
class Found:
    """What a look at GitHub gave.

    Attributes:
        heads: of all result repositories whose head is known, oldest round first.
        state: for the next look.
        requests: how many questions it took.
        unchanged: how many of them were answered with "not modified".
        problems: repositories whose head could not be read, and why; asked again at the next look.
        is_whole: every repository was looked at; if not, the next look goes on.
    """

    heads: list[Head]
    state: State
    requests: int
    unchanged: int
    problems: dict[str, str]
    is_whole: bool


def discover(client: HttpClient, state: State, *, token: str = "", budget_seconds: float = 40.0) -> Found:
    """Look for result repositories and their newest commits.

    Args:
        client: to ask with.
        state: of the last look; not changed.
        token: of GitHub; empty is none.
        budget_seconds: after these no further question is asked; the next look goes on from there.

    Raises:
        RateLimited: the limit is used up. Its `state` has what was found before that.
        FetchFailed: the list of repositories is not given.
        PayloadRejected: the response is no list of repositories.
    """
    if time.time() < state.not_before:
        limited = RateLimited(state.not_before, has_token=bool(token))
        limited.state = state
        raise limited
    look = _Look(client, state, token, time.monotonic() + budget_seconds)
    try:
        # newest rounds first: they are what people wait for
        for repository in sorted(
            look.repositories(), key=lambda r: release_order(r[0].rpartition("_")[2]), reverse=True
        ):
            look.find_head(*repository)
    except RateLimited as limited:
        look.pages, look.known = state.pages | look.pages, state.heads | look.known
        limited.state = look.state(limited.until)
        raise
    known = look.known
    rounds = {name: round_ for name in known if (round_ := round_of_repository(name))}
    heads = [Head(*round_, known[name][1]) for name, round_ in rounds.items()]
    return Found(
        heads=sorted(heads, key=lambda h: (h.source, release_order(h.release))),
        state=look.state(),
        requests=look.requests,
        unchanged=look.unchanged,
        problems=look.problems,
        is_whole=look.is_whole,
    )


class _Look:
    """One look: the requests made and their results."""

    def __init__(self, client: HttpClient, state: State, token: str, deadline: float) -> None:
        self._client, self._state, self._token, self._deadline = client, state, token, deadline
        self.pages: dict[str, list[Any]] = {}
        self.known: dict[str, list[str]] = {}
        self.problems: dict[str, str] = {}
        self.requests = self.unchanged = 0
        self.is_whole = True

    def state(self, not_before: float = 0.0) -> State:
        """What is known now, for the next look."""
        seen = {name: commit for name, (_, commit) in self.known.items()}
        return State(self.pages, self.known, seen | self._state.first, not_before)

    def repositories(self) -> Iterator[list[str]]:
        """The result repositories, page by page; a page that has not changed is not sent again."""
        for number in range(1, _PAGES_MAX + 1):
            url = f"{_LIST_URL}?type=public&sort=full_name&per_page={PAGE_SIZE}&page={number}"
            etag, rows, count = self._state.pages.get(url, (None, [], 0))
            answer = self._ask(url, etag, "application/vnd.github+json", _LIMIT_BYTES)
            if answer is not None:
                body, etag = answer
                rows, count = _read_list(body, url)
            self.pages[url] = [etag, rows, count]
            yield from rows
            if count < PAGE_SIZE:
                return
        raise PayloadRejected(
            payload=_LIST_URL,
            problem=f"after {_PAGES_MAX} pages there are still more",
            remedy="look at the list; if it is right, raise _PAGES_MAX in ingest/mlperf/discovery.py",
        )

    def find_head(self, name: str, branch: str, pushed_at: str) -> None:
        """Keep the head of a repository: as known, or asked where it was pushed to since."""
        known = self._state.heads.get(name, ["", ""])
        if known[0] != pushed_at and (commit := self._head(name, branch, known[1])):
            known = [pushed_at, commit]
        if known[1]:
            self.known[name] = known

    def _head(self, name: str, branch: str, commit: str) -> str | None:
        """Ask for the head of a branch; None, with the problem kept, where it is unknown."""
        if time.monotonic() > self._deadline:
            self.is_whole = False
            return None
        url = f"{API}/repos/{ORGANISATION}/{name}/commits/{branch}"
        try:
            # the media type whose whole body is the commit's id, and whose ETag is that id
            answer = self._ask(
                url, f'"{commit}"' if commit else None, "application/vnd.github.sha", _COMMIT_LIMIT_BYTES
            )
        except FetchFailed as failed:
            self.problems[name] = str(failed)
            return None
        text = answer[0].decode("ascii", "replace").strip() if answer else commit
        if _COMMIT.fullmatch(text):
            return text
        self.problems[name] = f"{url}: {text[:60]!r} is no commit id"
        return None

    def _ask(
        self, url: str, etag: str | None, media_type: str, limit_bytes: int
    ) -> tuple[bytes, str | None] | None:
        """Body and ETag of an answer; None when it has not changed."""
        headers = {"Accept": media_type, "X-GitHub-Api-Version": "2022-11-28"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        self.requests += 1
        try:
            with self._client.download(url, limit_bytes=limit_bytes, etag=etag, headers=headers) as answer:
                if answer.status == 304:
                    self.unchanged += 1
                    return None
                if answer.is_over_limit:
                    raise PayloadRejected(
                        payload=url,
                        problem=f"the answer is larger than {limit_bytes} bytes",
                        remedy="look at what comes there",
                    )
                return answer.body.read(), answer.etag
        except StatusRefused as refused:
            until = _limited_until(refused.status, refused.limits)
            if until is not None:
                raise RateLimited(until, has_token=bool(self._token)) from refused
            raise


def _limited_until(status: int, headers: Mapping[str, str]) -> float | None:
    """When GitHub may be asked again; None when it was no rate limit that it answered with."""
    if status not in (403, 429):
        return None
    after, remaining, reset = (headers.get(n, "") for n in _LIMIT_HEADERS)
    if after.isdecimal():
        return time.time() + int(after)
    if remaining == "0" and reset.isdecimal():
        return float(reset)
    return time.time() + _WITHOUT_A_WORD_SECONDS if status == 429 else None


def _read_list(body: bytes, url: str) -> tuple[list[list[str]], int]:
    """Return the result repositories of a page as (name, branch, when it was pushed to), and how many it has of any."""
    try:
        listed = json.loads(body)
        # a repository that was never pushed to is announced, and empty
        rows = [
            [entry["name"], entry["default_branch"], entry["pushed_at"]]
            for entry in listed
            if round_of_repository(entry["name"]) and entry["pushed_at"] is not None
        ]
    except (ValueError, KeyError, TypeError) as e:
        raise PayloadRejected(
            payload=url,
            problem=f"the response is no list of repositories ({type(e).__name__}: {e})",
            remedy="open the URL; if GitHub's API has changed, mend ingest/mlperf/discovery.py",
        ) from e
    return rows, len(listed)
