"""Prices of neoclouds of 2026 in the warehouse: the rows of the files given, and what of them may be compared."""

import csv

import pytest

SOURCE = "gpu-rental-prices"
OFTEN = {"yes": "twice", "once": "once", "no": "unchecked"}


@pytest.fixture(scope="module")
def given(price_data):
    """The usable rows of both files: (seller, type, first day, last day, price, how often people read it)."""
    rows = []
    for name in ("intervals_2026-07-05_2026-08-22.csv", "observations.csv"):
        with (price_data / "neoclouds_2026" / name).open(encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                if row["provider"] in ("gcp", "azure"):
                    continue
                low, high = (
                    row.get(f"usd_per_gpu_hour_{end}") or row["usd_per_gpu_hour"] for end in ("min", "max")
                )
                days = [row.get(key) or row["fetched"] for key in ("first_fetched", "last_fetched")]
                usd = (float(low) + float(high)) / 2
                rows.append((row["provider"], row["gpu"], *days, usd, OFTEN.get(row.get("checked"), "")))
    return rows


def test_every_row_given_is_in_an_interval_at_its_price_and_every_interval_is_of_rows_given(warehouse, given):
    warehouse.execute(
        "create or replace temp table given (seller text, part text, first_on date, last_on date, usd double, reading text)"
    )
    warehouse.executemany("insert into given values (?, ?, ?, ?, ?, ?)", given)
    warehouse.execute(f"""
        create or replace temp table ours as
        select provider_published as seller, regexp_replace(instance_type, '^[0-9]+x | [0-9]+GB$', '', 'g') as part, price as usd,
            valid_from::date as first_on, last_seen_at::date as last_on, read_by_hand
        from fct_price_interval where source = '{SOURCE}'
    """)
    is_inside = """given.seller = ours.seller and given.part = ours.part and abs(given.usd / ours.usd - 1) < 1e-9
        and given.first_on >= ours.first_on and given.last_on <= ours.last_on"""
    assert warehouse.execute(f"from given anti join ours on {is_inside}").fetchall() == []
    # both ends of an interval were seen, and the mark is that of the row that begins it
    begins = (
        f"{is_inside} and given.first_on = ours.first_on and coalesce(ours.read_by_hand, '') = given.reading"
    )
    assert warehouse.execute(f"from ours anti join given on {begins}").fetchall() == []
    ends = f"{is_inside} and given.last_on = ours.last_on"
    assert warehouse.execute(f"from ours anti join given on {ends}").fetchall() == []
    counted = warehouse.execute(
        "select records_in, rows_out, duplicates, merged, rejects, out_of_scope from ops_reconciliation where source = ?",
        [SOURCE],
    ).fetchall()
    n_observed = sum(1 + (first != last) for _, _, first, last, _, _ in given)
    assert counted == [(n_observed, n_observed, 0, 0, 0, 0)]


def test_what_is_no_offer_of_a_machine_enters_no_level_and_is_nobodys_cheapest(warehouse):
    """By the seller, type and price of the given rows: why each is not compared."""
    reasons = warehouse.execute(
        """
        select provider, instance_type, pricing_model, price, exclusion_reason from fct_price_interval
        where (provider, instance_type, pricing_model, price) in (
            ('latitude', '8x b300', 'on_demand', 16), ('vultr', '8x mi325x', 'spot', 2), ('vultr', '8x mi355x', 'spot', 2.59),
            ('vultr', 'amd-mi325x', 'on_demand', 2), ('vultr', 'amd-mi355x', 'on_demand', 2.59), ('koyeb', 'b200', 'on_demand', 5.5),
            ('daytona', 'mi355x', 'on_demand', 5.99), ('gmicloud', 'b200', 'on_demand', 4), ('hyperstack', 'b200 180GB', 'on_demand', 5.1)
        ) order by all
        """
    ).fetchall()
    contradicted = "on demand in one source and spot in another at the same price"
    assert {row[:2]: row[4] for row in reasons} == {
        ("daytona", "mi355x"): "CPU and memory are billed on top",
        ("gmicloud", "b200"): "a starting price: the lowest of several, not named",
        ("hyperstack", "b200 180GB"): "listed, but not to be had on demand",
        ("koyeb", "b200"): "serverless: seconds of work, another product than a machine",
        ("latitude", "8x b300"): "out of stock when last seen",
        **dict.fromkeys(
            [("vultr", part) for part in ("8x mi325x", "8x mi355x", "amd-mi325x", "amd-mi355x")], contradicted
        ),
    }
    # in no comparison, whoever says it: out of stock, or one figure as two kinds in two sources of equal rank
    out_of_stock = "select * from fct_price_interval where is_comparable and is_available = false"
    assert warehouse.execute(out_of_stock).fetchall() == []
    two_kinds = """
        select one.offer_id from fct_price_interval as one inner join fct_price_interval as other
        on one.provider = other.provider and one.accelerator_id = other.accelerator_id and one.source <> other.source
            and one.pricing_model = 'on_demand' and other.pricing_model = 'spot' and one.source_rank = other.source_rank
            and abs(one.usd_per_accelerator_hour - other.usd_per_accelerator_hour) < 5e-5
            and one.valid_from <= other.last_seen_at + interval 90 day and other.valid_from <= one.last_seen_at + interval 90 day
        where one.is_comparable or other.is_comparable
    """
    assert warehouse.execute(two_kinds).fetchall() == []
    cheapest = "select count(*) from mart_rental_price_level as l inner join fct_price_interval as f on l.cheapest_offer_id = f.offer_id"
    assert warehouse.execute(f"{cheapest} where f.purchase_option = 'serverless'").fetchone() == (0,)
    # a bare name at a seller of several forms is none of the named ones
    of_hyperstack = warehouse.execute(
        f"select distinct instance_type, accelerator_id from fct_price_interval where source = '{SOURCE}' and provider = 'hyperstack' "
        "and instance_type in ('h100', 'h100-sxm')"
    ).fetchall()
    assert dict(of_hyperstack) == {"h100": "nvidia-h100-pcie-80gb", "h100-sxm": "nvidia-h100-sxm-80gb"}


RISES = """
nebius,nvidia-h100-sxm-80gb,3.85,4.5
nebius,nvidia-h200-sxm-141gb,4.5,5.4
nebius,nvidia-b200-sxm-180gb,7.15,8.5
nebius,nvidia-b300-sxm-270gb,7.85,9.5
runpod,nvidia-h100-sxm-80gb,3.29,3.99
runpod,nvidia-h200-sxm-141gb,4.59,5.29
runpod,nvidia-b200-sxm-180gb,6.79,7.99
runpod,nvidia-b300-sxm-270gb,7.89,8.99
verda,nvidia-h100-sxm-80gb,3.25,3.928
verda,nvidia-h200-sxm-141gb,4.0,5.124
verda,nvidia-b200-sxm-180gb,6.11,7.416
verda,nvidia-b300-sxm-270gb,7.5,9.337
verda,nvidia-gb300-288gb,8.62,10.74
"""


def test_the_rises_of_autumn_are_changes_of_offers_not_new_offers(warehouse):
    """Nebius, RunPod and Verda as the README of the files has them, 2026-08-22 to 10-10."""
    rows = warehouse.execute(
        f"""
        select f.provider, f.accelerator_id, round(before.price, 3), round(f.price, 3)
        from fct_price_interval as before inner join fct_price_interval as f using (offer_id, stream)
        where f.source = '{SOURCE}' and f.is_comparable and before.is_comparable and f.pricing_model = 'on_demand'
            and before.valid_from <= '2026-08-22' and before.last_seen_at >= '2026-08-22'
            and f.last_seen_at >= '2026-10-10' and f.price <> before.price
            and f.provider in ('nebius', 'runpod', 'verda') and f.accelerator_id in (
                'nvidia-h100-sxm-80gb', 'nvidia-h200-sxm-141gb', 'nvidia-b200-sxm-180gb', 'nvidia-b300-sxm-270gb', 'nvidia-gb300-288gb')
        order by all
        """
    ).fetchall()
    rises = [line.split(",") for line in RISES.split("\n")[1:-1]]
    assert rows == sorted((seller, part, float(before), float(then)) for seller, part, before, then in rises)


# names of the witness → ours; its tiers are secure and community
PARTS = {
    "H100 SXM 80GB": "nvidia-h100-sxm-80gb", "H100 PCIe 80GB": "nvidia-h100-pcie-80gb", "H100 NVL 94GB": "nvidia-h100-nvl-94gb",
    "A100 SXM 80GB": "nvidia-a100-sxm-80gb", "A100 PCIe 80GB": "nvidia-a100-pcie-80gb", "8x B200": "nvidia-b200-sxm-180gb",
    "8x H100 SXM": "nvidia-h100-sxm-80gb", "8x A100 SXM 80GB": "nvidia-a100-sxm-80gb",
}  # fmt: skip


def test_other_readers_of_the_same_pages_saw_the_same_prices(warehouse, price_data):
    """Readings of September to November that are not bundled: each equals the last price of ours seen until that day."""
    with (price_data / "neoclouds_2026" / "witness_2026-09_11.csv").open(encoding="utf-8", newline="") as f:
        read = [
            row
            for row in csv.DictReader(f)
            if row["seller"] in ("RunPod", "Nebius", "Lambda") and row["accelerator"] in PARTS
        ]
    for row in read:
        ((usd,),) = warehouse.execute(
            f"""
            select arg_max(price, valid_from) from fct_price_interval
            where source = '{SOURCE}' and provider = lower($1) and accelerator_id = $2 and valid_from::date <= $3::date
                and coalesce(variant, '') = if(provider = 'runpod', $4, '') and pricing_model in ('on_demand', 'marketplace')
                and (provider <> 'lambda' or accelerator_count = $5::int)
            """,
            [row["seller"], PARTS[row["accelerator"]], row["day"], row["kind"], row["gpus"]],
        ).fetchall()
        # Lambda's price of one accelerator is listed from October on
        assert usd == float(row["usd_per_gpu_hour"]) or (usd is None and row["gpus"] == "1"), row
    assert len(read) >= 20
