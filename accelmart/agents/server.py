"""The tools over the Model Context Protocol, by its official SDK."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from accelmart.agents.access import Access, Limits, bound_process
from accelmart.agents.tools import Answer, Tools
from accelmart.citing import CITATION_RULE, DERIVED
from accelmart.errors import CommandFailedError, ReaderError
from accelmart.published import locate

if TYPE_CHECKING:
    import anyio
    from mcp.server.mcpserver import MCPServer

ERROR_CHARACTERS = 1_000
"""Most characters of an error: errors of DuckDB repeat values of any size, and an agent reads all of them."""

_INSTRUCTIONS = (
    "Speed, cost and energy of AI accelerators from public data, with the evidence on every row. Begin with rank, "
    "compare, choose or an estimate; use search and query for everything else, and evidence for what a figure rests "
    f"on. {DERIVED} {CITATION_RULE}"
)


def server(where: Path | str | None = None, limits: Limits | None = None) -> MCPServer[Any]:
    """Return a server with every tool.

    Args:
        where: file, folder or URL of the warehouse, see `accelmart.connect`; a URL is read once.
        limits: bounds of an answer.

    Raises:
        CommandFailedError: the SDK is not installed.
        ReaderError: there is no warehouse.
    """
    try:
        import anyio
        from mcp.server.mcpserver import MCPServer
        from mcp.types import ToolAnnotations
    except ImportError as e:
        raise CommandFailedError(
            f"tools for agents need the SDK of the protocol ({e}): pip install 'accelmart[mcp]'"
        ) from e
    bounds, path = limits or Limits(), locate(where)
    place = path if "://" in str(where) else where
    made: MCPServer[Any] = MCPServer(
        "accelmart", instructions=_INSTRUCTIONS, version=version("accelmart"), log_level="WARNING"
    )
    at_once = anyio.CapacityLimiter(bounds.at_once)
    for tool in Tools(Access(path, bounds)).all():
        made.add_tool(
            _answering(tool, place, bounds, at_once),
            annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        )
    return made


def _answering(
    tool: Callable[..., Answer], where: Path | str | None, limits: Limits, at_once: anyio.CapacityLimiter
) -> Callable[..., Awaitable[Answer]]:
    """Return a tool that answers in another process, which is ended at the deadline."""
    import anyio
    from anyio.to_process import run_sync
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    async def answer(**arguments: Any) -> Answer:
        if len(str(arguments)) > limits.question_characters:
            raise ToolError(f"the question is longer than {limits.question_characters:,} characters")
        try:
            with anyio.fail_after(limits.seconds):
                return await run_sync(
                    _answer, where, limits, tool.__name__, arguments, cancellable=True, limiter=at_once
                )
        except TimeoutError:
            raise ToolError(
                f"there was no answer within {limits.seconds:g} s, and it was stopped: ask for less, or filter "
                f"before joining. At most {limits.at_once} questions are answered at once"
            ) from None
        except anyio.BrokenWorkerProcess:
            raise ToolError("the answer needs more memory than is allowed: ask for less") from None
        except ReaderError as e:
            raise ToolError(_shortened(str(e))) from e
        except Exception as e:  # the SDK answers with the text of any other error, whatever its length
            raise ToolError(_shortened(f"{type(e).__name__}: {e}")) from e

    return answer


@cache
def _tools(where: Path | str | None, limits: Limits) -> Tools:
    bound_process()
    return Tools(Access(where, limits))


def _answer(where: Path | str | None, limits: Limits, tool: str, arguments: dict[str, Any]) -> Answer:
    """Answer a question in this process."""
    answers: dict[str, Callable[..., Answer]] = {t.__name__: t for t in _tools(where, limits).all()}
    return answers[tool](**arguments)


def _shortened(text: str) -> str:
    """Return an error with its middle left out where it is long: what happened stands first, what to do last."""
    if len(text) <= ERROR_CHARACTERS:
        return text
    start, end = text[: ERROR_CHARACTERS * 2 // 3], text[-ERROR_CHARACTERS // 4 :]
    return f"{start} … ({len(text) - len(start) - len(end):,} characters left out) … {end}"
