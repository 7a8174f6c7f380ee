"""Build the warehouse: select the inputs, run dbt into a new file, audit it, publish it, make the outputs.

A build is always from scratch, in a folder of its own; nothing published is changed in place. A build that is killed
leaves the published warehouse as it was; the next command removes what it left (`warehouse.build.folder.remove_stale`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from typing import TypeVar

from ingest.core.errors import AccelmartError
from warehouse.build.column_lineage import keep_column_lineage
from warehouse.build.dbt import (
    check_whole,
    is_successful,
    keep_outline,
    keep_parsed,
    list_failures,
    run_dbt,
    warnings_of,
)
from warehouse.build.folder import MODELS, Build, BuildOutcome, Step, close, discard, remove_stale
from warehouse.build.prepare import prepare, select_inputs
from warehouse.build.published_file import write_published
from warehouse.decisions.overrides import convert_records, read_overrides
from warehouse.inputs.fingerprint import current_generation
from warehouse.inputs.isolation import accept_payloads, read_isolated
from warehouse.inputs.price_files import own_file_problems
from warehouse.inputs.raw import damaged_parts
from warehouse.outputs.repair import attempt, repair
from warehouse.publication.outcome import (
    keep_warnings,
    new_warnings,
    record_outcome,
    shortened,
)
from warehouse.publication.pointer import PinnedError, predecessor, publish, refuse_if_pinned
from warehouse.storage.disk import build_needs, disk_full, is_disk_full
from warehouse.storage.home import GENERATIONS_TO_KEEP, Home
from warehouse.storage.locks import BuildRunningError, exclusive

Event = TypeVar("Event")
DECISIONS, REPAIR, PARSING, PUBLICATION = "decisions", "repair of the outputs", "parsing", "publication"
STEPS = (DECISIONS, REPAIR, PARSING, MODELS, PUBLICATION)
ACCEPT = "accelmart build --accept-changes"
"""What the model ops_change_alarm names as the remedy of a change that is meant."""


class BuildFailedError(AccelmartError):
    """A model or a check failed; the published warehouse is as it was.

    Args:
        problems: failed models and checks, from `warehouse.build.dbt.list_failures`.
    """

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        meant = any(ACCEPT in line for line in problems)
        super().__init__(
            "the build failed; the published warehouse is as it was.\n"
            + "\n".join(shortened(line) for line in problems)
            + (f"\nIf such a change is meant: {ACCEPT}" if meant else "")
            + "\nAll of it: accelmart status --json. What to do: docs/operations.md, A build fails"
        )


def build(
    home: Home,
    *,
    force: bool = False,
    accept_changes: bool = False,
    wait_s: float = 0,
    keep: int = GENERATIONS_TO_KEEP,
    on_step: Callable[[str], None] = lambda step: None,
) -> BuildOutcome:
    """Do every step of a build; arguments and errors are those of `build_steps`.

    Args:
        on_step: called with a few words at each step.
    """
    steps = build_steps(home, run_dbt, force=force, accept_changes=accept_changes, wait_s=wait_s, keep=keep)
    with closing(steps):
        for step in steps:
            if isinstance(step, BuildOutcome):
                return step
            on_step(step.words)
    raise AssertionError("a build ends with its outcome")


def build_steps(
    home: Home,
    run: Callable[[Build], Iterable[Event]],
    *,
    force: bool = False,
    accept_changes: bool = False,
    wait_s: float = 0,
    keep: int = GENERATIONS_TO_KEEP,
) -> Generator[Step | Event | BuildOutcome]:
    """Parse what is new, build, audit and publish; nothing when no input changed. Whoever builds goes these steps.

    Args:
        home: the installation.
        run: runs dbt on a prepared build as a child process, to its end, and yields what it tells of it.
        force: build although no input changed.
        accept_changes: use what is isolated, and publish even if the checks against the published generation fail.
        wait_s: seconds to wait for a build that is running.
        keep: number of generations to keep.

    Yields:
        Each step as it begins, in the order of `STEPS`; what `run` yields; last the outcome.

    Raises:
        BuildRunningError: another build is running.
        BuildFailedError: a model or a check failed; the message names them.
        DiskFullError: the disk is full; the published warehouse is as it was.
        PinnedError: the published generation is pinned and the build was forced.
        OverridesRejected: a file in overrides/ is not what it should be.
    """
    with exclusive(home, wait_s), recording_failure(home), _leaving_nothing(home):
        yield Step(DECISIONS)
        convert_records(home)
        read_overrides(home)  # nothing is parsed with decisions that cannot be meant
        yield Step(REPAIR)
        remove_stale(home)
        problems = repair(home)
        if damaged_parts(home.raw):
            select_inputs(home)  # makes them again, also where there is nothing to build
        if force or accept_changes:
            refuse_if_pinned(home)
        elif current := current_generation(home):
            yield BuildOutcome(current, False, warnings=problems, isolated=isolated_lines(home))
            return
        if accept_changes:
            accept_payloads(home, read_isolated(home))
        yield Step(PARSING)
        selected = select_inputs(home)
        refuse_if_pinned(home)
        prepared = prepare(home, selected, accept_changes=accept_changes)
        yield Step(MODELS)
        yield from run(prepared)
        if not is_successful(prepared):
            raise failure_of(home, prepared)
        yield Step(PUBLICATION)
        yield publish_build(home, prepared, keep=keep)


@contextmanager
def _leaving_nothing(home: Home) -> Iterator[None]:
    """Remove the files of a build that is interrupted; those of one that failed stay for a look."""
    try:
        yield
    except Exception:
        raise
    except BaseException:
        remove_stale(home)
        raise


@contextmanager
def recording_failure(home: Home) -> Iterator[None]:
    """Record why a build failed, for `accelmart status` and the alerts."""
    try:
        yield
    except (BuildRunningError, PinnedError):
        raise
    except Exception as e:
        problems = e.problems if isinstance(e, BuildFailedError) else str(e).splitlines()
        record_outcome(home, "failed", problems=problems)
        raise


def failure_of(home: Home, build: Build) -> AccelmartError:
    """Return the error of a build in which dbt failed. Its folder stays for a look, unless the disk is full."""
    problems = list_failures(build)
    error = BuildFailedError(problems)
    if not is_disk_full(error):
        return error
    discard(build)
    return disk_full(home.root, build_needs(home))


def publish_build(home: Home, build: Build, *, keep: int) -> BuildOutcome:
    """Audit what dbt built, publish it, and make every output that of it. The caller holds the lock of builds.

    Args:
        home: the installation.
        build: no model and no check of it failed.
        keep: number of generations to keep.

    Raises:
        NotPublishableError: the file is not whole.
        PinnedError: the published generation is pinned.
    """
    close(build)
    check_whole(build)
    keep_parsed(home, build)  # before the publication, after which nothing may fail
    keep_outline(home, build)
    lineage = attempt(home, "column lineage", partial(keep_column_lineage, home, build))
    warnings, before = warnings_of(build), predecessor(home)
    file = write_published(build)
    generation = publish(
        file, home, keep=keep, before=lambda g: keep_warnings(home, g.generation_id, warnings)
    )
    # the warehouse is published whatever becomes of the other outputs
    record = partial(record_outcome, home, "published", generation_id=generation.generation_id)
    problems = [*lineage, *attempt(home, "record of the build", record), *repair(home)]
    discard(build)
    return BuildOutcome(
        generation,
        is_new=True,
        warnings=[*(w.line for w in warnings), *problems],
        new_warnings=[w.line for w in new_warnings(home, warnings, before)],
        isolated=isolated_lines(home),
    )


def isolated_lines(home: Home) -> list[str]:
    """Return the payloads, and the lines of the user's own price files, that are not used, one line each."""
    isolated = [shortened(f"{item.name}: {item.problem}") for item in read_isolated(home)]
    return [*isolated, *own_file_problems(home)]
