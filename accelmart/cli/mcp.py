"""`accelmart mcp`: tools for agents over the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer


def mcp(
    where: Annotated[
        str | None,
        typer.Option("--from", help="File, folder or URL of the warehouse; default: the published one."),
    ] = None,
    http: Annotated[
        bool,
        typer.Option("--http", help="Streamable HTTP on 127.0.0.1 instead of standard input and output."),
    ] = False,
    port: Annotated[int, typer.Option(help="Port of --http.")] = 8765,
) -> None:
    """Answer agents over the Model Context Protocol, read-only.

    Tools: search, query, rank, estimate_training, estimate_serving, choose, compare, evidence. Needs: pip install
    'accelmart[mcp]'.
    """
    from accelmart.agents.server import server

    made = server(where)
    if http:
        typer.echo(f"http://127.0.0.1:{port}/mcp", err=True)
        made.run("streamable-http", host="127.0.0.1", port=port)
    else:
        made.run("stdio")
