"""The measured serving shipped with the code is what our parser reads in the real files, and names its owner."""

import io
from pathlib import Path

import pyarrow.parquet as pq

from ingest.energy.mlenergy import SOURCE
from ingest.registry import SERVING_SOURCES
from warehouse.home import SNAPSHOT_DIR

ROOT = Path(__file__).resolve().parents[2]


def test_shipped_points_are_what_the_parser_reads_in_the_real_files(price_data):
    data = price_data.parent / "energy" / "mlenergy"
    members = [(str(p.relative_to(data)), io.BytesIO(p.read_bytes())) for p in sorted(data.rglob("*.json"))]
    parsed = SOURCE.rows(members, key="leaderboard")
    (path,) = (SNAPSHOT_DIR / "serving_points").glob("*.parquet")
    shipped = pq.read_table(path).to_pylist()
    names = [name for name in vars(parsed.rows[0]) if name != "source"]
    assert [{n: row[n] for n in names} for row in shipped] == [
        {n: getattr(r, n) for n in names} for r in parsed.rows
    ]
    assert {(row["licence"], row["payload_url"]) for row in shipped} == {("Apache-2.0", SOURCE.home_url)}


def test_everybody_whose_measurements_are_shipped_is_named_in_the_notice():
    notice = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    shipped = {p.name.partition("__")[0] for p in (SNAPSHOT_DIR / "serving_reconciliation").glob("*.parquet")}
    assert shipped == {name for name, source in SERVING_SOURCES.items() if source.ships} == {"mlenergy"}
    assert all(" ".join(SERVING_SOURCES[name].licence_note.split()) in notice for name in shipped)
