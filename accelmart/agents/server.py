"""The tools over the Model Context Protocol, by its official SDK."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import cache, wraps
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from accelmart.agents.access import Access, Limits, bound_process, ended_after
from accelmart.agents.answers import Answer, as_json
from accelmart.agents.tools import TOOLS, Tools
from accelmart.citing import CITATION_RULE, DERIVED
from accelmart.errors import CommandFailedError, QuestionError, ReaderError
from accelmart.published import locate

if TYPE_CHECKING:
    import anyio
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import CallToolResult

ERROR_CHARACTERS = 1_000
"""Most characters of an error: errors of DuckDB repeat values of any size, and an agent reads all of them."""

_WAITING = 0.75
"""Part of an answer's time in which it may wait for its turn: one without a turn by then is refused as busy."""

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
        from mcp.server.mcpserver.exceptions import ToolError
        from pydantic import ValidationError
    except ImportError as e:
        raise CommandFailedError(
            f"tools for agents need the SDK of the protocol ({e}): pip install 'accelmart[mcp]'"
        ) from e
    bounds, path = limits or Limits(), locate(where)
    place = path if "://" in str(where) else where

    class CheckedServer(MCPServer[Any]):
        """A server whose errors of arguments name those that a tool has."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            given = _given(signatures[name], arguments) if name in signatures else arguments
            if name in signatures and (problem := _argument_problem(signatures[name], given)):
                raise ToolError(problem)
            try:
                return await super().call_tool(name, given, context)
            except ToolError as e:
                if not isinstance(e.__cause__, ValidationError):
                    raise
                wrong = "; ".join(f"{error['loc'][0]}: {error['msg']}" for error in e.__cause__.errors())
                raise ToolError(f"{_shortened(wrong)}. {_listed(signatures[name])}") from e

    tools = Tools(Access(path, bounds))
    calls = {name: getattr(tools, name) for name in TOOLS}
    signatures = {name: inspect.signature(call, eval_str=True) for name, call in calls.items()}
    at_once = anyio.CapacityLimiter(bounds.at_once)
    made: MCPServer[Any] = CheckedServer(
        "accelmart",
        tools=[_tool(call, place, bounds, at_once) for call in calls.values()],
        instructions=_INSTRUCTIONS,
        version=version("accelmart"),
        log_level="WARNING",
    )
    _add_resources(made, tools)
    return made


def _tool(
    call: Callable[..., Answer], where: Path | str | None, limits: Limits, at_once: anyio.CapacityLimiter
) -> Tool:
    """Return a method of `Tools` as a tool of the protocol, each argument with its meaning."""
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import ToolAnnotations

    made = Tool.from_function(
        _answering(call, where, limits, at_once),
        description=inspect.getdoc(call),
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
        structured_output=False,
    )
    for name, kind in get_type_hints(call, include_extras=True).items():
        for option in getattr(kind, "__metadata__", ()):
            made.parameters["properties"][name]["description"] = option.help
    return made


def _given(signature: inspect.Signature, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without those that a tool can do without and that hold no text: clients fill forms so."""
    needed = {n for n, p in signature.parameters.items() if p.default is inspect.Parameter.empty}
    return {
        n: v
        for n, v in arguments.items()
        if n in needed or not isinstance(v, str) or v.strip() not in ("", "null")
    }


def _argument_problem(signature: inspect.Signature, arguments: dict[str, Any]) -> str:
    """Return what is wrong with the names of arguments, and which there are; nothing if they are right."""
    known = signature.parameters
    unknown = [name for name in arguments if name not in known]
    missing = [n for n, p in known.items() if p.default is inspect.Parameter.empty and n not in arguments]
    problems = [f"there is no argument {name}" for name in unknown] + [
        f"{name} is missing" for name in missing
    ]
    return f"{_shortened('; '.join(problems))}. {_listed(signature)}" if problems else ""


def _listed(signature: inspect.Signature) -> str:
    return f"Arguments: {', '.join(signature.parameters)}"


def _add_resources(made: MCPServer[Any], tools: Tools) -> None:
    """Add what to read beside the tools: the public tables with their columns and units, and how figures are made."""

    @made.resource("accelmart://dictionary", mime_type="text/markdown")
    def dictionary() -> str:
        """Public tables, a line each."""
        return tools.dictionary()

    @made.resource("accelmart://dictionary/{table}", mime_type="text/markdown")
    def columns(table: str) -> str:
        """Columns of a public table, with unit and meaning."""
        return tools.columns(table)

    @made.resource("accelmart://methodology", mime_type="text/markdown")
    def methodology() -> str:
        """How figures are derived: the macros of the warehouse with their formulas in words, units and arguments."""
        return tools.methodology()


def _answering(
    call: Callable[..., Answer],
    where: Path | str | None,
    limits: Limits,
    at_once: anyio.CapacityLimiter,
) -> Callable[..., Awaitable[CallToolResult]]:
    """Return a tool that answers in another process, ended at the deadline; refused where its turn is too late."""
    import anyio
    from anyio.to_process import run_sync
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent

    @wraps(call)
    async def answer(**arguments: Any) -> CallToolResult:
        if len(str(arguments)) > limits.question_characters:
            raise ToolError(f"the question is longer than {limits.question_characters:,} characters")
        problem = (
            f"busy: {limits.at_once} questions are answered at once, and others came first, so that there is no answer "
            f"within {limits.seconds:g} s: ask again"
        )
        try:
            async with AsyncExitStack() as turn:
                with anyio.fail_after(limits.seconds):
                    with anyio.fail_after(limits.seconds * _WAITING):
                        await turn.enter_async_context(at_once)
                    problem = (
                        f"there was no answer within {limits.seconds:g} s, and it was stopped: ask for less, or filter "
                        "before joining"
                    )
                    asked = (where, limits, call.__name__, arguments)
                    reply = await run_sync(
                        _answer, *asked, cancellable=True, limiter=anyio.CapacityLimiter(1)
                    )
                text = TextContent(text=as_json(reply))
                return CallToolResult(content=[text], structured_content=reply)
        except TimeoutError:
            raise ToolError(problem) from None
        except anyio.BrokenWorkerProcess:
            raise ToolError("the answer needs more memory than is allowed: ask for less") from None
        except ReaderError as e:
            raise ToolError(
                f"{_shortened(str(e))}. {_listed(inspect.signature(call))}"
                if isinstance(e, QuestionError)
                else _shortened(str(e))
            ) from e
        except Exception as e:  # the SDK answers with the text of any other error, whatever its length
            raise ToolError(_shortened(f"{type(e).__name__}: {e}")) from e

    return answer


@cache
def _tools(where: Path | str | None, limits: Limits) -> Tools:
    bound_process()
    return Tools(Access(where, limits))


def _answer(where: Path | str | None, limits: Limits, tool: str, arguments: dict[str, Any]) -> Answer:
    """Answer a question in this process."""
    with ended_after(limits.seconds):
        answer: Answer = getattr(_tools(where, limits), tool)(**arguments)
        return answer


def _shortened(text: str) -> str:
    """Return an error with its middle left out where it is long: what happened stands first, what to do last."""
    if len(text) <= ERROR_CHARACTERS:
        return text
    start, end = text[: ERROR_CHARACTERS * 2 // 3], text[-ERROR_CHARACTERS // 4 :]
    return f"{start} … ({len(text) - len(start) - len(end):,} characters left out) … {end}"
