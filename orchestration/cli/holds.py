"""Decisions about sources: `accelmart hold`, `withdraw`, `release`, and the lines about them in `accelmart status`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accelmart.cli.output import JsonOption, print_json, say
from orchestration.cli import completion

if TYPE_CHECKING:
    from warehouse.holds import Hold
    from warehouse.home import Home

SourceArgument = Annotated[
    str,
    typer.Argument(
        help="Any source: MLPerf, price list, specification, exchange rates.",
        autocompletion=completion.sources,
    ),
]
ReleaseArgument = Annotated[
    str | None, typer.Argument(help="One MLPerf round, such as v5.1; default: all of it.")
]


def hold(source: SourceArgument, release: ReleaseArgument = None, as_json: JsonOption = False) -> None:
    """Keep a source or round at its published state.

    Payloads landed later are kept and not used until it is released.
    """
    from warehouse import holds

    done = _applied(holds.hold, source, release)
    _print(done, as_json, "Later payloads are landed and not used. To use them again: accelmart release")


def withdraw(source: SourceArgument, release: ReleaseArgument = None, as_json: JsonOption = False) -> None:
    """Leave a source or round out of the next generation.

    Its payloads stay in the landing zone; what is bundled of it is left out too.
    """
    from warehouse import holds

    done = _applied(holds.withdraw, source, release)
    _print(done, as_json, "It leaves the warehouse with the next build. To bring it back: accelmart release")
    others = _other_sources_of(done) if done.release and not as_json else []
    if others:
        say(
            f"{done.release} stays as far as {', '.join(others)} has it; withdraw it there too if it is to go"
        )


def release(source: SourceArgument, release: ReleaseArgument = None, as_json: JsonOption = False) -> None:
    """Remove a hold or a withdrawal. The next build uses all that is landed."""
    from orchestration import settings
    from warehouse import holds

    done = holds.release_hold(settings.home(), source, release)
    if as_json:
        print_json(as_record(done))
    else:
        say(f"released: {done.name}. To publish the change: accelmart build")


def held(home: Home) -> list[Hold]:
    """Every hold and withdrawal in force."""
    from warehouse.holds import read_holds

    return list(read_holds(home).items)


def as_record(hold: Hold) -> dict[str, Any]:
    """A hold as JSON has it."""
    return {
        "source": hold.source,
        "release": hold.release,
        "action": hold.action.value,
        "at": hold.at.isoformat(),
        "payloads": list(hold.payloads),
    }


def _applied(
    rule: Callable[[Home, str, str | None, set[str]], Hold], source: str, release: str | None
) -> Hold:
    from orchestration import settings
    from warehouse.active import known_rounds

    home = settings.home()
    return rule(home, source, release, known_rounds(home, source))


def _other_sources_of(done: Hold) -> list[str]:
    """Other sources of the same suite that have the round too."""
    from ingest.mlperf.registry import MLPERF_SOURCES
    from orchestration import settings
    from warehouse.active import known_rounds

    suite = done.source.removesuffix("-collection")
    home = settings.home()
    return [
        name
        for name in MLPERF_SOURCES
        if name != done.source and name.startswith(suite) and done.release in known_rounds(home, name)
    ]


def _print(done: Hold, as_json: bool, what_now: str) -> None:
    if as_json:
        print_json(as_record(done))
        return
    say(done.describe())
    say(what_now)
