"""Collections of prices that are bundled: each a file of the form of `ingest.prices.dated_offers` in the snapshot.

They were converted once, from files that upstream will not change or that were read singly. What the conversion left
out (estimates, shares of a GPU, prices that contradict each other) is stated in docs/data.md.
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
    _collection(
        "gcp-machine-history",
        "Google Cloud: accelerator machines week by week, 2022 to 2026",
        "https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator",
        "Apache-2.0",
        "Weekly prices of Google Cloud machines: google-cloud-pricing-cost-calculator (Apache License 2.0).",
        rank=2,
    ),
    _collection(
        "archived-price-pages",
        "Archived price pages of nine neoclouds, 2023 to 2026",
        "https://github.com/henryzhangpku/gpu-price-index",
        _FACTS,
        "Prices of archived pages: facts from the captures that each row names in source_url.",
    ),
    _collection(
        "aws-capacity-blocks",
        "AWS: prices of capacity blocks on four days of 2026",
        "https://github.com/koyakimu/ec2-capacity-blocks-for-ml-pricing-json",
        "MIT",
        "Prices of AWS capacity blocks: ec2-capacity-blocks-for-ml-pricing-json, koyakimu, MIT License.",
        rank=2,
    ),
    _collection(
        "aws-p5-history",
        "AWS: p5.48xlarge in us-east-1 day by day, 2025 and 2026",
        "https://github.com/amorton45/aws-gpu-price-tracker",
        _FACTS,
        "Daily price of AWS p5.48xlarge: facts read in github.com/amorton45/aws-gpu-price-tracker.",
        rank=2,
    ),
    _collection(
        "cloud-price-apis",
        "Price interfaces of AWS, Azure, Oracle, RunPod and Vultr, May and June 2026",
        "https://github.com/sooddvs/gpu-pricing",
        _FACTS,
        "Prices of May and June 2026: facts from the sellers' interfaces, read in github.com/sooddvs/gpu-pricing.",
        rank=2,
    ),
    _collection(
        "marketplace-history",
        "RunPod, Vast.ai and SF Compute day by day, May to July 2026",
        "https://github.com/cherielilili/gpu-pricing-tracker",
        _FACTS,
        "Daily prices of RunPod, Vast.ai and SF Compute: facts read in github.com/cherielilili/gpu-pricing-tracker.",
    ),
    _collection(
        "runpod-lambda-history",
        "RunPod and Lambda day by day, March to August 2026",
        "https://github.com/nixj9/gpu-market-intel",
        _FACTS,
        "Daily prices of RunPod and Lambda: facts read in github.com/nixj9/gpu-market-intel.",
    ),
    _collection(
        "cheapest-on-demand",
        "Cheapest price on demand of each part at seven sellers, August to October 2026",
        "https://github.com/toolshedlabs-hash/gpu-price-feed",
        _FACTS,
        "Cheapest prices of August to October 2026: facts read in github.com/toolshedlabs-hash/gpu-price-feed.",
    ),
    _collection(
        "six-sellers",
        "AWS, Azure, RunPod, Lambda and Vast.ai on 2026-09-30",
        "https://github.com/ewyluda/gpu-price-index",
        _FACTS,
        "Prices of 2026-09-30: facts read in github.com/ewyluda/gpu-price-index.",
    ),
    _collection(
        "fsdl-cloud-gpus",
        "Full Stack Deep Learning: cloud GPUs as edited from 2022 to 2024",
        "https://github.com/the-full-stack/website",
        "MIT",
        "Prices of 2022 to 2024: Cloud GPUs, Copyright (c) 2023 Full Stack Deep Learning, MIT License.",
    ),
)

OWN_PRICES = Source(
    name="own-prices",
    title="Your own price files",
    home_url="https://github.com/accelmart/accelmart/blob/main/docs/how-to/add-your-own-prices.md",
    licence="yours",
    plan=nothing_to_fetch,
    parse=partial(read_dated_offers, source="own-prices", source_url=""),
    rank=0,
    polls_to_close=0,
    has_dated_rows=True,
)
"""Prices that the user wrote down, in ``overrides/prices/*.csv`` of the data root."""
