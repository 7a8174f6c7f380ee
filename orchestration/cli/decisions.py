"""Decisions about sources and payloads: `accelmart freeze`, `exclude`, `unfreeze`, `accept`, `convert`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accelmart.cli.output import JsonOption, complain, print_json, say
from ingest.core.errors import AccelmartError
from orchestration.cli import completion

if TYPE_CHECKING:
    from warehouse.decisions.holds import Hold
    from warehouse.storage.home import Home

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


def freeze(source: SourceArgument, release: ReleaseArgument = None, as_json: JsonOption = False) -> None:
    """Keep a source or round at its published state.

    Payloads landed later are kept and not used until it is unfrozen.
    """
    from warehouse.decisions import holds

    done = _applied(holds.freeze, source, release)
    _print(done, as_json, "Later payloads are landed and not used. To use them again: accelmart unfreeze")


def exclude(source: SourceArgument, release: ReleaseArgument = None, as_json: JsonOption = False) -> None:
    """Leave a source or round out of the next generation.

    Its payloads stay in the landing zone; what is bundled of it is left out too.
    """
    from warehouse.decisions import holds

    done = _applied(holds.exclude, source, release)
    _print(done, as_json, "It leaves the warehouse with the next build. To bring it back: accelmart unfreeze")
    others = _other_sources_of(done) if done.release and not as_json else []
    if others:
        say(f"{done.release} stays as far as {', '.join(others)} has it; exclude it there too if it is to go")


def unfreeze(source: SourceArgument, release: ReleaseArgument = None, as_json: JsonOption = False) -> None:
    """Undo freeze or exclude. The next build uses all that is landed."""
    from orchestration import settings
    from warehouse.decisions import holds

    done = holds.unfreeze(settings.home(), source, release)
    if as_json:
        print_json(as_record(done))
    else:
        say(f"unfrozen: {done.name}. To publish the change: accelmart build")


def accept(
    source: SourceArgument,
    key: Annotated[
        str | None, typer.Argument(help="One MLPerf round or payload key; default: all of it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Use isolated payloads although their checks fail, from the next build on.

    `accelmart status` lists them. To undo it, remove the line from overrides/accepted.csv.
    """
    from dataclasses import asdict

    from orchestration import settings
    from warehouse.inputs.isolation import accept_payloads, read_isolated
    from warehouse.storage.locks import WAIT_S, exclusive

    home = settings.home()
    with exclusive(home, WAIT_S):
        isolated = read_isolated(home)
        chosen = [i for i in isolated if i.source == source and key in (None, i.release, i.payload_key)]
        if not chosen:
            listed = ", ".join(i.name for i in isolated) or "none"
            raise AccelmartError(f"no isolated payload of {source} {key or ''}. Isolated: {listed}")
        accept_payloads(home, chosen)
    if as_json:
        print_json([asdict(item) for item in chosen])
        return
    for item in chosen:
        say(f"accepted: {item.name}: {item.problem}")
    say("To use what was accepted: accelmart build")


def convert() -> None:
    """Move scenarios.yaml, and what earlier versions decided, to CSV files in overrides/."""
    from orchestration import settings
    from warehouse.decisions.overrides import convert_records, convert_scenarios
    from warehouse.storage.locks import WAIT_S, exclusive

    home = settings.home()
    with exclusive(home, WAIT_S):
        convert_records(home)
        is_converted = convert_scenarios(home)
    if is_converted:
        say("scenarios.yaml is now overrides/scenarios.csv, and kept as scenarios.yaml.converted")
    else:
        say("Nothing to convert.")


def warn_of_earlier_form(home: Home) -> None:
    """Say that a file in an earlier form is read for the last time."""
    if home.scenarios.exists():
        complain("warning, the next version does not read scenarios.yaml. To convert it: accelmart convert")


def _renamed(command: Callable[..., None], old: str) -> Callable[..., None]:
    """Return a command under its earlier name, with a warning."""

    def run(source: SourceArgument, release: ReleaseArgument = None, as_json: JsonOption = False) -> None:
        complain(f"warning, `accelmart {old}` is now `accelmart {command.__name__}`")
        command(source, release, as_json)

    run.__name__, run.__doc__ = old, f"Earlier name of `accelmart {command.__name__}`."
    return run


EARLIER_NAMES = [_renamed(freeze, "hold"), _renamed(exclude, "withdraw"), _renamed(unfreeze, "release")]
"""They work for one version, and no help lists them."""


def as_record(hold: Hold) -> dict[str, Any]:
    """Return a decision as JSON has it."""
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
    from warehouse.inputs.active import known_rounds

    home = settings.home()
    return rule(home, source, release, known_rounds(home, source))


def _other_sources_of(done: Hold) -> list[str]:
    """Other sources of the same suite that have the round too."""
    from ingest.mlperf.registry import MLPERF_SOURCES
    from orchestration import settings
    from warehouse.inputs.active import known_rounds

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
