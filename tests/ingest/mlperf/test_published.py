"""Summaries of v5.1, v6.0 and v6.1: every record becomes a row, a merged power figure or a named reject.

Expected values stand in the files MLCommons published; they are read here by `json` alone, or written out.
"""

from __future__ import annotations

import io
import json
import random
from collections import Counter

import pytest
from mlperf_payloads import V51, V61, as_json, explains, without

from ingest.core.errors import PayloadRejected, RecordRejected
from ingest.core.json_document import read_json
from ingest.core.records import Parsed
from ingest.mlperf.published import parse_summary
from ingest.mlperf.registry import MLPERF_INFERENCE, source_named

WHERE = "summary_results.json"


def parse(document, release="v5.1"):
    return parse_summary(as_json(document), where=WHERE, release=release)


def only_reject(entry, release="v5.1") -> RecordRejected:
    """The reject of an entry that stands between two good ones, which must survive."""
    first, last = V51 | {"Scenario": "Offline"}, V51 | {"Scenario": "Server"}
    parsed = parse([first, entry, last], release)
    assert [row.scenario for row in parsed.rows] == ["Offline", "Server"]
    assert (parsed.records_in, len(parsed.rejects)) == (3, 1)
    assert parsed.rejects[0].record == "[1]" and parsed.rejects[0].payload == WHERE
    return parsed.rejects[0]


@pytest.fixture(scope="module")
def v51_bytes(mlperf_data):
    return (mlperf_data / "inference_v5.1" / "summary_results.json").read_bytes()


@pytest.fixture(scope="module")
def v51_published(v51_bytes):
    return json.loads(v51_bytes)


@pytest.fixture(scope="module")
def v51(v51_bytes):
    return parse_summary(v51_bytes, where=WHERE, release="v5.1")


@pytest.fixture(scope="module")
def v61_bytes(mlperf_data):
    return (mlperf_data / "inference_v6.1_sample" / "summary.json").read_bytes()


class TestTheV51Summary:
    pytestmark = pytest.mark.xdist_group("mlperf_v51_summary")

    def test_1448_records_are_1448_rows(self, v51):
        assert (v51.records_in, len(v51.rows), len(v51.rejects)) == (1448, 1448, 0)
        assert (v51.duplicates, v51.merged) == (0, 0)

    def test_every_row_says_what_upstream_says(self, v51, v51_published):
        for row, entry in zip(v51.rows, v51_published, strict=True):
            assert (
                row.submission_id_published, row.submitter, row.division, row.suite_published, row.system_name,
                row.platform, row.model_published, row.benchmark_published, row.scenario, row.location,
                row.result, row.result_unit_published, row.power, row.power_unit_published,
            ) == (
                entry["ID"], entry["Submitter"], entry["Category"], entry["Suite"], entry["System"].strip(),
                entry["Platform"], entry["UsedModel"], entry["Model"], entry["Scenario"], entry["Location"],
                entry["Performance_Result"], entry["Performance_Units"],
                entry.get("Power_Result"), entry.get("Power_Units"),
            )  # fmt: skip
            assert row.accelerators_per_node == (entry["a#"] if entry["a#"] != "" else None)
            assert row.number_of_nodes == entry["Nodes"]
            assert row.is_inferred_published == bool(entry["inferred"])
            assert row.host_processor_core_count_published == (
                str(entry["host_processor_core_count"]) or None
            )

    def test_evidence_points_at_the_record(self, v51):
        assert (v51.rows[0].member, v51.rows[0].record) == (WHERE, "[0]")
        assert v51.rows[1447].record == "[1447]"
        assert {row.dialect for row in v51.rows} == {"summary_list"}
        assert {row.release for row in v51.rows} == {"v5.1"}

    def test_counts_of_the_round(self, v51):
        units = Counter(row.power_unit_published for row in v51.rows if row.power is not None)
        assert units == {"Watts": 16, "millijoules": 8}
        assert sum(row.has_power_published for row in v51.rows) == 24
        assert len({row.submission_id_published for row in v51.rows}) == 390
        assert sum(row.is_inferred_published for row in v51.rows) == 536

    def test_accelerator_counts_are_per_node_or_unknown_never_zero(self, v51):
        counts = [row.accelerators_per_node for row in v51.rows]
        assert 0 not in counts
        assert sum(row.accelerator_name_published is None for row in v51.rows) == 877
        unknown = [r for r in v51.rows if r.accelerator_name_published and r.accelerators_per_node is None]
        assert {(r.submitter, r.platform) for r in unknown} == {("Lenovo", "se100_ultra7_255h")}
        assert len(unknown) == 3

    def test_the_first_row_by_hand(self, v51):
        row = v51.rows[0]
        assert (row.submission_id_published, row.platform, row.scenario) == (
            "5.1-0001", "8xMI300X_2xEPYC_9575F", "Interactive",
        )  # fmt: skip
        assert (row.result, row.result_published, row.result_unit_published) == (
            8840.42,
            "8840.42",
            "Tokens/s",
        )
        assert (row.number_of_nodes, row.accelerators_per_node, row.total_accelerators_published) == (
            1,
            8,
            None,
        )
        assert row.tokens_per_sample == 301.1
        assert row.notes is None
        assert row.source_url == (
            "https://github.com/mlcommons/inference_results_v5.1/tree/main/"
            "closed/AMD/results/8xMI300X_2xEPYC_9575F/llama2-70b-99/Interactive"
        )

    def test_the_72_gpu_rack_is_18_nodes_of_4(self, v51):
        (row,) = [
            r
            for r in v51.rows
            if r.platform.startswith("GB200-NVL72") and r.number_of_nodes == 18
            and (r.division, r.benchmark_published, r.scenario) == ("closed", "deepseek-r1", "Offline")
        ]  # fmt: skip
        assert (row.result, row.number_of_nodes, row.accelerators_per_node) == (289712.0, 18, 4)

    def test_500_mutations_of_real_entries_never_raise_and_never_lose_a_record(self, v51_published):
        chance = random.Random(20261120)
        swaps = [None, "", "N/A", 0, -1, True, [], {}, [1, {"a": None}], "1,234.5", float("nan"), 1e308, 10**30, "\ud800",
                 "\x00"]  # fmt: skip
        for n in range(500):
            entries = []
            for entry in chance.sample(v51_published, 4):
                mutated = dict(entry)
                for key in chance.sample(sorted(entry), chance.randint(1, 4)):
                    if chance.random() < 0.5:
                        del mutated[key]
                    else:
                        mutated[key] = chance.choice(swaps)
                entries += [mutated, entry] if chance.random() < 0.5 else [mutated]
            entries.append(chance.choice([*swaps, "text", 7]))
            parsed = parse(entries)
            out = len(parsed.rows) + len(parsed.rejects) + parsed.duplicates + parsed.merged
            assert parsed.records_in == len(entries) == out, f"mutation {n}"
            assert all(explains(reject) for reject in parsed.rejects)
            assert all(row.result > 0 for row in parsed.rows)


class TestTheV61Sample:
    def test_every_entry_of_the_object_is_a_row_whatever_its_key(self, v61_bytes):
        parsed = parse_summary(v61_bytes, where="summary.json", release="v6.1")
        assert (parsed.records_in, len(parsed.rows), len(parsed.rejects)) == (14, 14, 0)
        keys = ["0", "1", "2", "3", "4", "6", "7", "8", "9", "10", "297", "301", "303", "304"]
        assert [row.record for row in parsed.rows] == [f"['{k}']" for k in keys]
        for row, entry in zip(parsed.rows, json.loads(v61_bytes).values(), strict=True):
            assert row.dialect == "summary_dict"
            assert (row.submitter, row.model_published, row.benchmark_published, row.result) == (
                entry["Organization"], entry["Model"], entry["MlperfModel"], entry["Result"],
            )  # fmt: skip
            assert row.result_unit_published == entry["Units"]
            assert row.total_accelerators_published == entry["total_accelerators"]
            assert row.software == entry["framework"].strip()

    def test_model_is_the_old_used_model(self, v61_bytes):
        rows = {r.record: r for r in parse_summary(v61_bytes, where="summary.json", release="v6.1").rows}
        video = rows["['3']"]
        assert (video.model_published, video.benchmark_published) == ("wan-2.2-t2v-a14b", "text_to_video")
        assert (video.result, video.result_unit_published) == (20.603024726, "Latency (s)")
        assert video.scenario == "SingleStream"

    def test_the_288_gpu_system(self, v61_bytes):
        rows = {r.record: r for r in parse_summary(v61_bytes, where="summary.json", release="v6.1").rows}
        row = rows["['304']"]
        assert (row.number_of_nodes, row.accelerators_per_node, row.total_accelerators_published) == (
            72,
            4,
            288,
        )
        assert (
            row.location
            == "closed/NVIDIA/results/GB300-NVL72_GB300-288GB_aarch64x288_TRT/deepseek-r1/Offline"
        )
        assert row.scenario_published == "Offline" and row.result == 2705130.0

    def test_an_accuracy_that_is_a_bare_number(self, v61_bytes):
        rows = {r.record: r for r in parse_summary(v61_bytes, where="summary.json", release="v6.1").rows}
        assert rows["['303']"].accuracy_published == "0.7027881259253183"
        assert rows["['303']"].tokens_per_sample is None
        assert rows["['303']"].is_inferred_published is True

    @pytest.mark.parametrize(
        ("unit", "figure"), [("Watts", 412345.6), ("millijoules", 88.25)], ids=["watts", "millijoules"]
    )
    @pytest.mark.parametrize("order", [1, -1], ids=["power_after", "power_before"])
    def test_a_power_record_is_merged_into_its_result(self, unit, figure, order):
        watts = V61 | {"Result": figure, "Units": unit}
        parsed = parse(dict(zip("01", [V61, watts][::order], strict=True)), "v6.1")
        (row,) = parsed.rows
        assert (parsed.records_in, parsed.merged, parsed.rejects) == (2, 1, [])
        assert (row.result, row.result_unit_published) == (2705130.0, "Tokens/s")
        assert (row.power, row.power_unit_published) == (figure, unit)

    def test_power_without_its_result_is_rejected(self):
        other = V61 | {"Scenario": "Server", "Result": 412345.6, "Units": "Watts"}
        parsed = parse({"0": V61, "1": other}, "v6.1")
        assert [r.power for r in parsed.rows] == [None]
        assert explains(parsed.rejects[0], WHERE, "['1']", "power reading without a result")

    @pytest.mark.parametrize("figure", [None, "N/A", 0, -3.0])
    def test_a_power_record_without_a_figure_is_rejected_and_its_result_survives(self, figure):
        parsed = parse({"0": V61, "1": V61 | {"Result": figure, "Units": "Watts"}}, "v6.1")
        assert [r.power for r in parsed.rows] == [None]
        assert explains(parsed.rejects[0], "['1']", repr(figure))


class TestAV60List:
    """v6.0: the list of v5.1 with `Total Accelerators`, other compliance words and longer locations."""

    ENTRY = V51 | {
        "version": "v6.0",
        "Nodes": 11,
        "a#": 8,
        "Total Accelerators": 87,
        "Platform": "87xMI355X_2xEPYC_9575F",
        "compliance": "closed",
        "Location": "./closed/AMD/results/87xMI355X_2xEPYC_9575F/llama2-70b-99/interactive/performance/run_1",
        "Scenario": "interactive",
        "inferred": 1,
    }

    def test_the_total_and_the_lower_case_scenario(self):
        (row,) = parse([self.ENTRY], "v6.0").rows
        assert (row.number_of_nodes, row.accelerators_per_node, row.total_accelerators_published) == (
            11,
            8,
            87,
        )
        assert (row.scenario, row.scenario_published) == ("Interactive", "interactive")
        assert row.location == "closed/AMD/results/87xMI355X_2xEPYC_9575F/llama2-70b-99/interactive"
        assert (row.release, row.dialect, row.compliance_published) == ("v6.0", "summary_list", "closed")

    def test_a_cpu_system_keeps_its_zero(self):
        (row,) = parse([self.ENTRY | {"Total Accelerators": 0, "a#": "", "Accelerator": ""}], "v6.0").rows
        assert (row.total_accelerators_published, row.accelerators_per_node) == (0, None)
        assert row.accelerator_name_published is None


class TestAPayloadThatIsNone:
    @pytest.mark.parametrize(
        "payload",
        [
            json.dumps([V51]).encode()[:-1], b"\xef\xbb\xbf<html>503", b" \n\t", b'[{"Submitter": "Universit\xe4t"}]',
            json.dumps([V51]).encode("utf-16"), b'[{"Performance_Result": ' + b"9" * 5000 + b"}]", b"[" * 100_000,
            b'"text"', b"null",
        ],
        ids=["truncated", "html", "blank", "latin1", "utf16", "endless_number", "endless_nesting", "string", "null"],
    )  # fmt: skip
    def test_is_rejected_whole(self, payload):
        with pytest.raises(PayloadRejected) as e:
            parse_summary(payload, where="landing/v5.1.json", release="v5.1")
        assert e.value.payload == "landing/v5.1.json" and e.value.remedy

    def test_a_byte_order_mark_is_no_harm(self):
        parsed = parse_summary(b"\xef\xbb\xbf" + as_json([V51]), where=WHERE, release="v5.1")
        assert [row.result for row in parsed.rows] == [8840.42]
        assert read_json(b"\xef\xbb\xbf[1]", "x") == [1]

    @pytest.mark.parametrize(
        ("name", "payload"),
        [
            ("summary_results.json", b"[]"),
            ("summary.json", b" {}\n"),
            ("summary.csv", b"Organization,Division,Result\n"),
            ("results_read_singly.csv", b"release,result\n"),
        ],
    )
    def test_a_summary_without_a_result_says_so(self, name, payload):
        """Beside the logs of its tree, which still count."""
        members = [(name, io.BytesIO(payload)), ("closed/A/systems/x.json", io.BytesIO(b"{}"))]
        summary, *_ = source_named(MLPERF_INFERENCE).parse(members, key="v5.1")
        (reject,) = summary.parsed.rejects
        assert summary.parsed.records_in == 1
        assert explains(reject, name, "(whole file)", "is a summary without a single result")


class TestARecordThatIsNone:
    NUMBERS = (
        "N/A",
        "",
        None,
        "1,234.5",
        "1_234",
        True,
        [8840.42],
        -1,
        0,
        "0",
        float("inf"),
        float("nan"),
        "NaN",
    )
    NAMES = (
        "Submitter",
        "Category",
        "Suite",
        "Platform",
        "UsedModel",
        "Model",
        "Scenario",
        "Location",
        "version",
    )

    @pytest.mark.parametrize(
        ("change", "names"),
        [
            *(({"Performance_Result": number}, repr(number)) for number in NUMBERS),
            ({"Power_Result": -5.0, "Power_Units": "Watts"}, "power is -5.0"),
            *(({name: "  "}, f"lacks {name}") for name in NAMES),
            ({"version": "v5.0"}, "is of v5.0, not v5.1"),
            ({"version": "latest"}, "'latest'"),
            ({"Category": "Ajar"}, "division 'ajar'"),
            ({"Suite": "mobile"}, "suite 'mobile'"),
        ],
    )
    def test_is_rejected_by_what_it_says(self, change, names):
        assert explains(only_reject(V51 | change), names)

    @pytest.mark.parametrize("key", ["Performance_Result", "Submitter"])
    def test_lacks_a_key(self, key):
        assert explains(only_reject(without(V51, key)), key)
        assert explains(only_reject(V51 | {key: None}), key if key == "Submitter" else "None")

    @pytest.mark.parametrize("entry", [None, "5.1-0001", 7, [V51], True])
    def test_is_no_object(self, entry):
        assert explains(only_reject(entry), f"is a {type(entry).__name__}, not an object")


class TestARecordThatIsOneAllTheSame:
    @pytest.mark.parametrize("scenario", ["Interactiv", "TEST01", "Multi Stream Free", 3])
    def test_an_unknown_scenario_keeps_its_words(self, scenario):
        (row,) = parse([V51 | {"Scenario": scenario}]).rows
        assert (row.scenario, row.scenario_published) == (f"unmapped:{scenario}", str(scenario))
        assert row.result == 8840.42

    def test_unknown_units_models_and_keys_do_not_cost_the_row(self):
        entry = V51 | {
            "Performance_Units": "Frames/s", "Model": "llama7", "Accelerator": None, "a#": None, "new key": {"a": [1]},
        }  # fmt: skip
        (row,) = parse([entry]).rows
        assert (row.result_unit_published, row.benchmark_published) == ("Frames/s", "llama7")
        assert (row.accelerator_name_published, row.accelerators_per_node) == (None, None)

    @pytest.mark.parametrize("result", ["8840.42", " 8840.42 ", 8840.42])
    def test_numbers_may_be_text(self, result):
        (row,) = parse([V51 | {"Performance_Result": result, "Nodes": "2", "a#": "8"}]).rows
        assert (row.result, row.number_of_nodes, row.accelerators_per_node) == (8840.42, 2, 8)

    @pytest.mark.parametrize(
        ("count", "published"), [("", None), ("N/A", "N/A"), (None, None), (" ", None), ("7.5", "7.5")]
    )
    def test_an_accelerator_count_that_is_none_is_unknown_not_zero(self, count, published):
        (row,) = parse([V51 | {"a#": count}]).rows
        assert row.accelerators_per_node is None
        assert row.accelerators_per_node_published == published

    def test_optional_keys_may_be_missing(self):
        needed = {
            "Submitter", "Category", "Suite", "Platform", "UsedModel", "Model", "Scenario", "Location", "version",
            "Performance_Result",
        }  # fmt: skip
        (row,) = parse([{k: v for k, v in V51.items() if k in needed}]).rows
        assert row.result == 8840.42
        unknown = (
            row.number_of_nodes, row.accelerators_per_node, row.accelerator_name_published, row.availability,
            row.result_unit_published, row.power, row.is_inferred_published, row.has_power_published, row.tokens_per_sample,
        )  # fmt: skip
        assert set(unknown) == {None}

    @pytest.mark.parametrize(
        ("suite", "expected"), [("datacenter, edge", "datacenter,edge"), ("Edge", "edge")]
    )
    def test_a_suite_may_be_double_and_of_any_case(self, suite, expected):
        (row,) = parse([V51 | {"Suite": suite}]).rows
        assert row.suite_published == expected

    def test_an_unusable_optional_power_is_no_power(self):
        (row,) = parse([V51 | {"Power_Result": "N/A", "Power_Units": "Watts"}]).rows
        assert (row.result, row.power, row.power_unit_published) == (8840.42, None, None)

    def test_half_a_surrogate_pair_is_replaced_so_that_the_row_can_be_stored(self):
        payload = (
            as_json([V51]).replace(b"Supermicro", b"Super\\ud800micro").replace(b'"AMD"', b'"AM\\udfffD"')
        )
        (row,) = parse_summary(payload, where=WHERE, release="v5.1").rows
        assert (row.system_name, row.submitter) == ("Super?micro AS-8125GS-TNMR2", "AM?D")


class TestCopies:
    def test_identical_records_are_one_row_and_a_duplicate(self):
        parsed = parse([V51, V51, V51])
        assert (parsed.records_in, len(parsed.rows), parsed.duplicates, parsed.rejects) == (3, 1, 2, [])
        assert parsed.rows[0].record == "[0]"

    def test_a_contradicting_copy_is_rejected_naming_both_and_the_fields(self):
        parsed = parse([V51, V51 | {"Performance_Result": 9000.0, "Nodes": 2}])
        assert [row.result for row in parsed.rows] == [8840.42]
        (reject,) = parsed.rejects
        assert explains(reject, "[1]", f"contradicts {WHERE}[0]", "number_of_nodes", "result")

    def test_a_net_of_its_own_is_a_result_of_its_own(self):
        parsed = parse([V51, V51 | {"UsedModel": "llama2-7b"}])
        assert (len(parsed.rows), parsed.duplicates, parsed.rejects) == (2, 0, [])

    def test_the_scenario_s_letter_case_makes_no_other_result(self):
        parsed = parse([V51, V51 | {"Scenario": "interactive"}])
        assert (len(parsed.rows), len(parsed.rejects)) == (1, 1)
        assert explains(parsed.rejects[0], "scenario_published")


class TestTheBalance:
    def test_a_lost_record_is_our_defect_and_fails(self):
        lost = Parsed(rows=[], rejects=[], records_in=1)
        assert not lost.is_balanced
        with pytest.raises(AssertionError, match=r"v5\.1"):
            lost.checked("v5.1")


def test_an_object_that_holds_a_key_twice_is_not_read_as_if_it_did_not():
    with pytest.raises(PayloadRejected, match="'7' occurs twice"):
        parse_summary(b'{"7": {}, "8": {}, "7": {}}', where="summary.json", release="v6.1")
