"""Figures that people read elsewhere: what stands in the seed is what the words beside it say, and who says it is known."""

import csv
import math
from pathlib import Path

import pytest

from ingest.core.figures import unit_in

SEEDS = Path(__file__).resolve().parents[3] / "dbt_project" / "seeds"
DIMENSION = {
    "bf16_dense_tflops": "flops",
    "memory_gb": "bytes",
    "memory_bandwidth_gb_s": "bytes/s",
    "tdp_w": "watts",
}


def seed(name):
    with (SEEDS / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


SECOND_SOURCES = seed("spec_second_sources")


@pytest.mark.parametrize(
    "row", SECOND_SOURCES, ids=lambda r: f"{r['accelerator_id']}-{r['attribute']}-{r['source']}"
)
def test_a_figure_is_its_words_in_our_unit(row):
    unit = unit_in(f"1 {row['unit_published']}")
    assert unit is not None and unit.dimension == DIMENSION[row["attribute"]]
    printed = math.prod(float(p) for p in row["value_published"].replace(",", "").split(" x "))
    assert float(row["value"]) == pytest.approx(unit.convert(printed), rel=1e-9)
    assert row["source_url"].startswith("https://") and row["read_at"]


def test_no_maker_is_silent_about_what_he_was_read_to_say():
    """A source of a family that is the maker's own contradicts an absence."""
    silent = {(r["accelerator_id"], r["attribute"]) for r in seed("spec_absences")}
    families = {r["pattern"]: r["family"] for r in seed("spec_families") if r["kind"] == "source"}
    makers = {"nvidia", "amd", "intel", "aws", "google", "qualcomm", "huawei"}
    said = {(r["accelerator_id"], r["attribute"]) for r in SECOND_SOURCES if families[r["source"]] in makers}
    assert not silent & said
