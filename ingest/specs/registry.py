"""The registry of specification sources."""

from __future__ import annotations

from ingest.core.errors import AccelmartError
from ingest.core.source import Source
from ingest.specs import amd, epoch, gaudi, google_tpu, neuron, nvidia, rocm

_ALL: tuple[Source, ...] = (
    epoch.SOURCE,
    rocm.SOURCE,
    neuron.SOURCE,
    nvidia.SOURCE,
    amd.SOURCE,
    google_tpu.SOURCE,
    gaudi.SOURCE,
)
SPEC_SOURCES = {s.name: s for s in _ALL}


def spec_source_named(name: str) -> Source:
    """The registered specification source.

    Raises:
        AccelmartError: no such source; the message lists those there are.
    """
    if name not in SPEC_SOURCES:
        raise AccelmartError(
            f"there is no specification source {name!r}. Specification sources: {', '.join(SPEC_SOURCES)}"
        )
    return SPEC_SOURCES[name]
