"""Landing by the command line: several sources at once, in this process, each reported to Dagster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.pool import ThreadPool

from ingest.core.payload import Payload
from ingest.core.source import Source
from orchestration import settings
from orchestration.instance import instance
from orchestration.landing import RELEASES, FetchConfig, Fetched, land, materialization, problem_of
from orchestration.policies import words_of_error

_AT_ONCE = 8


@dataclass(frozen=True)
class FetchOutcome:
    """Result of fetching a source: numbers of new and of unchanged payloads, and the problem if any."""

    source: str
    problem: str
    landed: int
    unchanged: int
    bytes: int
    payloads: list[Payload] = field(default_factory=list, compare=False)


def fetch(sources: Sequence[Source], config: FetchConfig | None = None) -> Iterator[FetchOutcome]:
    """Land payloads of several sources at once, and report them to Dagster; one that fails does not stop the others.

    Args:
        sources: registered sources.
        config: what of each; default: all.

    Yields:
        One outcome a source, in the order in which they end.
    """
    home, chosen = settings.home(), config or FetchConfig()

    def land_source(source: Source) -> tuple[Source, list[Fetched], str]:
        try:
            fetched = land(home, source, chosen)
            return source, fetched, problem_of(home, source, fetched)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is this source's alone
            return source, [], words_of_error(error)

    with instance(home) as dagster_instance, ThreadPool(_AT_ONCE) as pool:
        for source, fetched, problem in pool.imap_unordered(land_source, sources):
            if not problem:
                event = materialization(source, fetched)
                if event.partition:
                    dagster_instance.add_dynamic_partitions(
                        str(RELEASES[source.name].name), [event.partition]
                    )
                dagster_instance.report_runless_asset_event(event)
            payloads = [f.payload for f in fetched if f.payload]
            yield FetchOutcome(
                source.name,
                problem,
                landed=sum(p.outcome == "landed" for p in payloads),
                unchanged=sum(p.outcome == "unchanged" for p in payloads),
                bytes=sum(p.bytes for p in payloads),
                payloads=payloads,
            )
