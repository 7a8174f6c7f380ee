"""Price lists with impossible, announced, ended and placeholder prices: all listed, none compared; their neighbours are."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from home_copies import land_given
from queries import rows

sys.path.append(str(Path(__file__).resolve().parents[1] / "ingest" / "prices"))
from test_azure import METER
from test_runpod import H100, NOTHING
from test_skypilot import ZONED
from test_vast import OFFER

from ingest.prices.dated_offers import COLUMNS

pytestmark = pytest.mark.xdist_group("landed")
A100 = METER | {
    "armSkuName": "Standard_ND96asr_A100_v4",
    "meterName": "ND96asr A100 v4",
    "skuName": "ND96asr A100 v4",
}
FUTURE, PAST = "2091-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
AZURE = [
    A100 | {"retailPrice": 27.197, "effectiveStartDate": "2023-01-01T00:00:00Z"},
    A100 | {"retailPrice": 0.24, "effectiveStartDate": FUTURE},
    METER | {"armRegionName": "eastus2", "retailPrice": 0.8, "effectiveStartDate": FUTURE},
    METER
    | {"armRegionName": "westus", "retailPrice": 0.8, "effectiveEndDate": PAST, "effectiveStartDate": PAST},
    METER | {"armRegionName": "westus2", "retailPrice": 1e-7},
    METER | {"armRegionName": "westus3", "retailPrice": 1e7},
    METER | {"armRegionName": "northeurope", "retailPrice": 0.7, "currencyCode": "XTS"},
    METER | {"armRegionName": "japaneast", "retailPrice": 15000.0, "currencyCode": "JPY"},
    # far from the others, and seen once
    METER | {"armRegionName": "eastus", "retailPrice": 2.4},
]
RUNPOD = [
    H100 | {"securePrice": 1e9, "currency": "EUR"},
    H100 | {"id": "NVIDIA H200", "securePrice": 3.0, "communityPrice": 0.5, "currency": "EUR", "lowestPrice": NOTHING},
]  # fmt: skip
VAST = [
    *(OFFER | {"machine_id": i, "num_gpus": 1, "dph_total": 2.0} for i in range(6)),
    *(
        OFFER | {"machine_id": i, "gpu_name": "B200", "gpu_ram": 183359, "dph_total": 1e9}
        for i in range(20, 26)
    ),
]
ZONES = {
    "use1-az1": ("us-east-1", "US"),
    "usw2-az1": ("us-west-2", "US"),
    "euc2-az2": ("eu-central-2", "CH"),
    "usge1-az2": ("us-gov-east-1", "US"),
    "us-east-2b": ("us-east-2", "US"),
}
OCI = "BM.GPU.RTXPRO.8,256,3072,RTXPRO6000,8,,{region},{region}-AD-{domain},{price},"


def land_payloads(home, folder):
    folder.mkdir()
    spot = [f"p5.48xlarge,192,2048,H100,8.0,,{region},{zone},,9.6" for zone, (region, _) in ZONES.items()]
    shapes = [
        OCI.format(region=region, domain=domain, price=price)
        for region, domain, price in (
            ("us-ashburn-1", 1, 36),
            ("us-ashburn-1", 2, 40),
            ("uk-london-1", 1, 36),
        )
    ]
    points = io.StringIO()
    lines = csv.DictWriter(points, COLUMNS, restval="")
    lines.writeheader()
    for usd in ("1e9", "0.5", "31000"):
        lines.writerow({
            "seller": "seller not named", "instance_type": usd, "accelerator": "nvidia-h100-sxm-80gb",
            "accelerator_count": "1", "pricing_model": "purchase", "unit": "instance", "price": usd,
            "first_seen": "2026-10-20", "source_url": "https://example.com",
        })  # fmt: skip
    ahead = "gpu_1x_h100_sxm5,26,225,H100,1,,us-west-1,,0.11,\nx1,26,225,H100X-NEXT,1,,us-west-1,,0.12,"
    azure = {"BillingCurrency": "USD", "Items": AZURE, "NextPageLink": None, "Count": len(AZURE)}
    for source, key, name, content in (
        ("azure-retail-prices", "nd", "azure.json", json.dumps(azure)),
        ("runpod", "gpu-types", "runpod.json", json.dumps({"data": {"gpuTypes": RUNPOD}})),
        ("vast", "bundles", "vast.json", json.dumps({"offers": VAST})),
        ("skypilot-catalog", "aws", "aws.csv", "\n".join([ZONED, *spot])),
        ("skypilot-catalog", "oci", "oci.csv", "\n".join([ZONED, *shapes])),
        ("skypilot-catalog", "lambda@2091-01-01", "lambda.csv", f"{ZONED}\n{ahead}"),
        ("collected-price-points", "points@2026-10-25", "points.csv", points.getvalue()),
    ):
        (folder / name).write_text(content)
        land_given(home, source, key, folder / name)


def test_each_odd_price_is_listed_with_its_reason(landed_db):
    found = {
        (source, instance_type, region or model): (comparable, reason, usd)
        for source, instance_type, region, model, comparable, reason, usd in rows(
            landed_db,
            """
            select source, instance_type, coalesce(purchase_option, region), pricing_model, is_comparable,
                exclusion_reason, usd_per_accelerator_hour
            from fct_price_interval
            where source in ('azure-retail-prices', 'runpod', 'vast') or valid_from > now()
            """,
        )
    }
    reasons = {key: value[1] for key, value in found.items() if not value[0]}
    impossible = "the price is outside of what can be"
    nd, azure = "Standard_ND96isr_H100_v5", "azure-retail-prices"
    announced, ahead = "announced: it starts after the day of the list", "its day lies after the build"
    assert reasons == {
        (azure, "Standard_ND96asr_A100_v4", "announced, from 2091-01-01"): announced,
        (azure, nd, "announced, from 2091-01-01"): announced,
        (azure, nd, "ended, until 2020-01-01"): "it ended before the day of the list",
        (azure, nd, "westus2"): impossible,
        (azure, nd, "westus3"): impossible,
        (azure, nd, "northeurope"): "no exchange rate",
        (azure, nd, "eastus"): "far from the others, and seen only once",
        ("runpod", "NVIDIA H100 80GB HBM3", "on_demand"): impossible,
        (
            "runpod",
            "NVIDIA H200",
            "placeholder",
        ): "a figure that the seller also writes where there is no price",
        ("vast", "B200", "marketplace"): impossible,
        ("skypilot-catalog", "gpu_1x_h100_sxm5", "on_demand"): ahead,
        ("skypilot-catalog", "x1", "on_demand"): ahead,
    }
    usd = {key: value[2] for key, value in found.items() if value[0]}
    assert usd[azure, "Standard_ND96asr_A100_v4", "eastus"] == pytest.approx(27.197 / 8)
    assert 8 < usd[azure, nd, "japaneast"] < 20  # 15,000 yen for eight
    assert usd["vast", "H100 SXM", "marketplace"] == 2.0
    assert 3.0 < usd["runpod", "NVIDIA H200", "on_demand"] < 4.5  # three euro


# no row of any: what has a price that cannot be, or a day that is not yet
IMPOSSIBLE = [
    "mart_price_current where usd_per_accelerator_hour_min < 0.05 or usd_per_accelerator_hour_max > 50",
    "mart_cost_per_mtok where usd_per_accelerator_hour not between 0.05 and 50",
    "mart_hardware_price where kind = 'hour' and usd not between 0.05 and 50",
    "mart_hardware_price where kind = 'purchase' and seen_on = date '2026-10-20' and usd not between 100 and 1e6",
    "mart_price_index where month > current_date",
    "ops_unmapped where kind = 'region' and words like 'aws/%'",
]


def test_no_odd_price_reaches_a_mart(landed_db):
    for what in IMPOSSIBLE:
        assert rows(landed_db, f"select * from {what}") == [], what


def test_the_present_price_stays_in_force_beside_an_announced_one(landed_db):
    assert rows(
        landed_db,
        "select usd_per_accelerator_hour_min from mart_price_current where provider = 'azure' "
        "and accelerator_id = 'nvidia-a100-sxm-40gb' and pricing_model = 'on_demand'",
    ) == [(pytest.approx(27.197 / 8),)]


def test_a_bare_metal_shape_holds_the_server_edition(landed_db):
    part = ("nvidia-rtx-pro-6000-server", 8.0)
    assert rows(
        landed_db,
        "select region, country, accelerator_id, accelerator_count, usd_per_accelerator_hour, exclusion_reason "
        "from fct_price_interval where instance_type = 'BM.GPU.RTXPRO.8' and source = 'skypilot-catalog' order by all",
    ) == [
        ("uk-london-1", "GB", *part, 4.5, None),
        ("us-ashburn-1-AD-1", "US", *part, 4.5, None),
        ("us-ashburn-1-AD-2", "US", *part, 5.0, None),
    ]


def test_a_zone_id_lies_in_its_region(landed, landed_db, accelmart):
    found = rows(
        landed_db,
        """
        select i.region, i.country, g.grid_id, i.country_reason
        from fct_price_interval as i left join dim_region_grid as g
            on i.provider = g.provider and i.region = g.region
        where i.source = 'skypilot-catalog' and i.provider = 'aws' and i.pricing_model = 'spot'
        """,
    )
    assert {(region, country) for region, country, *_ in found} == {
        (zone if zone.startswith(region) else f"{region}-{zone.partition('-')[2]}", country)
        for zone, (region, country) in ZONES.items()
    }
    assert all(grid and reason is None for _, _, grid, reason in found)
    grids = {region: grid for region, _, grid, _ in found}
    assert "VA" in grids["us-east-1-az1"] and "OR" in grids["us-west-2-az1"]
    for region in ("us-east-1%", "CH"):
        done = accelmart(
            landed.home, "rank", "--model", "llama2-70b-99", "--pricing", "spot", "--provider", "aws", "--region", region, "--format", "json"
        )  # fmt: skip
        assert done.returncode == 0 and "1.2" in done.stdout, done.stdout + done.stderr
