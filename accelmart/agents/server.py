"""The tools over the Model Context Protocol, by its official SDK."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from accelmart.agents.access import Access
from accelmart.agents.tools import Answer, Tools
from accelmart.citing import CITATION_RULE, DERIVED
from accelmart.errors import CommandFailedError, ReaderError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

ERROR_CHARACTERS = 1_000
"""Most characters of an error: errors of DuckDB repeat values of any size, and an agent reads all of them."""

_INSTRUCTIONS = (
    "Speed, cost and energy of AI accelerators from public data, with the evidence on every row. Begin with rank, "
    "compare, choose or an estimate; use search and query for everything else, and evidence for what a figure rests "
    f"on. {DERIVED} {CITATION_RULE}"
)


def server(access: Access) -> MCPServer[Any]:
    """Return a server with every tool.

    Args:
        access: the warehouse.

    Raises:
        CommandFailedError: the SDK is not installed.
    """
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.types import ToolAnnotations
    except ImportError as e:
        raise CommandFailedError(
            f"tools for agents need the SDK of the protocol ({e}): pip install 'accelmart[mcp]'"
        ) from e
    made: MCPServer[Any] = MCPServer(
        "accelmart", instructions=_INSTRUCTIONS, version=version("accelmart"), log_level="WARNING"
    )
    for tool in Tools(access).all():
        made.add_tool(
            _answering(tool),
            annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        )
    return made


def _answering(tool: Callable[..., Answer]) -> Callable[..., Answer]:
    """Return a tool whose conditions are the tool's error, in words that say what to do, and in a bounded length."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def answer(**arguments: Any) -> Answer:
        try:
            return tool(**arguments)
        except ReaderError as e:
            raise ToolError(_shortened(str(e))) from e
        except Exception as e:  # the SDK answers with the text of any other error, whatever its length
            raise ToolError(_shortened(f"{type(e).__name__}: {e}")) from e

    return answer


def _shortened(text: str) -> str:
    """Return an error with its middle left out where it is long: what happened stands first, what to do last."""
    if len(text) <= ERROR_CHARACTERS:
        return text
    start, end = text[: ERROR_CHARACTERS * 2 // 3], text[-ERROR_CHARACTERS // 4 :]
    return f"{start} … ({len(text) - len(start) - len(end):,} characters left out) … {end}"
