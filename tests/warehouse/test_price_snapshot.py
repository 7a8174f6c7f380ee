"""The prices and measurements shipped with the code are what our parsers read in the real files, and nothing else."""

import hashlib
import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ingest.energy.mlenergy import SOURCE
from ingest.prices.collected import COLLECTIONS
from ingest.prices.registry import PRICE_SOURCES
from ingest.registry import LIST_SOURCES
from warehouse.storage.home import SNAPSHOT_DIR

ROOT = Path(__file__).resolve().parents[2]
# test_collected_prices.py reads the collections
COLLECTED = {source.name for source in COLLECTIONS}
PARTS = [
    p
    for p in sorted((SNAPSHOT_DIR / "price_offers").glob("*.parquet"))
    if p.name.partition("__")[0] not in COLLECTED
]
# test input only, or without a licence: never shipped
NOT_SHIPPED = ("runpod", "scaleway", "gpuhunt", "gcp_tpu", "azure")


@pytest.fixture(scope="module")
def real_files(price_data):
    files = [
        p for p in (*price_data.rglob("*"), *(price_data.parents[1] / "facts").glob("*.csv")) if p.is_file()
    ]
    return {hashlib.sha256(p.read_bytes()).hexdigest(): p for p in files}


@pytest.mark.parametrize("path", PARTS, ids=lambda p: p.stem.split("__p")[0])
def test_a_shipped_part_is_what_its_parser_reads_in_the_real_file(path, real_files):
    shipped = pq.read_table(path).to_pylist()
    account = pq.read_table(SNAPSHOT_DIR / "price_reconciliation" / path.name).to_pylist()[0]
    file = real_files[account["payload_sha256"]]
    source = PRICE_SOURCES[account["source"]]
    with io.BytesIO(file.read_bytes()) as payload:
        parsed = source.parse([("", payload)], key=account["payload_key"])
    counted = (parsed.records_in, len(parsed.rows), len(parsed.rejects))
    assert counted == (account["records_in"], account["rows_out"], account["rejects"])
    parsed_offers = {(r.offer_id, r.price, r.upfront, r.record) for r in parsed.rows}
    assert {(r["offer_id"], r["price"], r["upfront"], r["record"]) for r in shipped} == parsed_offers
    assert all(row["observed_at"] is not None and "@" in row["payload_key"] for row in shipped)


def test_nothing_without_a_licence_is_shipped(real_files, price_data):
    for path in (SNAPSHOT_DIR / "price_reconciliation").glob("*.parquet"):
        account = pq.read_table(path).to_pylist()[0]
        assert PRICE_SOURCES[account["source"]].ships
        file = real_files.get(account["payload_sha256"])
        if file is None:
            assert account["source"] in {"ecb-reference-rates", *COLLECTED}
            continue
        assert not {part for part in file.parts if part in NOT_SHIPPED}
        assert "gpu_prices_daily" not in file.name and "fixture" not in file.name


# how NOTICE names sources of which it does not give the repository
NAMED_IN_NOTICE = {
    "aws-price-list": "Prices from the AWS price list, which AWS publishes for informational purposes only.",
    "gcp-tpu-price-page": "Google's price page as read for gpuhunt (MPL-2.0).",
    "hyperscaler-price-points": "those AWS, Microsoft Azure and Google Cloud published on the days given.",
    "gpu-rental-prices": "GPU Rental Prices (https://gpurentalprices.com), CC BY 4.0. Changed:",
    "purchase-prices": "facts from the public pages that each row names in source_url.",
    "ecb-reference-rates": "source: ECB statistics (euro foreign exchange reference rates), unmodified.",
    "epoch": "Epoch AI, 'Data on Machine Learning Hardware', https://epoch.ai/data (CC-BY).",
    "rocm": "Advanced Micro Devices, Inc., ROCm documentation (MIT).",
    "mlperf-systems": "MLCommons and its submitters, MLPerf results (Apache-2.0).",
    "mlenergy": "github.com/ml-energy/leaderboard), Apache License 2.0.",
}


def test_everybody_whose_facts_are_shipped_is_named_in_the_notice():
    notice = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    shipped = {source.name: source.home_url for source in LIST_SOURCES.values() if source.ships}
    assert NAMED_IN_NOTICE.keys() <= shipped.keys()
    for name, home in shipped.items():
        assert NAMED_IN_NOTICE.get(name, home.removeprefix("https://")) in notice, name
    assert "MLPerf is a trademark of MLCommons." in notice and "not verified by MLCommons" in notice


def test_shipped_points_are_what_the_parser_reads_in_the_real_files(price_data):
    data = price_data.parent / "energy" / "mlenergy"
    members = [(str(p.relative_to(data)), io.BytesIO(p.read_bytes())) for p in sorted(data.rglob("*.json"))]
    parsed = SOURCE.rows(members, key="leaderboard")
    (path,) = (SNAPSHOT_DIR / "serving_points").glob(f"{SOURCE.name}__*.parquet")
    shipped = pq.read_table(path).to_pylist()
    names = [name for name in vars(parsed.rows[0]) if name != "source"]
    assert [{n: row[n] for n in names} for row in shipped] == [
        {n: getattr(r, n) for n in names} for r in parsed.rows
    ]
    assert {(row["licence"], row["payload_url"]) for row in shipped} == {("Apache-2.0", SOURCE.home_url)}
