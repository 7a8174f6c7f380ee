"""Summaries as tables: the whole round v6.1 in chosen columns, and the official form with all of them."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest
from mlperf_payloads import explains

from ingest.core.errors import PayloadRejected
from ingest.mlperf.published import parse_summary
from ingest.mlperf.registry import MLPERF_INFERENCE, source_named, summary_name
from ingest.mlperf.summary_csv import is_summary_csv, parse_summary_csv

WHERE = "summary.csv"
# header of summary.csv in mlcommons/inference_results_v6.1
OFFICIAL = [
    "Organization",
    "Availability",
    "Division",
    "SystemType",
    "SystemName",
    "Platform",
    "Model",
    "MlperfModel",
    "Scenario",
    "Result",
    "Accuracy",
    "number_of_nodes",
    "host_processor_model_name",
    "host_processors_per_node",
    "host_processor_core_count",
    "accelerator_model_name",
    "accelerators_per_node",
    "total_accelerators",
    "Location",
    "framework",
    "operating_system",
    "notes",
    "compliance",
    "errors",
    "version",
    "inferred",
    "has_power",
    "Units",
    "weight_data_types",
    "design_power_watts",
    "PrivateID",
]


@pytest.fixture(scope="module")
def core_bytes(mlperf_data):
    return (mlperf_data / "inference_v6.1" / "summary_core.csv").read_bytes()


@pytest.fixture(scope="module")
def sample(mlperf_data):
    return json.loads((mlperf_data / "inference_v6.1_sample" / "summary.json").read_bytes())


def official(entries) -> bytes:
    """A table as upstream's exporter writes it: every value quoted."""
    lines = [",".join(OFFICIAL)]
    lines += [
        ",".join(f'"{"" if entry[name] is None else entry[name]}"' for name in OFFICIAL) for entry in entries
    ]
    return ("\n".join(lines) + "\n").encode()


class TestTheWholeRoundInChosenColumns:
    def test_492_records_are_492_rows(self, core_bytes):
        dialect, parsed = parse_summary_csv(core_bytes, where=WHERE, release="v6.1")
        assert dialect.name == "summary_core"
        assert (parsed.records_in, len(parsed.rows), parsed.rejects, parsed.duplicates) == (492, 492, [], 0)
        assert {row.provenance_note for row in parsed.rows} == {"copied from summary.csv, chosen columns"}

    def test_every_row_says_what_the_table_says(self, core_bytes):
        _, parsed = parse_summary_csv(core_bytes, where=WHERE, release="v6.1")
        table = csv.DictReader(io.StringIO(core_bytes.decode()))
        for row, line in zip(parsed.rows, table, strict=True):
            assert (row.submitter, row.platform, row.model_published, row.benchmark_published) == (
                line["Organization"], line["Platform"], line["Model"], line["MlperfModel"],
            )  # fmt: skip
            assert (row.result, row.result_unit_published) == (float(line["Result"]), line["Units"])
            assert row.total_accelerators_published == int(line["total_accelerators"])
            assert row.tokens_per_sample == (
                float(line["TokensPerSample"]) if line["TokensPerSample"] else None
            )
            assert (row.accuracy_published, row.is_inferred_published) == (None, line["inferred"] == "1")

    def test_it_agrees_with_the_json_form_where_both_are_at_hand(self, core_bytes, sample):
        _, table = parse_summary_csv(core_bytes, where=WHERE, release="v6.1")
        by_location = {row.location: row for row in table.rows}
        json_rows = parse_summary(json.dumps(sample).encode(), where="summary.json", release="v6.1").rows
        assert len(json_rows) == 14
        for row in json_rows:
            other = by_location[row.location]
            for name in (
                "submitter",
                "result_unit_published",
                "scenario",
                "accelerators_per_node",
                "software",
            ):
                assert getattr(other, name) == getattr(row, name), (row.location, name)
            # the two files of upstream round differently in the eleventh digit
            assert other.result == pytest.approx(row.result, rel=1e-10)
            assert other.tokens_per_sample == pytest.approx(row.tokens_per_sample)
            assert other.source_url == row.source_url

    def test_scenarios_in_lower_case_are_known(self, core_bytes):
        _, parsed = parse_summary_csv(core_bytes, where=WHERE, release="v6.1")
        assert Counter(row.scenario for row in parsed.rows)["MultiStream"] == 5

    def test_best_deepseek_r1_offline_per_accelerator(self, core_bytes):
        _, parsed = parse_summary_csv(core_bytes, where=WHERE, release="v6.1")
        best: dict[str, float] = {}
        for row in parsed.rows:
            if (row.division, row.benchmark_published, row.scenario) == ("closed", "deepseek-r1", "Offline"):
                name = row.accelerator_name_published
                best[name] = max(best.get(name, 0), row.result / row.total_accelerators_published)
        assert best["NVIDIA Vera Rubin"] == pytest.approx(16435.1, abs=0.05)
        assert best["NVIDIA GB300"] == pytest.approx(9629.0, abs=0.05)


class TestTheOfficialForm:
    def test_the_table_and_the_object_give_the_same_rows(self, sample):
        dialect, table = parse_summary_csv(official(sample.values()), where=WHERE, release="v6.1")
        objects = parse_summary(json.dumps(sample).encode(), where=WHERE, release="v6.1")
        assert dialect.name == "summary_csv"
        differing = {
            name
            for a, b in zip(table.rows, objects.rows, strict=True)
            for name in vars(a)
            if getattr(a, name) != getattr(b, name) and name not in ("dialect", "record")
        }
        assert differing == set()

    def test_a_note_that_breaks_its_line_is_one_reject(self, sample):
        entries = list(sample.values())[:3]
        entries[1] = entries[1] | {"notes": 'the "new", faster one'}
        _, parsed = parse_summary_csv(official(entries), where=WHERE, release="v6.1")
        assert (parsed.records_in, len(parsed.rows)) == (3, 2)
        assert explains(parsed.rejects[0], "[2]", "columns, the header has 31")

    @pytest.mark.parametrize("payload", [b"", b"a,b\n1,2\n", b"\xff\xfeO"])
    def test_what_is_no_summary_is_rejected(self, payload):
        with pytest.raises(PayloadRejected):
            parse_summary_csv(payload, where=WHERE, release="v6.1")


class TestAsAPayload:
    def test_a_lone_file_is_named_by_its_content(self, core_bytes):
        assert is_summary_csv(core_bytes) and is_summary_csv(b"\xef\xbb\xbf" + core_bytes)
        assert summary_name(core_bytes) == "summary.csv"
        assert (summary_name(b' {"0": {}}'), summary_name(b"[]")) == ("summary.json", "summary_results.json")

    def test_each_form_is_a_part_of_its_own(self, core_bytes, sample):
        source = source_named(MLPERF_INFERENCE)
        (core,) = source.parts([("", io.BytesIO(core_bytes))], key="v6.1")
        assert (core.dialect, len(core.parsed.rows)) == ("summary_core", 492)
        members = [("summary.csv", official(sample.values())), ("summary.json", json.dumps(sample).encode())]
        parts = source.parts([(name, io.BytesIO(content)) for name, content in members], key="v6.1")
        assert [(p.dialect, len(p.parsed.rows)) for p in parts] == [("summary_dict", 14), ("summary_csv", 14)]

    def test_a_table_that_cannot_be_read_is_one_reject(self):
        source = source_named(MLPERF_INFERENCE)
        (part,) = source.parts([("summary.csv", io.BytesIO(b"a,b\n1,2\n"))], key="v6.1")
        assert (part.dialect, part.parsed.records_in, len(part.parsed.rejects)) == ("summary_csv", 1, 1)
