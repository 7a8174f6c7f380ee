"""System descriptions of MLPerf submitters: memory and power limit of the accelerator they ran on.

Upstream facts (rounds v4.1 to v5.1): one JSON a system, ``<division>/<submitter>/systems/<name>.json``, in the archives
of results that are landed for the benchmarks; they are parsed with those (`ingest.mlperf.registry`).
``accelerator_memory_capacity`` is free text (``180 GB``, ``180GB`` with a thin space, ``96000 MiB``, ``23.494 GB`` as
the driver counts what is left of 24, and ``192 GB (MI300X), 256 GB (MI325X)`` for two kinds); ``hw_notes`` often tells
the power limit (``B200 TGP 1000W``). The links they name are those of the whole host (14,400 GB/s), of one direction,
or of another part: not read. A submitter who describes his own machine is nobody's copy.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ingest.core.cadence import SPECIFICATIONS
from ingest.core.fetch_plan import Members
from ingest.core.figures import Figure, figures_in
from ingest.core.html import clean
from ingest.core.records import Parsed
from ingest.core.source import Source
from ingest.core.spec_value import NO_FIGURE, SpecAccount, SpecValue

HOME = "https://github.com/mlcommons"
NO_ACCELERATOR = "a system without accelerators"
USABLE = "memory as the driver counts it, not the part's"
_ABSENT = re.compile(r"(?i)|n/?a|none|null|-+|tbd")


def is_system(member: str) -> bool:
    """Whether a file of a results archive describes a system."""
    return bool(re.search(r"(?:^|/)systems/[^/]+\.json$", member))


def parse(members: Members, *, key: str) -> Parsed[SpecValue]:
    """Up to two figures a system: memory and power. A record is one field of one system.

    Args:
        members: files of a results archive; those that describe no system are passed over.
        key: the round as it was landed, such as ``inference_results_v5.1``.
    """
    url = f"{HOME}/{key.partition('@')[0]}"
    account = SpecAccount(url)
    for member, file in members:
        if not is_system(member):
            continue
        try:
            system = json.loads(file.read().decode("utf-8-sig"))
        except ValueError as error:
            account.reject("the file", f"it is no JSON ({error})", payload=member)
            continue
        if not isinstance(system, dict):
            account.reject(
                "the file", f"it is a {type(system).__name__} where an object is expected", payload=member
            )
            continue
        _read(account, system, member, url)
    return account.settle()


def _read(account: SpecAccount, system: dict[str, Any], member: str, url: str) -> None:
    product = clean(str(system.get("accelerator_model_name") or ""))
    if _ABSENT.fullmatch(product):
        account.out_of_scope(NO_ACCELERATOR)
        return
    fields = {
        "memory_gb": ("accelerator_memory_capacity", "bytes", r".*"),
        "tdp_w": ("hw_notes", "watts", r".*\bTGP\s*$"),
    }
    for attribute, (name, dimension, before) in fields.items():
        words = clean(str(system.get(name) or ""))
        figures = [
            f
            for f in figures_in(words)
            if f.unit and f.unit.dimension == dimension and re.fullmatch(before, f.before, re.I | re.S)
        ]
        if not figures and (attribute != "memory_gb" or not re.search(r"\d", words)):
            account.out_of_scope(NO_FIGURE)
        elif len({_in_unit(f) for f in figures}) != 1:
            account.reject(
                name, f"{product!r} has {words!r} under {name}: not one figure with its unit", payload=member
            )
        else:
            figure = figures[0]
            if attribute == "memory_gb" and not figure.number.is_integer():
                account.out_of_scope(USABLE)
                continue
            account.add_figure(
                source="mlperf-systems",
                product_published=product,
                attribute=attribute,
                value=_in_unit(figure),
                value_published=figure.digits,
                unit_published=figure.unit.words if figure.unit else "",
                member=member,
                record=name,
                source_url=url,
                note=f"{name}: {words}",
                per="card",
            )


def _in_unit(figure: Figure) -> float:
    return figure.unit.convert(figure.number) if figure.unit else 0.0


SOURCE = Source(
    dialect="specs",
    name="mlperf-systems",
    title="MLPerf system descriptions",
    home_url=HOME,
    licence="Apache-2.0",
    cadence=SPECIFICATIONS,
    limit_bytes=1 << 30,
    repository=lambda key: f"{HOME}/{key}",
    parse=parse,
    polls_to_close=0,
    ships=True,
)
