"""The bundled collections of prices: every file is read whole, and holds upstream's records but for those named here."""

import csv
import json
import re
from collections import Counter, defaultdict
from functools import cache

import pytest

from ingest.prices.collected import COLLECTIONS
from warehouse.inputs.active import select_active
from warehouse.inputs.price_files import bundled_files, own_file_problems
from warehouse.storage.home import SNAPSHOT_DIR, Home

FILES = bundled_files()


@cache
def shipped(source):
    (file,) = (file for file in FILES if file.source.name == source)
    with file.path.open(encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


@pytest.fixture(scope="module")
def upstream(price_data):
    def rows(name):
        folder = price_data.parents[1] / "facts" if name in FACTS else price_data
        with (folder / name).open(encoding="utf-8-sig", newline="") as f:
            return json.load(f) if name.endswith(".json") else list(csv.DictReader(f))

    return rows


FACTS = ("hyperscaler_price_points.csv", "price_points_2026.csv")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_a_bundled_file_is_read_whole(file):
    with file.path.open("rb") as payload:
        parsed = file.source.rows([("", payload)], key=file.key)
    observations = sum(1 + bool(line.get("last_seen")) for line in shipped(file.source.name))
    assert (len(parsed.rows), parsed.rejects, parsed.duplicates) == (observations, [], 0)


def test_every_collection_has_a_file_and_every_file_a_collection():
    names = [path.name for path in (SNAPSHOT_DIR / "collected_prices").glob("*.csv")]
    assert sorted(names) == sorted(file.path.name for file in FILES) and len(FILES) == len(COLLECTIONS) == 18


def test_no_index_value_and_no_aggregator_of_a_company_is_bundled():
    text = "".join(file.path.read_text(encoding="utf-8") for file in FILES).lower()
    assert "getdeploying" not in text and "eu-cri" not in text


def test_the_prices_of_epoch_and_of_the_collected_points_are_upstreams(upstream):
    columns = ("Price per chip-hour (on-demand)", "Price per chip-hour (1-year CUD)", "Price per chip-hour (3-year CUD)",
               "Price (hardware purchase)")  # fmt: skip
    theirs = Counter(row[c] for row in upstream("epoch/hardware_prices.csv") for c in columns if row[c])
    ours = Counter(line["price"] for line in shipped("epoch-hardware-prices"))
    assert not ours - theirs and theirs.total() == 804 and ours.total() == 748
    columns = ("purchase_usd", "usd_per_instance_hour", "usd_per_accelerator_hour")
    theirs = Counter(next(row[c] for c in columns if row[c]) for row in upstream("price_points_2026.csv"))
    ours = Counter(line["price"] for line in shipped("collected-price-points"))
    assert not ours - theirs and theirs.total() - ours.total() == 1


def test_purchases_are_upstreams_but_for_what_may_not_ship_or_has_no_price(price_data):
    with (price_data.parent / "ownership" / "purchase_prices_2025_2026.csv").open(
        encoding="utf-8", newline=""
    ) as f:
        theirs = list(csv.DictReader(f))
    reasons = {
        "paid tracker": lambda row: "Keepa" in row["source"],
        "weak": lambda row: row["quality"] == "weak",
        "no price": lambda row: not row["price_usd"] and not row["low_usd"],
        "no number": lambda row: not row["accelerators"],
        "range": lambda row: not row["price_usd"],
        "component": lambda row: row["seller_or_basis"] == "analyst estimate",
    }
    excluded = Counter(
        next((reason for reason, holds in reasons.items() if holds(row)), "shipped") for row in theirs
    )
    assert excluded == {
        "paid tracker": 16, "weak": 17, "no price": 1, "no number": 2, "range": 1, "component": 2, "shipped": 8,
    }  # fmt: skip
    expected = Counter(
        float(row["usd_per_accelerator"])
        for row in theirs
        if not any(holds(row) for holds in reasons.values())
    )
    lines = shipped("purchase-prices")
    ours = {
        round(
            float(line["price"]) / (float(line["accelerator_count"]) if line["unit"] == "instance" else 1), 2
        )
        for line in lines
    }
    assert ours == set(expected) and expected.total() == 8 and len(lines) == 9
    grey = [line for line in lines if "China" in line["variant"]]
    assert {line["purchase_option"] for line in grey} == {"grey_market"} and len(grey) == 3


def test_the_prices_of_tpus_are_the_pages(upstream):
    page = upstream("gcp_tpu/tpu_pricing_2024-12-23.json")
    words = {"on_demand": "On Demand (USD)", "spot": "Spot (USD)"}
    lines = shipped("gcp-tpu-price-page")
    assert len(lines) == 36 and 2 * sum(len(regions) for regions in page.values()) == 42
    for line in lines:
        assert float(line["price"]) == page[line["accelerator"]][line["region"]][words[line["pricing_model"]]]


def test_google_clouds_intervals_are_upstreams_without_the_weeks_that_miss_a_part(upstream):
    models = {"commit_1y": "reserved_1y", "commit_3y": "reserved_3y"}
    theirs = {
        (r["instance_type"], r["region"], models.get(r["pricing_model"], r["pricing_model"]), r["first_seen"], r["last_seen"]):
        r["usd_per_instance_hour"]
        for r in upstream("series/gcp_accelerator_vms_weekly_2022-02_2026-07.csv")
    }  # fmt: skip
    ours = {
        (r["instance_type"], r["region"], r["pricing_model"], r["first_seen"], r["last_seen"] or r["first_seen"]):
        r["price"]
        for r in shipped("gcp-machine-history")
    }  # fmt: skip
    assert len(theirs) == 7463 and ours.items() <= theirs.items()
    excluded = Counter(
        (kind, model.startswith("reserved")) for kind, _, model, _, _ in theirs.keys() - ours.keys()
    )
    by_family = Counter()
    for (kind, is_committed), n in excluded.items():
        by_family[kind.rsplit("-", 1)[0] + (" committed" if is_committed else "")] += n
    assert by_family == {
        "a2-ultragpu": 20, "a2-ultragpu committed": 173, "a2-highgpu": 9, "a2-highgpu committed": 22,
        "a3-highgpu": 36 + 108, "a3-highgpu committed": 36 + 108,
    }  # fmt: skip


# source, upstream file, its column of prices or none if a line stands for several days, records left out: estimates,
# contradictions, shares of a GPU
CONVERTED = [
    ("gpu-pricing-curated", "curated/gpu_offerings_2026-05-24.json", "price_usd_hour", 17 + 5),
    ("hyperscaler-price-points", "hyperscaler_price_points.csv", "usd_per_instance_hour", 0),
    ("gpu-price-tracker", "history/aggregator_daily_2025-10_2025-11.csv", "price_median", 0),
    ("aws-capacity-blocks", "series/aws_capacity_blocks_2026-01-31_2026-07-22.csv", None, 0),
    ("cheapest-on-demand", "series/cheapest_on_demand_7_sellers_2026-08-01_2026-10-04.csv", None, 2),
    ("archived-price-pages", "series/archived_rate_cards_2023-05_2026-09.csv", None, 0),
    ("six-sellers", "series/six_sellers_2026-09-30.csv", None, 0),
    ("fsdl-cloud-gpus", "series/fsdl_cloud_gpus_2022-08_2025-05.csv", None, 4),
]


@pytest.mark.parametrize(("source", "name", "column", "excluded"), CONVERTED)
def test_every_record_of_upstream_is_in_a_line_with_its_price(upstream, source, name, column, excluded):
    theirs, lines = upstream(name), shipped(source)
    assert sum(int(line.get("n_observed") or 1) for line in lines) == len(theirs) - excluded
    if column:
        assert not Counter(line["price"] for line in lines) - Counter(str(row[column]) for row in theirs)


def test_marketplaces_are_medians_and_runpods_two_tiers_come_to_its_median(upstream):
    theirs = upstream("series/marketplaces_daily_2026-05-08_2026-07-20.csv")
    lines = shipped("marketplace-history")
    for provider in ("vast.ai", "sfcompute"):
        n = sum(r["provider"] == provider for r in theirs)
        assert n == sum(int(line["n_observed"] or 1) for line in lines if line["seller"] == provider)
        medians = {r["usd_median"] for r in theirs if r["provider"] == provider}
        assert {line["price"] for line in lines if line["seller"] == provider} <= medians

    checked = 0
    for row in theirs:
        if row["provider"] == "runpod" and row["pricing_model"] == "on_demand":
            tiers = {
                (line["variant"], float(line["price"]))
                for line in lines
                if line["seller"] == "runpod"
                and line["instance_type"] == NAMES[row["accelerator_id"]]
                and line["first_seen"] <= row["seen_on"] <= (line["last_seen"] or line["first_seen"])
            }
            assert len(tiers) == len(dict(tiers)) == int(row["n_records"])
            assert sum(dict(tiers).values()) / len(tiers) == pytest.approx(float(row["usd_median"]), abs=1e-9)
            checked += 1
    assert checked == 1294 - 511


NAMES = {
    "nvidia-a100-pcie-80gb": "NVIDIA A100 80GB PCIe", "nvidia-a100-sxm-40gb": "NVIDIA A100-SXM4-40GB",
    "nvidia-a100-sxm-80gb": "NVIDIA A100-SXM4-80GB", "nvidia-b200-sxm-180gb": "NVIDIA B200",
    "nvidia-b300-sxm-270gb": "NVIDIA B300 SXM6 AC", "nvidia-h100-sxm-80gb": "NVIDIA H100 80GB HBM3",
    "nvidia-h100-nvl-94gb": "NVIDIA H100 NVL", "nvidia-h100-pcie-80gb": "NVIDIA H100 PCIe",
    "nvidia-h200-sxm-141gb": "NVIDIA H200", "nvidia-l40s": "NVIDIA L40S", "amd-mi300x": "AMD Instinct MI300X OAM",
}  # fmt: skip


def test_scaleways_euros_are_upstreams_dollars_at_a_rate_of_the_days_before(upstream):
    lines = [line for line in shipped("cheapest-on-demand") if line["seller"] == "scaleway"]
    theirs = [
        r
        for r in upstream("series/cheapest_on_demand_7_sellers_2026-08-01_2026-10-04.csv")
        if r["provider"] == "scaleway"
    ]
    assert len(theirs) == 23 and {line["currency"] for line in lines} == {"EUR"}
    rates = defaultdict(list)
    for row in theirs:
        (euros,) = {
            float(line["price"])
            for line in lines
            if line["accelerator"] == row["accelerator_id"]
            and line["first_seen"] <= row["seen_on"] <= (line["last_seen"] or line["first_seen"])
        }
        rates[row["seen_on"]].append(float(row["usd_per_accelerator_hour"]) / euros)
    assert len(rates) == 6 and all(max(day) / min(day) < 1.0001 for day in rates.values())


def neocloud_rows(upstream):
    """Every usable row of the two files: (seller, part, memory, days, price, how often people read it)."""
    intervals = [
        (r["provider"], r["gpu"], r["vram_gb"], r["first_fetched"], r["last_fetched"],
         round((float(r["usd_per_gpu_hour_min"]) + float(r["usd_per_gpu_hour_max"])) / 2, 12), "")
        for r in upstream("neoclouds_2026/intervals_2026-07-05_2026-08-22.csv") if r["provider"] not in ("gcp", "azure")
    ]  # fmt: skip
    often = {"yes": "twice", "once": "once", "no": "unchecked"}
    observations = [
        (r["provider"], r["gpu"], r["vram_gb"], r["fetched"], r["fetched"], round(float(r["usd_per_gpu_hour"]), 12), often[r["checked"]])
        for r in upstream("neoclouds_2026/observations.csv")
    ]  # fmt: skip
    return intervals, observations


def test_the_rows_of_neoclouds_are_upstreams_and_none_is_of_a_hyperscaler(upstream):
    intervals, observations = neocloud_rows(upstream)
    assert (len(intervals), len({r[0] for r in intervals})) == (695, 30)
    assert Counter(r[-1] for r in observations) == {"twice": 469, "once": 251, "unchecked": 334}
    lines = shipped("gpu-rental-prices")
    ours = Counter(
        (line["seller"], re.sub(r"^\d+x | \d+GB$", "", line["instance_type"]), line["accelerator_memory_gb"], line["first_seen"],
         line["last_seen"] or line["first_seen"], round(float(line["price"]), 12), line["read_by_hand"])
        for line in lines
    )  # fmt: skip
    assert ours == Counter(intervals + observations)
    assert not {line["seller"] for line in lines} & {"aws", "azure", "gcp", "oci"}


def test_kinds_terms_and_stock_of_neoclouds_are_upstreams(upstream):
    rows = upstream("neoclouds_2026/observations.csv")
    lines = [line for line in shipped("gpu-rental-prices") if line["read_by_hand"]]
    kinds = Counter(r["kind"] for r in rows)
    by_model = Counter(line["pricing_model"] for line in lines)
    assert by_model["spot"] == kinds["spot"] and by_model["marketplace"] == kinds["community"]
    assert sum(line["purchase_option"] == "serverless" for line in lines) == kinds["serverless"]
    assert sum(line["variant"] == "secure" for line in lines) == kinds["secure"]
    gone = sum("out of stock" in r["note"] or "waitlist" in r["note"] for r in rows)
    assert sum(line["is_available"] == "no" for line in lines) == gone
    # a published term is that of the line, in hours; without one there is no commitment of a year or more
    months = Counter(m for r in rows if r["kind"] == "reserved" and (m := _months(r["note"])))
    hours = {"reserved_1y": "8760", "reserved_3y": "26280"}
    terms = Counter(
        round(float(term) / 730)
        for line in lines
        if (term := line["term_hours"] or hours.get(line["pricing_model"]))
    )
    assert terms == months and terms.total() == 19
    # what one reader took for on demand is what the seller's page of October calls preemptible
    together = {
        line["price"]
        for line in lines
        if line["seller"] == "together" and line["pricing_model"] == "on_demand"
    }
    assert together == {"3.99", "5.99", "8.19", "9.99"}


def _months(note):
    found = re.match(r"(\d+) months?;|.* USD (per month)", note)
    return found and int(found[1] or 1)


def test_a_users_file_is_a_source_of_its_own_and_its_defects_have_file_and_line(tmp_path):
    home = Home(tmp_path, str(tmp_path / "landing"))
    folder = home.overrides / "prices"
    folder.mkdir(parents=True)
    header = "seller,accelerator,pricing_model,price,unit,first_seen\n"
    line = "lambda,nvidia-b200-sxm-180gb,on_demand,{},accelerator_hour,2026-10-01\n"
    (folder / "q@3.csv").write_text(header + line.format(5.5) + line.format("?"), encoding="utf-8")
    (folder / "half.csv").write_text("seller,price\n", encoding="utf-8")
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    for name in (
        "of a name " * 20,
        "of a name " * 20 + "too",
        "(1) März",
    ):  # longer than names of parts may be
        (folder / f"{name}.csv").write_text(header + line.format(6.5), encoding="utf-8")
    assert own_file_problems(home) == [
        "overrides/prices/notes.txt: not a .csv file",
        "overrides/prices/half.csv, the file: lacks pricing_model, unit, first_seen in its first line 'seller,price'",
        "overrides/prices/q@3.csv, line 3: price is '?', not a number above zero",
    ]
    (observed,) = select_active(home, ["own-prices"]).prices
    # a file whose lines are all refused is in the build too: ops_reject lists them
    assert sorted(part.account.rejects for part in observed.parts) == [0, 0, 0, 1, 1]
