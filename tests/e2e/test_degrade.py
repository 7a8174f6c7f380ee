"""Unknown names and bad payloads never stop a publication: the builds of `operated_home`."""

import base64
import gzip
import json
import re

import pytest
from operated_home import ROUND, UNMAPPED, rows

pytestmark = pytest.mark.xdist_group("operated")
RESULTS = (
    "select submission_id, accelerator_id, benchmark_id, scenario, submitter_id, result_unit, result, "
    "throughput_per_accelerator, overridden_by from fct_inference_result where release = 'v9.9' order by 1"
)
OFFERS = (
    "select instance_type, region, accelerator_id, is_comparable, country_reason, overridden_by from fct_price_interval "
    "where provider = 'nebius' and (region = 'xx-north9' or instance_type like '%q900%') order by 1"
)
PRICE = (
    "select price from fct_price_interval where source = 'skypilot-catalog' and provider = 'nebius' and region = 'eu-north1' "
    "and instance_type like 'gpu-h100-sxm_8gpu%' and pricing_model = 'on_demand' and valid_to is null"
)
# rounds of the other stories are excluded
OTHERS = (
    "select count(*), round(sum(result), 3) from fct_inference_result where release not in ('v9.9', 'v5.1')"
)
H100, DELL = "nvidia-h100-sxm-80gb", "dell"
# accelerator, benchmark, scenario, submitter, unit, result, throughput of one of eight
UNKNOWN = [
    (H100, "resnet", "Offline", DELL, "samples/s", 1600, 200),
    ("unmapped:AMD Instinct MI455X", "llama2-70b-99", "Offline", DELL, "tokens/s", 1600, None),
    # the published unit, not the rule of another benchmark
    (H100, "unmapped:agentic chess", "Offline", DELL, "tokens/s", 808, None),
    (H100, "resnet", "unmapped:Streaming", DELL, "samples/s", 1600, None),
    (H100, "unmapped:page reader", "Offline", DELL, "unmapped:Pages/s", 1600, None),
    (H100, "resnet", "Offline", "unmapped:Newcomer AI", "samples/s", 1600, 200),
    (None, "resnet", "Offline", DELL, "samples/s", 1600, None),
]
# with the lines that `accelmart status --unmapped` proposes, and the file of overrides that the result owes its name to
MAPPED = [
    (*UNKNOWN[0], None),
    ("amd-instinct-mi455x", *UNKNOWN[1][1:6], 200, "accelerator_aliases"),
    (H100, "agentic chess", *UNKNOWN[2][2:6], 101, "mlperf_benchmarks"),
    (H100, "resnet", "Streaming", DELL, "samples/s", 1600, 200, "mlperf_scenarios"),
    (H100, "page reader", "Offline", DELL, "Pages/s", 1600, None, "mlperf_benchmarks, mlperf_units"),
    (H100, "resnet", "Offline", "newcomer-ai", "samples/s", 1600, 200, "mlperf_submitters"),
    (*UNKNOWN[6], None),
]
UNREADABLE = "8 of 15 records cannot be read: its form has changed"


def test_unknown_names_are_published_and_listed(operated):
    listed = rows(operated.first, "select kind, words, seed_file, n_rows from ops_unmapped")
    assert {row[:2]: row[2:] for row in listed if row[:2] not in operated.names} == {
        name: (seed_file, 1) for name, seed_file in UNMAPPED.items()
    }
    assert rows(
        operated.first,
        "select records_in, rows_out, duplicates + merged + rejects + out_of_scope from ops_reconciliation where release = 'v9.9'",
    ) == [(len(ROUND), len(ROUND), 0)]
    assert [row[1:8] for row in rows(operated.first, RESULTS)] == UNKNOWN
    said = operated.said["unmapped"]
    for (kind, words), seed_file in UNMAPPED.items():
        assert f"{kind}: {words}" in said and f"overrides/{seed_file}:" in said


def test_names_with_characters_that_nobody_sees_are_published_without_them(operated, accelmart, tmp_path):
    """Names of the round and of the list hold them: in the file, on the command line, in an export and in the report."""
    home = operated.home
    asked = "select system_name from fct_inference_result where release = 'v9.9'"
    assert rows(operated.first, f"{asked} and submission_id = '9.9-0001'") == [("=cmd|' /C calc'!A0",)]
    ranked = accelmart(
        home, "rank", "--model", "llama3.1-405b", "--provider", "nebius", "--format", "csv"
    ).stdout
    assert ",nebius," in ranked and "gpu-h100-sxm_8gpu-128vcpu-1600gb" in ranked
    printed = [
        accelmart(home, "sql", f"from {table}", "--format", form).stdout
        for form in ("csv", "json", "jsonl", "table")
        for table in ("fct_inference_result where release = 'v9.9'", "ops_reject", "ops_unmapped")
    ]
    assert "\n'=cmd|' /C calc'!A0\n" in accelmart(home, "sql", asked, "--format", "csv").stdout
    accelmart(home, "export", tmp_path / "out", "--format", "csv")
    exported = [path.read_text(encoding="utf-8") for path in (tmp_path / "out").glob("*.csv")]
    assert len(exported) > 50
    report = (home / "report.html").read_text(encoding="utf-8")
    data = gzip.decompress(base64.b64decode(report.split('id="data">')[1].split("</script>")[0])).decode()
    for text in (
        ranked,
        *printed,
        *exported,
        json.dumps(json.loads(data), ensure_ascii=False),
        operated.said["unmapped"],
    ):
        assert not re.search("[\0\x1b\u00ad\u200b-\u200d\u2060\ufeff]", text)


def test_new_prices_are_published_despite_unknown_names(operated):
    assert rows(operated.first, PRICE) == [(21.6,)]
    assert rows(operated.first, OFFERS) == [
        ("gpu-h100-sxm_8gpu-128vcpu-1600gb", "xx-north9", H100, True, "region is not mapped", None),
        ("gpu-q900_8gpu-128vcpu-1600gb", "eu-north1", "unmapped:Q900", False, None, None),
    ]


def test_a_bad_override_changes_nothing_and_names_file_and_line(operated):
    done, published, status = operated.said["bad override"]
    assert done.returncode == 1 and "cloud_regions.csv, line 1" in done.stderr
    assert "Traceback" not in done.stderr and published == operated.before.stem
    assert "last build: FAILED" in status and "override files cannot be used" in status


def test_the_proposed_lines_map_every_name(operated):
    assert rows(operated.second, "select * from ops_unmapped") == []
    assert [row[1:] for row in rows(operated.second, RESULTS)] == MAPPED
    assert rows(operated.second, OFFERS) == [
        ("gpu-h100-sxm_8gpu-128vcpu-1600gb", "xx-north9", H100, True,
         "the region lies in no single or known country", "cloud_regions"),
        ("gpu-q900_8gpu-128vcpu-1600gb", "eu-north1", "q900", True, None, "instance_accelerators"),
    ]  # fmt: skip
    assert rows(
        operated.second,
        "select accelerator_id, is_mapped, is_override, tdp_w from dim_accelerator "
        "where accelerator_id in ('amd-instinct-mi455x', 'q900') order by 1",
    ) == [("amd-instinct-mi455x", True, True, None), ("q900", True, True, None)]
    # overrides of new names change nothing else
    assert len({*rows(operated.second, OTHERS), *rows(operated.before, OTHERS)}) == 1


def test_an_unreadable_round_is_isolated_and_new_prices_are_published(operated):
    assert rows(operated.second, PRICE) == [(19.2,)]
    isolated = "select release, problem from ops_isolated_payload where source = 'mlperf-inference'"
    assert rows(operated.second, isolated) == [("v9.9", UNREADABLE)]
    assert f"not used, mlperf-inference v9.9: {UNREADABLE}" in operated.said["second"].stdout
    unpublished = json.loads(operated.said["second status"])["unpublished"]
    assert ("mlperf-inference", "v9.9") in {(item["source"], item["key"]) for item in unpublished}
