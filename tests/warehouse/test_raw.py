"""The raw layer: schema from the records, and parts that are whole or not there."""

from __future__ import annotations

import io
import json
from dataclasses import fields, replace
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.core.errors import RecordRejected
from ingest.core.records import Parsed
from ingest.core.source import Part
from ingest.mlperf.records import InferenceResult
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES
from warehouse.active import in_force
from warehouse.raw import INFERENCE_FAMILY, RESULTS, Account, Provenance, read_parts, schema, write_part

REJECTS, RECONCILIATION = INFERENCE_FAMILY.rejects, INFERENCE_FAMILY.reconciliation
TABLES = INFERENCE_FAMILY.tables

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
ENTRY = {
    "Submitter": "Universität",
    "Category": "closed",
    "Suite": "datacenter",
    "Platform": "box_x8",
    "UsedModel": "resnet50",
    "Model": "resnet",
    "Scenario": "Offline",
    "Location": "closed/U/results/box_x8/resnet50/Offline",
    "version": "v5.1",
    "Performance_Result": 371.423,
    "Performance_Units": "Samples/s",
    "a#": "",
    "Nodes": 2,
    "has_power": False,
}


def part_of(*entries: dict, release: str = "v5.1") -> Part:
    """What the parser makes of these entries, as the lake would call it."""
    payload = json.dumps(list(entries)).encode()
    members = [("summary_results.json", io.BytesIO(payload))]
    (part,) = MLPERF_SOURCES[MLPERF_INFERENCE].parts(members, key=release)
    return part


def write(root, part: Part, provenance: Provenance = PROVENANCE):
    return write_part(root, part, provenance, parts_in_payload=1)


class TestTheSchema:
    def test_optional_fields_are_nullable_and_the_others_are_not(self):
        found = {f.name: (f.type, f.nullable) for f in schema(InferenceResult)}
        assert found["release"] == (pa.string(), False)
        assert found["result"] == (pa.float64(), False)
        assert found["result_unit_published"] == (pa.string(), True)
        assert found["power"] == (pa.float64(), True)
        assert found["number_of_nodes"] == (pa.int64(), True)
        assert found["is_system_described"] == (pa.bool_(), False)
        assert found["is_inferred_published"] == (pa.bool_(), True)


class TestAPart:
    def test_rows_come_back_as_they_went_with_evidence_on_each(self, tmp_path):
        part = part_of(ENTRY, ENTRY | {"Scenario": "Server", "a#": 8})
        written = write(tmp_path, part)
        table = pq.read_table(written.path(RESULTS))
        assert table.schema.remove_metadata() == schema(InferenceResult)
        rows = table.to_pylist()
        assert [
            InferenceResult(**{f.name: r[f.name] for f in fields(InferenceResult)}) for r in rows
        ] == part.parsed.rows
        assert [Provenance(**{f.name: r[f.name] for f in fields(Provenance)}) for r in rows] == [
            PROVENANCE
        ] * 2
        assert [(r["submitter"], r["result"], r["accelerators_per_node"]) for r in rows] == [
            ("Universität", 371.423, None), ("Universität", 371.423, 8),
        ]  # fmt: skip

    def test_rejects_and_remarks_are_kept_apart_by_severity(self, tmp_path):
        tree = Parsed(records_in=1)
        tree.rejects.append(RecordRejected(payload="a/log.txt", record="Offline", problem="p", remedy="r"))
        tree.remarks.append(RecordRejected(payload="a/spl.txt", record="Server", problem="q", remedy="s"))
        written = write(tmp_path, Part("v5.1", "raw_tree", tree))
        rows = pq.read_table(written.path(REJECTS)).to_pylist()
        assert [(r["severity"], r["payload"], r["record"], r["problem"], r["remedy"]) for r in rows] == [
            ("reject", "a/log.txt", "Offline", "p", "r"), ("remark", "a/spl.txt", "Server", "q", "s"),
        ]  # fmt: skip
        assert (written.account.rejects, written.account.remarks, written.account.is_balanced) == (1, 1, True)

    def test_the_account_is_of_every_record(self, tmp_path):
        part = part_of(ENTRY, ENTRY, ENTRY | {"Suite": "?"}, ENTRY | {"Performance_Result": 2.0})
        account = write(tmp_path, part).account
        assert account == Account(
            release="v5.1",
            dialect="summary_list",
            records_in=4,
            rows_out=1,
            duplicates=1,
            merged=0,
            rejects=2,
            remarks=0,
            parts_in_payload=1,
        )
        assert account.is_balanced
        assert not replace(account, rows_out=0).is_balanced

    def test_an_empty_part_is_a_part(self, tmp_path):
        written = write(tmp_path, Part("v5.1", "raw_tree", Parsed()))
        assert [pq.read_table(written.path(t)).num_rows for t in TABLES] == [0, 0, 1]
        assert read_parts(tmp_path) == [written]

    def test_its_name_tells_source_round_or_key_payload_and_parser(self, tmp_path):
        of_round = write(tmp_path, Part("v5.1", "raw_tree", Parsed()))
        assert of_round.stem == "mlperf-inference__v5.1__raw_tree__abababababababab__p7"
        prices = replace(PROVENANCE, source="aws-price-list", payload_key="US East/1@2026-01-01")
        of_list = write(tmp_path, Part("", "prices", Parsed()), prices)
        assert of_list.stem == "aws-price-list__us-east-1@2026-01-01__prices__abababababababab__p7"

    def test_odd_text_and_large_counts_can_be_written(self, tmp_path):
        odd = ENTRY | {"System": "a\ud800b\x00", "Nodes": 10**30, "Notes": ["x"]}
        written = write(tmp_path, part_of(odd))
        (row,) = pq.read_table(written.path(RESULTS)).to_pylist()
        assert (row["system_name"], row["number_of_nodes"], row["notes"]) == ("a?b", None, "['x']")


class TestWritingStopsHalfWay:
    def broken(self) -> Part:
        """A part whose second table cannot be written: its reject holds what is no text."""
        part = part_of(ENTRY, ENTRY | {"Suite": "?"})
        part.parsed.rejects[0].problem = b"\xff"  # type: ignore[assignment]
        return part

    def test_a_part_without_its_account_is_no_part(self, tmp_path):
        with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError)):
            write(tmp_path, self.broken())
        assert len(list((tmp_path / RESULTS).glob("*.parquet"))) == 1
        assert read_parts(tmp_path) == []
        assert [p for p in tmp_path.rglob("*.tmp") if p.is_file()] == []


def unreadable() -> Parsed:
    whole = RecordRejected(
        payload="summary.json", record="(whole file)", problem="cut off", remedy="fetch it again"
    )
    return Parsed(rejects=[whole], records_in=1)


class TestInForce:
    def part(
        self,
        root,
        dialect: str,
        day: int,
        release: str = "v5.1",
        sha: str = "ab",
        *,
        is_readable: bool = True,
    ):
        provenance = replace(
            PROVENANCE, fetched_at=datetime(2026, 11, day, tzinfo=UTC), payload_sha256=sha * 32
        )
        parsed = part_of(ENTRY).parsed if is_readable else unreadable()
        return write_part(root, Part(release, dialect, parsed), provenance, parts_in_payload=1)

    def test_live_goes_before_snapshot_per_round_and_dialect_even_when_older(self, tmp_path):
        snap, live = tmp_path / "snapshot", tmp_path / "live"
        shipped = [self.part(snap, d, 20) for d in ("summary_list", "raw_tree")] + [
            self.part(snap, "raw_tree", 20, "v4.1")
        ]
        landed = [self.part(live, "summary_list", 10)]
        assert in_force(shipped, landed) == [shipped[2], shipped[1], landed[0]]

    def test_of_two_live_parts_the_younger_counts(self, tmp_path):
        old, young = (
            self.part(tmp_path, "raw_tree", 10, sha="aa"),
            self.part(tmp_path, "raw_tree", 11, sha="bb"),
        )
        assert in_force([], [young, old]) == [young]
        assert in_force([young, old], []) == [young]

    def test_a_part_that_could_not_be_read_leaves_the_good_one_its_place_and_is_reported(self, tmp_path):
        good = self.part(tmp_path / "snapshot", "summary_list", 10, sha="aa")
        bad = self.part(tmp_path / "live", "summary_list", 11, sha="bb", is_readable=False)
        mended = self.part(tmp_path / "live", "summary_list", 12, sha="cc")
        assert in_force([good], [bad]) == [good, bad]
        assert in_force([good], [bad, mended]) == [mended]
