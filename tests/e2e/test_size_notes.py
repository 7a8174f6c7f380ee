"""Prices of fewer accelerators than were measured are marked wherever a cost of tokens is shown.

The expected words are made here from the offers and results, by another method than the macro `size_note`.
"""

import json
import re
from collections import defaultdict

import pytest

MODEL = "llama3.1-405b"
CELL = ("benchmark_id", "scenario", "release", "accelerator_id", "pricing_model")


def words(sizes, measured):
    """What must stand beside a cost whose prices are of so many accelerators each; None if nothing must."""
    smaller = sorted({size for size in sizes if size < measured})
    if not smaller:
        return None
    n_smaller = sum(size < measured for size in sizes)
    count = f"{n_smaller} of {len(sizes)} prices are" if n_smaller < len(sizes) else "price"
    size = f"{smaller[0]:g}" if len(smaller) == 1 else f"{smaller[0]:g} to {smaller[-1]:g}"
    plural = "accelerators" if smaller[-1] > 1 else "accelerator"
    return f"{count} of {size} {plural}; measured on {measured}"


@pytest.fixture
def offers(warehouse):
    """Offers with a cost, with the sizes of the facts: accelerators of the offer and of the measured system."""
    done = warehouse.execute(
        """
        select c.*, f.machine_accelerators as offer_size, r.accelerator_count as measured
        from mart_cost_per_mtok as c
        inner join fct_price_interval as f on c.offer_id = f.offer_id and c.price_valid_from = f.valid_from
        inner join fct_inference_result as r on c.result_id = r.result_id
        """
    )
    names = [column[0] for column in done.description]
    return [dict(zip(names, row, strict=True)) for row in done.fetchall()]


@pytest.fixture
def expected(offers):
    """Words of each headline, from the offers inside it."""
    cells = defaultdict(list)
    voted = set()
    # one that can be ranked stands for a seller before any other
    order = ("usd_per_accelerator_hour", "offer_id")
    for offer in sorted(offers, key=lambda o: (o["rank_reason"] is not None, *(o[name] for name in order))):
        cell = tuple(offer[name] for name in CELL)
        # who resells another's machines has no vote of its own
        is_usable = offer["price_standing"] in ("current", "recent") and offer["apart_reason"] is None
        if is_usable and offer["fit"] == "fits" and (cell, offer["vote"]) not in voted:
            voted.add((cell, offer["vote"]))
            cells[cell].append(offer)
    return {
        cell: (len(own), words([o["offer_size"] for o in own], own[0]["measured"]))
        for cell, own in cells.items()
    }


def test_every_offer_and_headline_has_the_words_of_its_offers(warehouse, offers, expected):
    assert all(o["size_note"] == words([o["offer_size"]], o["measured"]) for o in offers)
    shown = warehouse.execute(
        f"select {', '.join(CELL)}, n_sellers, size_note, is_smaller_than_measured, n_sellers_smaller "
        "from mart_cost_headline where n_sellers > 0"
    ).fetchall()
    assert {row[:5]: (row[5], row[6]) for row in shown} == expected
    assert all((note is not None) == is_smaller == (n > 0) for *_, note, is_smaller, n in shown)
    notes = [note for *_, note, _, _ in shown if note]
    # real rows: a single price, some of several, and a range of sizes
    assert any(note.startswith("price of 4 accelerators; measured on 72") for note in notes)
    assert any(" of 7 prices are of " in note for note in notes) and any(" to " in note for note in notes)


def test_commands_print_them(built_home, accelmart, expected):
    ranked = accelmart(built_home, "rank", "--model", MODEL, "--explain", "--all").stdout
    notes = {note for cell, (_, note) in expected.items() if cell[:2] == (MODEL, "Server")}
    footnotes = re.findall(r"^\[\d+\] (.*)$", ranked, flags=re.MULTILINE)
    assert len(footnotes) >= 3 and notes & {*footnotes}
    asked = [
        "choose",
        "--model",
        MODEL,
        "--tokens-per-day",
        "1e8",
        "--budget",
        "5000000",
        "--explain",
        "--all",
    ]
    options = json.loads(accelmart(built_home, *asked, "--json").stdout)
    marks = [row["size_note"] is not None for row in options if row["rank"] is not None]
    lines = re.findall(
        r"^ *\d+  \S+ +(?:rent|own|have) .*$", accelmart(built_home, *asked).stdout, flags=re.MULTILINE
    )
    assert {*marks} == {True, False} and [bool(re.search(r"\[\d+\]", line)) for line in lines] == marks
