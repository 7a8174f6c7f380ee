"""The registry of specification sources."""

from __future__ import annotations

from ingest.core.source import Source
from ingest.specs import amd, epoch, gaudi, google_tpu, neuron, nvidia, rocm

SPEC_SOURCES: dict[str, Source] = {
    s.name: s
    for s in (
        epoch.SOURCE,
        rocm.SOURCE,
        neuron.SOURCE,
        nvidia.SOURCE,
        amd.SOURCE,
        google_tpu.SOURCE,
        gaudi.SOURCE,
    )
}
