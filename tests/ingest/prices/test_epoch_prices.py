"""Epoch AI's hardware prices: up to four prices a line, each a record of its own."""

import csv
import io

import pytest

from ingest.core.errors import PayloadRejected
from ingest.prices.epoch_prices import SOURCE

HEADER = (
    "Price source,Price date,Hardware model,Manufacturer,Vendor,Location,Price per chip-hour (on-demand),"
    "Price per chip-hour (1-year CUD),Price per chip-hour (3-year CUD),Price (hardware purchase),Notes,"
    "Cloud GPU description,Number of GPUs"
)
A100 = "https://example.org,2021-04-07,NVIDIA A100 SXM4 40 GB,NVIDIA,Google Cloud,Iowa (us-central1),2.93,1.84,1.03,,,,8"
CARD = "https://shop.example.org/x,2023-05-09,NVIDIA H100 PCIe,NVIDIA,,,,,,30000.00,Single-unit list price,80GB,1"


def parse(*lines):
    payload = "\ufeff" + "\n".join([HEADER, *lines, ""])
    return SOURCE.parse([("", io.BytesIO(payload.encode()))], key="prices")


def test_a_line_gives_an_offer_for_every_price():
    parsed = parse(A100)
    assert parsed.records_in == 3
    assert [(r.pricing_model, r.price, r.term_hours) for r in parsed.rows] == [
        ("on_demand", 2.93, None),
        ("reserved_1y", 1.84, 8760),
        ("reserved_3y", 1.03, 26280),
    ]
    assert {(r.price_unit, r.accelerator_count, str(r.observed_at.date())) for r in parsed.rows} == {
        ("accelerator_hour", 8, "2021-04-07")
    }


def test_a_purchase_names_no_seller_and_takes_the_memory_of_its_description():
    (row,) = parse(CARD).rows
    assert (row.pricing_model, row.price_unit, row.price) == ("purchase", "accelerator", 30_000)
    assert (row.provider_published, row.accelerator_published) == (
        "seller not named",
        "NVIDIA H100 PCIe 80 GB",
    )
    # several shops sell a card at several prices on one day: the shop tells the offers apart
    assert row.variant == "shop.example.org, 1 GPU, Single-unit list price, 80GB"
    assert {r.variant for r in parse(A100).rows} == {"8 GPU"}


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (CARD.replace("30000.00", ""), "no price"),
        (CARD.replace("30000.00", "0"), "'0'"),
        (CARD.replace("2023-05-09", "2023"), "'2023'"),
        (CARD.replace("Single-unit list price", "Estimated from its cost"), "estimate"),
        (CARD.replace("80GB", "P100 (16 GB)"), "P100"),
        (A100.replace("Google Cloud", "").replace(",1.84,1.03", ",,"), "vendor"),
        (CARD + ",more", "number of cells"),
    ],
)
def test_a_bad_price_is_rejected_by_name_and_its_neighbour_survives(line, word):
    parsed = parse(A100, line)
    (reject,) = parsed.rejects
    assert len(parsed.rows) == 3 and reject.record.startswith("line 3") and word in reject.problem


def test_another_table_is_refused():
    with pytest.raises(PayloadRejected):
        SOURCE.parse([("", io.BytesIO(b"a,b\n1,2\n"))], key="prices")


def test_the_real_file_is_accounted_for(price_data):
    path = price_data / "epoch" / "hardware_prices.csv"
    with path.open("rb") as f:
        parsed = SOURCE.parse([("", f)], key="prices")
    with path.open(encoding="utf-8-sig", newline="") as f:
        lines = list(csv.DictReader(f))
    cells = [c for c in lines[0] if c.startswith(("Price per", "Price ("))]
    prices = sum(bool(line[c]) for line in lines for c in cells)
    without = sum(not any(line[c] for c in cells) for line in lines)
    assert (len(lines), prices, without) == (591, 804, 1)
    assert parsed.records_in == prices + without
    assert parsed.records_in == len(parsed.rows) + parsed.duplicates + len(parsed.rejects)
    assert len(parsed.rejects) < 60


@pytest.mark.parametrize(
    ("model", "notes", "instance_type"),
    [
        ("NVIDIA A100", "instance ND96asr A100 v4 number of GPUs: 8x", "Standard_ND96asr_A100_v4"),
        ("NVIDIA V100", "NC6s v3", "Standard_NC6s_v3"),
        ("NVIDIA A100", "p4d.24xlarge", "p4d.24xlarge"),
        ("NVIDIA A100", "Single-node price", "NVIDIA A100"),
        ("NVIDIA Tesla K80", "instance NC12 have 2 GPUs", "NVIDIA Tesla K80"),  # a chip is half a board
    ],
)
def test_an_instance_type_in_the_notes_is_spelled_as_in_the_price_list(model, notes, instance_type):
    line = A100.replace("NVIDIA A100 SXM4 40 GB", model).removesuffix(",,8") + f"{notes},,"
    assert {r.instance_type for r in parse(line).rows} == {instance_type}
