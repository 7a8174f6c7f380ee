"""Google Cloud TPU documentation: a page a generation, tables per chip and per pod.

Shape as seen 2025 to 2026: ``Peak compute per chip (bf16) | 197 TFLOPs``; TPU7x compares generations a column each,
with the units in the rows' names. Rows per pod or host are not read. A build of the v5e page prints ``800 GiBps`` where
others print ``819 GBps``. The inter-chip link is given for both directions where the row is marked bidirectional, and
for one otherwise (``1,600 Gbps`` is the older figure for the same 400 GB/s).
"""

from __future__ import annotations

from ingest.specs.vendor_pages import vendor_source

HOME = "https://docs.cloud.google.com/tpu/docs/system-architecture-tpu-vm"
_AT = "https://docs.cloud.google.com/tpu/docs/"
PAGES = {
    "v3": (f"{_AT}v3?hl=en", "TPU v3"),
    "v4": (f"{_AT}v4?hl=en", "TPU v4"),
    "v5e": (f"{_AT}v5e?hl=en", "TPU v5e"),
    "v5p": (f"{_AT}v5p?hl=en", "TPU v5p"),
    "v6e": (f"{_AT}v6e?hl=en", "TPU v6e"),
    "tpu7x": (f"{_AT}tpu7x?hl=en", "TPU7x"),
}

SOURCE = vendor_source(
    name="google-tpu",
    title="Google Cloud TPU documentation",
    home_url=HOME,
    pages=PAGES,
    licence="CC-BY-4.0",
    link_is_bidirectional=False,
)
