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
    """Return a tool whose known conditions are the tool's error, in words that say what to do."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def answer(**arguments: Any) -> Answer:
        try:
            return tool(**arguments)
        except ReaderError as e:
            raise ToolError(str(e)) from e

    return answer
