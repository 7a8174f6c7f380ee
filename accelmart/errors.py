"""Known conditions: each message says what happened, to what, and what to do."""

from __future__ import annotations

EXIT_FAILED, EXIT_USAGE, EXIT_NO_WAREHOUSE, EXIT_BUSY = 1, 2, 3, 4
# that of a tool whose reader has gone: 128 and SIGPIPE
EXIT_UNREAD = 141


class AccelmartError(Exception):
    """A known condition; the command line prints the message and ends with ``exit_code``."""

    exit_code = EXIT_FAILED


class FetchFailed(AccelmartError, OSError):
    """The world did not give what was asked for (network, status, git)."""

    def __init__(self, *, url: str, problem: str, remedy: str) -> None:
        self.url, self.problem, self.remedy = url, problem, remedy
        super().__init__(f"{url}: {problem}. To fix: {remedy}")


class ReaderError(AccelmartError):
    """A known condition that a reader meets."""


class NotPublishedError(ReaderError, FileNotFoundError):
    """There is no warehouse file; the message says how to make one."""

    exit_code = EXIT_NO_WAREHOUSE


class PullError(ReaderError):
    """A published warehouse cannot be downloaded; the message names URL and cause."""


class QuestionError(ReaderError, ValueError):
    """An argument that cannot be used; the message names it and what is allowed."""


class QueryError(ReaderError):
    """A statement that DuckDB refuses, or a file that it cannot open; the message is DuckDB's."""


class CommandFailedError(ReaderError):
    """A command of the pipeline that failed for a known reason.

    Args:
        message: what happened and what to do.
        exit_code: of the process.
    """

    def __init__(self, message: str, exit_code: int = EXIT_FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
