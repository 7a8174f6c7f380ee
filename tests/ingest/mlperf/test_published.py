"""Summaries of v5.1, v6.0 and v6.1: every record becomes a row, a merged power figure or a named reject.

Expected values stand in the files MLCommons published; they are read here by `json` alone, or written out.
"""

from __future__ import annotations

import io
import json
import random
from collections import Counter

import pytest
from mlperf_payloads import V51, V61, as_json, explains, has, without

from ingest.core.errors import PayloadRejected
from ingest.core.records import Parsed
from ingest.mlperf.published import parse_summary
from ingest.mlperf.registry import MLPERF_INFERENCE, MLPERF_SOURCES

WHERE = "summary_results.json"


def parse(document, release="v5.1"):
    return parse_summary(as_json(document), where=WHERE, release=release)


def only(document, release="v5.1"):
    (row,) = parse(document, release).rows
    return row


@pytest.mark.xdist_group("mlperf_v51_summary")
class TestTheV51Summary:
    def test_every_record_is_a_row_with_upstream_s_words(self, v51_summary, v51_published):
        assert has(v51_summary, records_in=1448, rejects=[], duplicates=0, merged=0)
        for i, (row, entry) in enumerate(zip(v51_summary.rows, v51_published, strict=True)):
            assert has(
                row,
                release="v5.1",
                dialect="summary_list",
                member=WHERE,
                record=f"[{i}]",
                submission_id_published=entry["ID"],
                submitter=entry["Submitter"],
                division=entry["Category"],
                suite_published=entry["Suite"],
                system_name=entry["System"].strip(),
                platform=entry["Platform"],
                model_published=entry["UsedModel"],
                benchmark_published=entry["Model"],
                scenario=entry["Scenario"],
                location=entry["Location"],
                result=entry["Performance_Result"],
                result_published=str(entry["Performance_Result"]),
                result_unit_published=entry["Performance_Units"],
                power=entry.get("Power_Result"),
                power_unit_published=entry.get("Power_Units"),
                accelerators_per_node=entry["a#"] if entry["a#"] != "" else None,
                accelerators_per_node_published=str(entry["a#"]) or None,
                number_of_nodes=entry["Nodes"],
                availability=entry["Availability"].lower(),
                software=entry["Software"].strip() or None,
                notes=entry["Notes"].strip() or None,
                is_inferred_published=bool(entry["inferred"]),
                has_power_published=entry["has_power"],
                host_processor_core_count_published=str(entry["host_processor_core_count"]) or None,
            )

    def test_counts_of_the_round(self, v51_summary):
        """As the facts on the round state them."""
        rows = v51_summary.rows
        assert Counter(r.power_unit_published for r in rows if r.power) == {"Watts": 16, "millijoules": 8}
        assert len({r.submission_id_published for r in rows}) == 390
        assert sum(r.accelerator_name_published is None for r in rows) == 877
        # a count that is not stated is unknown, never 0
        unknown = [r for r in rows if r.accelerator_name_published and not r.accelerators_per_node]
        assert Counter((r.submitter, r.platform, r.accelerators_per_node) for r in unknown) == {
            ("Lenovo", "se100_ultra7_255h", None): 3
        }

    def test_the_first_row_by_hand(self, v51_summary):
        location = "closed/AMD/results/8xMI300X_2xEPYC_9575F/llama2-70b-99/Interactive"
        assert has(
            v51_summary.rows[0],
            result=8840.42,
            number_of_nodes=1,
            accelerators_per_node=8,
            total_accelerators_published=None,
            tokens_per_sample=301.1,
            source_url=f"https://github.com/mlcommons/inference_results_v5.1/tree/main/{location}",
        )

    def test_mutations_of_real_entries_never_raise_and_never_lose_a_record(self, v51_published):
        chance = random.Random(20261120)
        swaps = [None, "", "N/A", 0, -1, True, [], {}, [1, {"a": None}], "1,234.5", float("nan"), 1e308, 10**30, "\ud800",
                 "\x00"]  # fmt: skip
        for n in range(300):
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
            assert parsed.is_balanced and parsed.records_in == len(entries), f"mutation {n}"
            assert all(explains(reject) for reject in parsed.rejects)
            assert all(row.result > 0 for row in parsed.rows)


class TestTheV61Sample:
    def test_every_entry_of_the_object_is_a_row_whatever_its_key(self, v61_sample):
        parsed = parse(v61_sample, "v6.1")
        assert parsed.records_in == 14 and not parsed.rejects
        for row, (key, entry) in zip(parsed.rows, v61_sample.items(), strict=True):
            assert has(
                row,
                dialect="summary_dict",
                record=f"['{key}']",
                submitter=entry["Organization"],
                # `Model` flips its meaning in v6.1: it is the old `UsedModel`
                model_published=entry["Model"],
                benchmark_published=entry["MlperfModel"],
                result=entry["Result"],
                result_unit_published=entry["Units"],
                number_of_nodes=entry["number_of_nodes"],
                total_accelerators_published=entry["total_accelerators"],
                software=entry["framework"].strip(),
                location=entry["Location"].removeprefix("./").removesuffix("/performance/run_1"),
            )

    def test_an_accuracy_that_is_a_bare_number(self, v61_sample):
        row = next(r for r in parse(v61_sample, "v6.1").rows if r.record == "['303']")
        assert has(row, accuracy_published="0.7027881259253183", tokens_per_sample=None)
        assert row.is_inferred_published is True

    @pytest.mark.parametrize(("unit", "figure"), [("Watts", 412345.6), ("millijoules", 88.25)])
    @pytest.mark.parametrize("order", [1, -1], ids=["power_after", "power_before"])
    def test_a_power_record_is_merged_into_its_result(self, unit, figure, order):
        watts = V61 | {"Result": figure, "Units": unit}
        parsed = parse(dict(zip("01", [V61, watts][::order], strict=True)), "v6.1")
        assert has(parsed, records_in=2, merged=1, rejects=[])
        (row,) = parsed.rows
        assert has(row, result=2705130.0, result_unit_published="Tokens/s")
        assert has(row, power=figure, power_unit_published=unit)

    @pytest.mark.parametrize(
        ("change", "problem"),
        [
            ({"Scenario": "Server", "Result": 412345.6}, "power reading without a result"),
            *(({"Result": figure}, repr(figure)) for figure in (None, "N/A", 0, -3.0)),
        ],
    )
    def test_power_without_a_result_or_a_figure_is_rejected_and_the_result_survives(self, change, problem):
        parsed = parse({"0": V61, "1": V61 | {"Units": "Watts"} | change}, "v6.1")
        assert [r.power for r in parsed.rows] == [None]
        assert explains(parsed.rejects[0], WHERE, "['1']", problem)


def test_a_v60_list_has_a_total_and_lower_case_scenarios():
    place = "closed/AMD/results/87xMI355X_2xEPYC_9575F/llama2-70b-99/interactive"
    entry = V51 | {
        "version": "v6.0", "Nodes": 11, "a#": 8, "Total Accelerators": 87, "compliance": "closed",
        "Location": f"./{place}/performance/run_1", "Scenario": "interactive",
    }  # fmt: skip
    row = only([entry], "v6.0")
    assert has(row, number_of_nodes=11, accelerators_per_node=8, total_accelerators_published=87)
    assert has(row, scenario="Interactive", scenario_published="interactive", location=place)
    assert has(row, release="v6.0", dialect="summary_list", compliance_published="closed")
    # a CPU system keeps its zero
    cpu = only([entry | {"Total Accelerators": 0, "a#": "", "Accelerator": ""}], "v6.0")
    assert has(
        cpu, total_accelerators_published=0, accelerators_per_node=None, accelerator_name_published=None
    )


@pytest.mark.parametrize(
    "payload",
    [
        json.dumps([V51]).encode()[:-1], b"\xef\xbb\xbf<html>503", b" \n\t", b'[{"Submitter": "Universit\xe4t"}]',
        json.dumps([V51]).encode("utf-16"), b'[{"Performance_Result": ' + b"9" * 5000 + b"}]", b"[" * 100_000,
        b'"text"', b"null", b'{"7": {}, "8": {}, "7": {}}',
    ],
    ids=["truncated", "html", "blank", "latin1", "utf16", "endless_number", "endless_nesting", "string", "null", "twice"],
)  # fmt: skip
def test_a_payload_that_is_none_is_rejected_whole(payload):
    with pytest.raises(PayloadRejected) as e:
        parse_summary(payload, where="landing/v5.1.json", release="v5.1")
    assert e.value.payload == "landing/v5.1.json" and e.value.remedy


def test_a_byte_order_mark_is_no_harm():
    parsed = parse_summary(b"\xef\xbb\xbf" + as_json([V51]), where=WHERE, release="v5.1")
    assert [row.result for row in parsed.rows] == [8840.42]


@pytest.mark.parametrize(
    ("name", "payload", "problem"),
    [
        ("summary_results.json", b"[]", "is a summary without a single result"),
        ("summary.json", b" {}\n", "is a summary without a single result"),
        ("summary.csv", b"Organization,Division,Result\n", "is a summary without a single result"),
        ("results_read_singly.csv", b"release,result\n", "names no columns"),
    ],
)
def test_a_summary_without_a_result_says_so(name, payload, problem):
    """Beside the logs of its tree, which still count."""
    members = [(name, io.BytesIO(payload)), ("closed/A/systems/x.json", io.BytesIO(b"{}"))]
    summary, *_ = MLPERF_SOURCES[MLPERF_INFERENCE].parse(members, key="v5.1")
    (reject,) = summary.parsed.rejects
    assert summary.parsed.records_in == 1 and explains(reject, name, "(whole file)", problem)


NUMBERS = (
    "N/A", "", None, "1,234.5", "1_234", True, [8840.42], -1, 0, "0", float("inf"), float("nan"), "NaN",
)  # fmt: skip
NAMES = (
    "Submitter", "Category", "Suite", "Platform", "UsedModel", "Model", "Scenario", "Location", "version",
)  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        *((V51 | {"Performance_Result": number}, repr(number)) for number in NUMBERS),
        (V51 | {"Power_Result": -5.0, "Power_Units": "Watts"}, "power is -5.0"),
        *((V51 | {name: "  "}, f"lacks {name}") for name in NAMES),
        (without(V51, "Submitter"), "lacks Submitter"),
        (without(V51, "Performance_Result"), "has no Performance_Result"),
        (V51 | {"version": "v5.0"}, "is of v5.0, not v5.1"),
        (V51 | {"version": "latest"}, "'latest'"),
        (V51 | {"Category": "Ajar"}, "division 'ajar'"),
        (V51 | {"Suite": "mobile"}, "suite 'mobile'"),
        *((entry, f"is a {type(entry).__name__}") for entry in (None, "5.1-0001", 7, [V51], True)),
    ],
)
def test_a_record_that_is_none_is_named_and_its_neighbours_survive(entry, problem):
    parsed = parse([V51 | {"Scenario": "Offline"}, entry, V51 | {"Scenario": "Server"}])
    assert [row.scenario for row in parsed.rows] == ["Offline", "Server"] and parsed.records_in == 3
    (reject,) = parsed.rejects
    assert explains(reject, WHERE, "[1]", problem)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        *(
            ({"Scenario": s}, {"scenario": f"unmapped:{s}", "scenario_published": str(s), "result": 8840.42})
            for s in ("Interactiv", "TEST01", "Multi Stream Free", 3)
        ),
        ({"Performance_Units": "Frames/s", "new key": {"a": [1]}}, {"result_unit_published": "Frames/s"}),
        ({"Model": "llama7"}, {"benchmark_published": "llama7"}),
        ({"Performance_Result": " 8840.42 ", "Nodes": "2", "a#": "8"}, {"result": 8840.42, "number_of_nodes": 2}),
        *(
            ({"a#": count}, {"accelerators_per_node": None, "accelerators_per_node_published": published})
            for count, published in [("", None), ("N/A", "N/A"), (None, None), (" ", None), ("7.5", "7.5")]
        ),
        ({"Suite": "datacenter, edge"}, {"suite_published": "datacenter,edge"}),
        ({"Suite": "Edge"}, {"suite_published": "edge"}),
        ({"Power_Result": "N/A", "Power_Units": "Watts"}, {"power": None, "power_unit_published": None}),
        # half a surrogate pair cannot be stored
        ({"System": "Super\ud800micro", "Submitter": "AM\udfffD"}, {"system_name": "Super?micro", "submitter": "AM?D"}),
    ],
)  # fmt: skip
def test_a_record_of_odd_words_is_a_row_all_the_same(change, expected):
    assert has(only([V51 | change]), **expected)


def test_optional_keys_may_be_missing():
    row = only([{k: v for k, v in V51.items() if k in {*NAMES, "Performance_Result"}}])
    assert row.result == 8840.42
    unknown = (
        "number_of_nodes", "accelerators_per_node", "accelerator_name_published", "availability",
        "result_unit_published", "power", "is_inferred_published", "has_power_published", "tokens_per_sample",
    )  # fmt: skip
    assert has(row, **dict.fromkeys(unknown))


def test_copies():
    copies = parse([V51, V51, V51 | {"Performance_Result": 9000.0, "Nodes": 2}])
    assert has(copies, records_in=3, duplicates=1) and copies.rows[0].record == "[0]"
    assert [row.result for row in copies.rows] == [8840.42]
    assert explains(copies.rejects[0], "[2]", f"contradicts {WHERE}[0]", "number_of_nodes", "result")
    # a net of its own is a result of its own; a letter case of the scenario is none
    others = parse([V51, V51 | {"UsedModel": "llama2-7b"}, V51 | {"Scenario": "interactive"}])
    assert len(others.rows) == 2 and explains(others.rejects[0], "scenario_published")


def test_a_lost_record_is_our_defect_and_fails():
    with pytest.raises(AssertionError, match=r"v5\.1"):
        Parsed(rows=[], rejects=[], records_in=1).checked("v5.1")
