"""`accelmart status`: the last build, what is landed and not published, unmapped names, sources."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any

import typer

from accelmart.cli.output import Format, JsonOption, print_json, print_rows, say
from accelmart.cli.status import print_summary
from accelmart.published import Table, reading

if TYPE_CHECKING:
    from warehouse.publication.generation import Generation
    from warehouse.publication.outcome import Outcome
    from warehouse.storage.home import Home


def status(
    assumptions: Annotated[
        bool,
        typer.Option("--assumptions", help="What ownership costs rest on, each with its source and date."),
    ] = False,
    warnings: Annotated[
        bool, typer.Option("--warnings", help="Every warning of the published generation, one line each.")
    ] = False,
    unmapped: Annotated[
        bool, typer.Option("--unmapped", help="Names that no seed maps, each with a line that would map it.")
    ] = False,
    short: Annotated[
        bool, typer.Option("--short", help="What is published, three answers, and what to do next.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """The last build, unpublished payloads, unmapped names, sources."""
    from orchestration import settings

    home = settings.home()
    form = Format.json if as_json else Format.table
    if assumptions:
        _print_assumptions(home, form)
    elif warnings:
        _print_warnings(home, as_json=as_json)
    elif unmapped:
        _print_unmapped(home, form)
    elif short:
        with reading(home.published) as reader:
            print_summary(reader)
    elif as_json:
        print_json(_document(home))
    else:
        _print_status(home)


def _print_status(home: Home) -> None:
    """Print what is wrong first, then what is published; each line says where its details are."""
    from warehouse.inputs.unpublished import unpublished
    from warehouse.outputs.repair import behind
    from warehouse.publication.generation import damaged_generations, generations
    from warehouse.publication.outcome import last_outcome, shortened
    from warehouse.publication.pointer import publication, published_here

    last, current = last_outcome(home), publication(home)
    say(shortened(_verdict(home)))
    say(_outcome_line(last))
    lines = [f"failed: {problem}" for problem in last.problems] if last and last.status == "failed" else []
    _print_first(lines, "failures")
    _print_first([item.line for item in unpublished(home)], "unpublished payloads")
    built_at = current.generation.built_at.astimezone(UTC)
    say(f"published: {current.generation.generation_id}, built {built_at:%Y-%m-%d %H:%M %Z}")
    if published_here(home) is None:
        say("it is a downloaded copy, for readers alone. To make your own: accelmart build")
    if current.is_pinned:
        say("pinned: nothing else is built or published. To end that: accelmart rollback --unpin")
    if late := behind(home):
        say(shortened(f"behind, repaired by accelmart build: {', '.join(o.name for o in late)}"))
    _print_names(home, current.generation)
    _print_held_and_quarantined(home)
    damaged = damaged_generations(home)
    remedy = f"; damaged, removed by accelmart prune: {', '.join(damaged)}" if damaged else ""
    say(shortened(f"generations kept: {', '.join(g.generation_id for g in generations(home))}{remedy}"))
    say(_health_line(home))


def _verdict(home: Home) -> str:
    """Return the first line: the open problems, or that there are none."""
    from orchestration.problems import list_problems

    titles = [problem.title for problem in list_problems(home)]
    if not titles:
        return "All is well."
    n = f"{len(titles)} problem{'s' if len(titles) != 1 else ''}"
    return f"{n} (details: accelmart status --json): {'; '.join(titles)}"


def _print_first(lines: list[str], what: str) -> None:
    """Print two lines, of more the first and how many more there are."""
    from warehouse.publication.outcome import shortened

    more = f"{len(lines) - 1} more {what}. See: accelmart status --json"
    for line in lines if len(lines) <= 2 else [lines[0], more]:
        say(shortened(line))


def _outcome_line(last: Outcome | None) -> str:
    if last is None:
        return "last build: none is recorded"
    at = f"{last.at[:10]} {last.at[11:16]} UTC"
    if last.status == "published":
        return f"last build: published generation {last.generation_id} at {at}"
    n = len(last.problems)
    return f"last build: FAILED at {at}, {n} problem{'s' if n != 1 else ''}; the published warehouse is as it was"


def _print_names(home: Home, generation: Generation) -> None:
    from warehouse.publication.outcome import read_warnings

    n_unmapped = len(_query(home, "from ops_unmapped").rows)
    n_warnings = len(read_warnings(home, generation.generation_id) or ())
    counts = {"unmapped": n_unmapped, "warnings": n_warnings}
    if shown := [f"{n} {what}" for what, n in counts.items() if n]:
        say(f"{', '.join(shown)}. See: accelmart status --unmapped, --warnings")


def _print_held_and_quarantined(home: Home) -> None:
    from ingest.core.landing import Landing
    from warehouse.decisions.holds import holds_or_problem
    from warehouse.publication.outcome import shortened

    holds, problem = holds_or_problem(home)
    _print_first([*(problem or "").splitlines(), *(item.describe() for item in holds.items)], "decisions")
    if payloads := Landing(home.landing_url).quarantined():
        newest = payloads[-1]
        more = f" ({len(payloads) - 1} more: accelmart status --json)" if len(payloads) > 1 else ""
        say(shortened(f"quarantined{more}: {newest.source} {newest.key}: {newest.reason}"))


def _health_line(home: Home) -> str:
    rows = _health(home).records()
    rejecting = sum(1 for row in rows if row["rejects"])
    oldest = max((row["age_days"] or 0 for row in rows), default=0)
    return (
        f"{len(rows)} sources, {rejecting} with rejects; the oldest {oldest:.0f} days. See: accelmart sql "
        '"from mart_source_health"'
    )


def _print_assumptions(home: Home, form: Format) -> None:
    stated = _query(
        home,
        "select kind, scenario_id, accelerator_id, parameter, value, low, high, unit, basis, is_calibrated, "
        "is_overridden, stated_on, range_stated_on, source_url, note from mart_tco_assumptions "
        "order by kind desc, scenario_id, accelerator_id, parameter",
    )
    print_rows(stated, form)


def _print_warnings(home: Home, *, as_json: bool) -> None:
    from warehouse.publication.outcome import read_warnings
    from warehouse.publication.pointer import publication

    generation = publication(home).generation
    kept = read_warnings(home, generation.generation_id) or []
    if as_json:
        print_json([{"check": w.check, "row": w.words} for w in kept])
        return
    for warning in kept:
        say(warning.line)
    say(f"{len(kept)} warnings of generation {generation.generation_id}")


def _print_unmapped(home: Home, form: Format) -> None:
    unmapped = _query(
        home,
        "select kind, words, n_rows, first_release, example_result_id, excluded_from, seed_file, seed_line "
        "from ops_unmapped order by kind, words",
    )
    if form is Format.json:
        print_rows(unmapped, form)
        return
    for kind, words, n_rows, release, example, excluded_from, seed_file, seed_line in unmapped.rows:
        say(f"{kind}: {words} ({n_rows} rows{f', since {release}' if release else ''}, such as {example})")
        say(f"  left out of: {excluded_from}")
        say(f"  to map it, add to overrides/{seed_file}:")
        say(f"  {seed_line}")
    say(f"{len(unmapped)} unmapped names. How to map them: docs/how-to/override-reference-data.md")


def _document(home: Home) -> dict[str, Any]:
    from dataclasses import asdict, replace

    from ingest.core.landing import Landing
    from orchestration.cli.decisions import as_record
    from orchestration.problems import list_problems
    from warehouse.decisions.holds import holds_or_problem
    from warehouse.inputs.unpublished import unpublished
    from warehouse.outputs.repair import behind
    from warehouse.publication.generation import damaged_generations, generations
    from warehouse.publication.outcome import last_outcome
    from warehouse.publication.pointer import publication

    current = publication(home)
    last = last_outcome(home)
    payload_fields = ("source", "key", "url", "fetched_at", "sha256", "bytes", "reason")
    return {
        "problems": [asdict(problem) for problem in list_problems(home)],
        "last_build": asdict(last) if last else None,
        "unpublished": [asdict(item) for item in unpublished(home)],
        "published": generation_record(replace(current.generation, path=home.published)),
        "is_pinned": current.is_pinned,
        "behind": [output.name for output in behind(home)],
        "generations": [g.generation_id for g in generations(home)],
        "damaged_generations": damaged_generations(home),
        "unmapped": _query(home, "from ops_unmapped order by kind, words").records(),
        "held": [as_record(h) for h in holds_or_problem(home)[0].items],
        "quarantined": [
            {name: getattr(p, name) for name in payload_fields}
            for p in Landing(home.landing_url).quarantined()
        ],
        "sources": _health(home).records(),
        "payloads": _accounts(home).records(),
    }


def generation_record(generation: Generation) -> dict[str, Any]:
    """A generation as a JSON object."""
    return {
        "generation_id": generation.generation_id,
        "built_at": generation.built_at.isoformat(),
        "input_fingerprint": generation.input_fingerprint,
        "path": str(generation.path),
    }


def _health(home: Home) -> Table:
    return _query(
        home,
        """
        select source, last_success_at::date as fetched,
            round(date_diff('hour', last_success_at, now()) / 24.0, 1) as age_days,
            payloads, records_in, rows, rejects, status
        from mart_source_health order by source
        """,
    )


def _accounts(home: Home) -> Table:
    return _query(
        home,
        "select source, payload_key, dialect, records_in, rows_out, duplicates, merged, rejects, out_of_scope, "
        "warnings from ops_reconciliation order by source, payload_key, release, dialect",
    )


def _query(home: Home, statement: str) -> Table:
    from warehouse.publication.pointer import publication

    with reading(publication(home).generation.path) as reader:
        return reader.table(statement)
