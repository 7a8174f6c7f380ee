"""The raw layer: schema from the records, and parts that are whole or not there."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import fields, replace
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_round import entry

from ingest.core.errors import RecordRejected
from ingest.core.records import Parsed
from ingest.core.source import Part
from ingest.mlperf.records import InferenceResult
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES
from warehouse.inputs.active import newest_parts
from warehouse.inputs.raw import (
    INFERENCE_FAMILY,
    RESULTS,
    Provenance,
    damaged_parts,
    read_parts,
    remove_damaged,
    schema,
    write_part,
)

RECONCILIATION = INFERENCE_FAMILY.reconciliation

PROVENANCE = Provenance(
    source=MLPERF_INFERENCE,
    payload_key="v5.1",
    payload_url="https://github.com/mlcommons/inference_results_v5.1.git",
    payload_sha256="ab" * 32,
    payload_bytes=2221336,
    licence="Apache-2.0",
    fetched_at=datetime(2026, 11, 20, 4, 48, 30, 123456, tzinfo=UTC),
    parser_version=7,
)
ENTRY = entry(1, Submitter="Universität", version="v5.1", Performance_Result=371.423, Nodes=2, **{"a#": ""})


def part_of(*entries: dict, release: str = "v5.1") -> Part:
    """What the parser makes of these entries."""
    payload = json.dumps(list(entries)).encode()
    members = [("summary_results.json", io.BytesIO(payload))]
    (part,) = MLPERF_SOURCES[MLPERF_INFERENCE].parts(members, key=release)
    return part


def write(root, part: Part, **change):
    return write_part(root, part, replace(PROVENANCE, **change), parts_in_payload=1)


def test_rows_come_back_as_they_went_with_evidence_on_each(tmp_path):
    odd = ENTRY | {"System": "a\ud800b\x00", "Nodes": 10**30, "Notes": ["x"], "a#": 8}
    part = part_of(ENTRY, odd | {"Scenario": "Server"})
    table = pq.read_table(write(tmp_path, part).path(RESULTS))
    assert table.schema.remove_metadata() == schema(InferenceResult)
    rows = table.to_pylist()
    for record, expected in ((InferenceResult, part.parsed.rows), (Provenance, [PROVENANCE] * 2)):
        names = [f.name for f in fields(record)]
        assert [record(**{name: r[name] for name in names}) for r in rows] == expected
    shown = ("submitter", "result", "accelerators_per_node", "system_name", "number_of_nodes", "notes")
    assert [tuple(r[name] for name in shown) for r in rows] == [
        ("Universität", 371.423, None, "A system", 2, None),
        ("Universität", 371.423, 8, "a?b", None, "['x']"),
    ]


def test_rejects_and_warnings_are_kept_apart_by_severity(tmp_path):
    tree = Parsed(records_in=1)
    tree.rejects.append(RecordRejected(payload="a/log.txt", record="Offline", problem="p", remedy="r"))
    tree.warnings.append(RecordRejected(payload="a/spl.txt", record="Server", problem="q", remedy="s"))
    written = write(tmp_path, Part("v5.1", "raw_tree", tree))
    rows = pq.read_table(written.path(INFERENCE_FAMILY.rejects)).to_pylist()
    assert [(r["severity"], r["payload"], r["record"], r["problem"], r["remedy"]) for r in rows] == [
        ("reject", "a/log.txt", "Offline", "p", "r"),
        ("warning", "a/spl.txt", "Server", "q", "s"),
    ]
    assert (written.account.rejects, written.account.warnings) == (1, 1)


def test_the_account_is_of_every_record(tmp_path):
    other = ENTRY | {"Scenario": "Server"}
    part = part_of(ENTRY, ENTRY, ENTRY | {"Suite": "?"}, other, other | {"Performance_Result": 2.0})
    account = write(tmp_path, part).account
    found = (account.records_in, account.rows_out, account.duplicates, account.merged, account.rejects)
    assert found == (5, 1, 1, 0, 3)


def test_an_empty_part_is_a_part_whose_name_tells_source_round_or_key_payload_and_parser(tmp_path):
    written = write(tmp_path, Part("v5.1", "raw_tree", Parsed()))
    assert [pq.read_table(written.path(t)).num_rows for t in INFERENCE_FAMILY.tables] == [0, 0, 1]
    assert read_parts(tmp_path) == [written]
    assert written.stem == "mlperf-inference__v5.1__raw_tree__abababababababab__p7"
    key = {"source": "aws-price-list", "payload_key": "US East/1@2026-01-01"}
    of_list = write(tmp_path, Part("", "prices", Parsed()), **key)
    assert of_list.stem == "aws-price-list__us-east-1@2026-01-01__prices__abababababababab__p7"


def test_a_part_without_its_account_is_no_part(tmp_path):
    part = part_of(ENTRY, ENTRY | {"Suite": "?"})
    part.parsed.rejects[0].problem = b"\xff"  # type: ignore[assignment]  # its second table cannot be written
    with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError)):
        write(tmp_path, part)
    assert len(list((tmp_path / RESULTS).glob("*.parquet"))) == 1
    assert read_parts(tmp_path) == []
    assert [p for p in tmp_path.rglob("*.tmp") if p.is_file()] == []


def damaged_copies(tmp_path):
    """A part, once for each of its files and each kind of damage, with the damage done."""
    whole = write(tmp_path / "whole", part_of(ENTRY))
    for number, file in enumerate(
        [*whole.files.values(), whole.files[RECONCILIATION].with_suffix(".sha256")]
    ):
        for kind in ("flipped", "cut", "empty", "gone"):
            root = shutil.copytree(whole.root, tmp_path / f"{number}-{kind}")
            path, content = root / file.relative_to(whole.root), bytearray(file.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes({"flipped": content, "cut": content[:-5]}.get(kind, b""))
            if kind == "gone":
                path.unlink()
            yield root, path, kind


def test_a_damaged_part_is_no_part_and_goes(tmp_path):
    """A part without hashes is of before they were kept: it is used, and gets them."""
    n_tries = 0
    for root, path, kind in damaged_copies(tmp_path):
        n_tries += 1
        if path.suffix == ".sha256" and kind == "gone":
            remove_damaged(root)
            assert path.exists() and len(read_parts(root)) == 1
            continue
        assert read_parts(root) == [], path
        remove_damaged(root)
        assert damaged_parts(root) == [] and [p for p in root.rglob("*") if p.is_file() and p != path] == []
    assert n_tries == 16


def test_a_part_of_before_hashes_that_cannot_be_read_goes(tmp_path):
    for root, path, kind in damaged_copies(tmp_path):
        for hashes in root.rglob("*.sha256"):
            hashes.unlink()
        remove_damaged(root)
        if path.suffix == ".parquet" and kind in ("cut", "empty"):
            assert read_parts(root) == []


def of_day(root, dialect: str, day: int, release: str = "v5.1", *, is_readable: bool = True):
    parsed = part_of(ENTRY).parsed
    if not is_readable:
        whole = RecordRejected(payload="summary.json", record="(whole file)", problem="cut off", remedy="r")
        parsed = Parsed(rejects=[whole], records_in=1)
    fetched_at = datetime(2026, 11, day, tzinfo=UTC)
    return write(root, Part(release, dialect, parsed), fetched_at=fetched_at, payload_sha256=f"{day}" * 32)


def test_the_last_part_of_a_round_and_form_counts_whatever_its_dialect(tmp_path):
    snap, live = tmp_path / "snapshot", tmp_path / "live"
    shipped = [of_day(snap, d, 20) for d in ("summary_list", "raw_tree")]
    shipped.append(of_day(snap, "raw_tree", 20, "v4.1"))
    landed = [of_day(live, "summary_csv", 10)]
    assert newest_parts([*shipped, *landed]) == [shipped[2], landed[0], shipped[1]]


def test_of_two_parts_the_younger_counts_and_one_that_could_not_be_read_never(tmp_path):
    good, young = of_day(tmp_path, "summary_list", 10), of_day(tmp_path, "summary_list", 12)
    bad = of_day(tmp_path, "summary_list", 11, is_readable=False)
    assert newest_parts([good, young]) == [young]
    assert newest_parts([good, bad]) == [good, bad]  # it is reported
    assert newest_parts([good, bad, young]) == [young]
