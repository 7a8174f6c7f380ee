"""Summaries of v5.1, v6.0 and v6.1: every record becomes a row, a merged power figure or a named reject.

Expected values stand in the files MLCommons published; they are read here by `json` alone, or written out.
"""

from __future__ import annotations

import io
import json
import random
import re

import pytest
from mlperf_payloads import V51, V61, as_json, explains, has
from small_round import small_round

from ingest.core.errors import PayloadRejected
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
    def test_every_record_is_a_row_with_upstream_s_words(self, v51_published):
        summary = parse(v51_published)
        assert has(summary, records_in=1448, rejects=[], duplicates=0, merged=0)
        for i, (row, entry) in enumerate(zip(summary.rows, v51_published, strict=True)):
            tokens = re.search(r"TOKENS_PER_SAMPLE: ([0-9.]+)", entry["Accuracy"])
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
                tokens_per_sample=float(tokens[1]) if tokens else None,
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


class TestPowerRecordsOfV61:
    @pytest.mark.parametrize(("order", "unit"), [(1, "Watts"), (-1, "millijoules")])
    def test_a_power_record_is_merged_into_its_result(self, order, unit):
        watts = V61 | {"Result": 412345.6, "Units": unit}
        parsed = parse(dict(zip("01", [V61, watts][::order], strict=True)), "v6.1")
        assert has(parsed, records_in=2, merged=1, rejects=[])
        (row,) = parsed.rows
        assert has(row, result=2705130.0, result_unit_published="Tokens/s")
        assert has(row, power=412345.6, power_unit_published=unit)

    @pytest.mark.parametrize(
        ("change", "problem"),
        [({"Scenario": "Server"}, "power reading without a result"), ({"Result": -3.0}, "-3.0")],
    )
    def test_power_without_a_result_or_a_figure_is_rejected_and_the_result_survives(self, change, problem):
        parsed = parse({"0": V61, "1": V61 | {"Units": "Watts"} | change}, "v6.1")
        assert [r.power for r in parsed.rows] == [None]
        assert explains(parsed.rejects[0], WHERE, "['1']", problem)


def test_a_v60_list_has_a_total_and_lower_case_scenarios():
    place = "closed/AMD/results/87xMI355X_2xEPYC_9575F/llama2-70b-99/interactive"
    entry = V51 | {
        "version": "v6.0", "Nodes": 11, "a#": 8, "Total Accelerators": 87, "Scenario": "interactive",
        "Location": f"./{place}/performance/run_1",
    }  # fmt: skip
    row = only([entry], "v6.0")
    assert has(row, number_of_nodes=11, accelerators_per_node=8, total_accelerators_published=87)
    assert has(row, scenario="Interactive", scenario_published="interactive", location=place)


@pytest.mark.parametrize(
    "payload",
    [
        b"\xef\xbb\xbf<html>503", b'[{"Submitter": "Universit\xe4t"}]', json.dumps([V51]).encode("utf-16"),
        b'[{"Performance_Result": ' + b"9" * 5000 + b"}]", b"[" * 100_000, b"null", b'{"7": {}, "8": {}, "7": {}}',
    ],
    ids=["html", "latin1", "utf16", "endless_number", "endless_nesting", "null", "twice"],
)  # fmt: skip
def test_a_payload_that_is_none_is_rejected_whole(payload):
    with pytest.raises(PayloadRejected) as e:
        parse_summary(payload, where="landing/v5.1.json", release="v5.1")
    assert e.value.payload == "landing/v5.1.json" and e.value.remedy


@pytest.mark.parametrize(
    ("name", "payload"),
    [("summary.json", b" {}\n"), ("summary_results.json", b"[]"), ("summary.csv", b"Organization,Division,Result\n")],
)  # fmt: skip
def test_a_summary_without_a_result_says_so(name, payload):
    """Beside the logs of its tree, which still count."""
    members = [
        (name, io.BytesIO(payload)),
        *((p, io.BytesIO(t.encode())) for p, t in small_round(1600).items()),
    ]
    summary, *_ = MLPERF_SOURCES[MLPERF_INFERENCE].parse(members, key="v5.1")
    (reject,) = summary.parsed.rejects
    assert summary.parsed.records_in == 1
    assert explains(reject, name, "(whole file)", "is a summary without a single result")


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        *((V51 | {"Performance_Result": n}, repr(n)) for n in ("N/A", "1,234.5", 0, float("inf"))),
        (V51 | {"Power_Result": -5.0, "Power_Units": "Watts"}, "power is -5.0"),
        *(
            (V51 | {name: "  "}, f"lacks {name}")
            for name in ("Submitter", "UsedModel", "Location", "version")
        ),
        ({k: v for k, v in V51.items() if k != "Performance_Result"}, "has no Performance_Result"),
        (V51 | {"version": "v5.0"}, "is of v5.0, not v5.1"),
        (V51 | {"version": "latest"}, "'latest'"),
        (V51 | {"Category": "Ajar"}, "division 'ajar'"),
        (V51 | {"Suite": "mobile"}, "suite 'mobile'"),
        *((entry, f"is a {type(entry).__name__}") for entry in (None, [V51])),
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
            for s in ("TEST01", 3)
        ),
        ({"Performance_Units": "Frames/s"}, {"result_unit_published": "Frames/s"}),
        (
            {"Performance_Result": " 8840.42 ", "Nodes": "2", "a#": "8"},
            {"result": 8840.42, "number_of_nodes": 2},
        ),
        *(
            ({"a#": count}, {"accelerators_per_node": None, "accelerators_per_node_published": published})
            for count, published in [("", None), ("N/A", "N/A"), ("7.5", "7.5")]
        ),
        ({"Suite": "datacenter, edge"}, {"suite_published": "datacenter,edge"}),
        ({"Power_Result": "N/A", "Power_Units": "Watts"}, {"power": None, "power_unit_published": None}),
    ],
)
def test_a_record_of_odd_words_is_a_row_all_the_same(change, expected):
    assert has(only([V51 | change]), **expected)


SERVER = V51 | {"Scenario": "Server"}


@pytest.mark.parametrize(
    "copies", [[V51], [V51, V51 | {"ID": "5.1-9999", "Notes": "tuned"}], [V51, SERVER, SERVER]]
)
def test_copies_of_a_record_are_one_result(copies):
    found = parse([V51, SERVER, *copies])
    assert has(found, records_in=2 + len(copies), duplicates=len(copies), rejects=[])
    assert [(row.record, row.result) for row in found.rows] == [("[0]", 8840.42), ("[1]", 8840.42)]
    # a net of its own is a result of its own; a letter case of the scenario is none
    others = parse([V51, V51 | {"UsedModel": "llama2-7b"}, V51 | {"Scenario": "interactive"}])
    assert (len(others.rows), others.duplicates, others.rejects) == (2, 1, [])


@pytest.mark.parametrize(
    ("change", "differing"),
    [
        ({"Performance_Result": 9000.0, "Nodes": 2}, "result, number_of_nodes"),
        ({"Performance_Units": "Samples/s"}, "result_unit_published"),
        ({"Accelerator": "NVIDIA H200"}, "accelerator_name_published"),
    ],
)
def test_records_of_one_result_that_contradict_are_all_rejected_and_their_neighbours_survive(
    change, differing
):
    found = parse([V51, SERVER, V51 | change, V51])
    assert has(found, records_in=4, duplicates=0) and [row.scenario for row in found.rows] == ["Server"]
    assert [reject.record for reject in found.rejects] == ["[0]", "[2]", "[3]"]
    assert all(explains(r, WHERE, f"in {differing}") for r in found.rejects)
