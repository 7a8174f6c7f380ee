"""Collections of prices that are bundled: each a file of the form of `ingest.prices.dated_offers` in the snapshot.

They were converted once, from files that upstream will not change or that were read singly. What the conversion left
out (estimates, shares of a GPU, prices that contradict each other) is told in docs/data.md.
"""

from __future__ import annotations

from functools import partial

from ingest.core.fetch_plan import nothing_to_fetch
from ingest.core.source import Source
from ingest.prices.dated_offers import read_dated_offers

_FACTS = "facts with their sources"


def _collection(
    name: str, title: str, home_url: str, licence: str, licence_note: str, *, rank: int = 3
) -> Source:
    return Source(
        name=name,
        title=title,
        home_url=home_url,
        licence=licence,
        licence_note=licence_note,
        limit_bytes=8 << 20,
        plan=nothing_to_fetch,
        parse=partial(read_dated_offers, source=name, source_url=home_url),
        rank=rank,
        polls_to_close=0,
        ships=True,
    )


COLLECTIONS: tuple[Source, ...] = (
    _collection(
        "gcp-tpu-price-page",
        "Google Cloud TPU price page, as curated in gpuhunt",
        "https://cloud.google.com/tpu/pricing",
        "MPL-2.0 (gpuhunt's tpu_pricing.json); prices: Google's published price page",
        "Prices of Google Cloud TPUs: Google's price page as read for gpuhunt (MPL-2.0).",
    ),
    _collection(
        "gpu-pricing-curated",
        "gpu-pricing: offers read from price pages by people",
        "https://github.com/tardellirs/gpu-pricing",
        "MIT",
        "GPU prices: gpu-pricing, Copyright (c) 2026 gpu-pricing contributors, MIT License.",
    ),
    _collection(
        "hyperscaler-price-points",
        "List prices of AWS, Azure and Google Cloud, transcribed from their price lists",
        "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/index.json",
        "facts from the vendors' public price lists",
        "List prices are those AWS, Microsoft Azure and Google Cloud published on the days given.",
        rank=1,
    ),
    _collection(
        "collected-price-points",
        "Rents and purchase prices of 2026, collected from public repositories and pages",
        "https://github.com/sooddvs/gpu-pricing",
        _FACTS,
        "Prices of 2026: facts from the public pages and repositories that each row names in source_url.",
    ),
    _collection(
        "epoch-hardware-prices",
        "Epoch AI: hardware prices since 2010",
        "https://github.com/epoch-research/training-cost-trends",
        "CC BY 4.0",
        'Prices of 2010 to 2025: Epoch AI, "Hardware prices", CC BY 4.0.',
    ),
    _collection(
        "gpu-price-tracker",
        "gpu-price-tracker: GPU prices of several sellers by day",
        "https://github.com/tugot17/gpu-price-tracker",
        "MIT",
        "Daily GPU price statistics: gpu-price-tracker, Copyright (c) 2025 Piotr Mazurek, MIT License.",
        rank=4,
    ),
)

OWN_PRICES = Source(
    name="own-prices",
    title="Your own price files",
    home_url="",
    licence="yours",
    plan=nothing_to_fetch,
    parse=partial(read_dated_offers, source="own-prices", source_url=""),
    rank=0,
    polls_to_close=0,
    has_dated_rows=True,
)
"""Prices that the user wrote down, in ``overrides/prices/*.csv`` of the data root."""
