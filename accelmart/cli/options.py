"""Options that several commands share."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from accelmart.cli import completion


def count(text: str | float) -> float:
    """Parse a number with or without a magnitude, such as 405B; for `typer.Option(parser=...)`."""
    from accelmart.estimate.options import parse_count

    try:
        return parse_count(text)
    except ValueError as e:
        raise typer.BadParameter(str(e)) from None


ModelOption = Annotated[
    str,
    typer.Option(help="MLCommons' benchmark, such as llama3.1-405b.", autocompletion=completion.benchmarks),
]
TokensPerDayOption = Annotated[
    float, typer.Option(parser=count, help="Output tokens a day, such as 1B or 1e9.")
]
UtilisationOption = Annotated[float, typer.Option(help="Per cent of the measured throughput in use.")]
DayOption = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], help="Prices of that day; default: that of the newest price."),
]
RegionOption = Annotated[
    str | None,
    typer.Option(
        help="Offers in a region (% is a wildcard), a country (FI), or a group: EU, Europe, US, North America, Asia."
    ),
]
