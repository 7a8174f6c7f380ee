"""`accelmart pull`: download a published warehouse."""

from __future__ import annotations

from typing import Annotated

import typer

from accelmart.cli.output import JsonOption, print_json, progress, say


def pull(
    url: Annotated[
        str, typer.Argument(help="Where `accelmart publish` wrote to: https://, s3://, gs://, a folder.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Download a published warehouse, ready for queries.

    The file is checked by its SHA-256 and replaced atomically. It is downloaded only if its content is new.
    """
    from accelmart.published import published
    from accelmart.remote import pull as run_pull

    with progress("downloading"):
        done = run_pull(url, published())
    if as_json:
        print_json({**vars(done), "path": str(done.path)})
    elif done.is_new:
        say(f"Generation {done.generation_id}, {done.bytes:,} bytes, in {done.path}")
        say("Next: accelmart rank --model deepseek-r1, or accelmart status")
    else:
        say(f"Nothing new: {done.path} is generation {done.generation_id}.")
