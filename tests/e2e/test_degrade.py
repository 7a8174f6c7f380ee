"""Unknown names and bad payloads never stop a publication."""

import base64
import gzip
import json
import re
from types import SimpleNamespace

import pytest
from home_copies import file_rows, land_given, published_file
from small_round import entry

pytestmark = pytest.mark.xdist_group("operated")
PRICES = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"
# with characters that nobody sees, as web pages and spreadsheets leave them in names: all are read as if they were not there
KNOWN_OFFER = "gpu-h100\u200b-sxm_8gpu-128vcpu-1600gb,H1\u00ad00,8,128,1600,{price},eu-\u2060north1,,\n"
NEW_REGION = "gpu-h100-sxm_8gpu-128vcpu-1600gb,H100,8,128,1600,24.8,xx-\u200cnorth9,,\n"
# what is left of Verda's list: it is not used
ONE_OF_MANY = "1A100.22V,A100-80GB,1,22,120,1.29,FIN-01,,\n"
NEW_TYPE = "gpu-q900_8gpu-128vcpu-1600gb,Q9\ufeff00,8,128,1600,99.2,eu-north1,,\n"
HIDDEN_FORMULA = "\0\u200b\x1b=cmd|' /C calc'!A0"

ROUND = [
    entry(1, System=HIDDEN_FORMULA),
    entry(2, Accelerator="AMD Inst\u200dinct MI455X", Model="llama2-70b-99", Performance_Units="Tokens/s"),
    entry(
        3,
        Model="agentic chess",
        UsedModel="chess-70b",
        Performance_Units="Tokens/s",
        Performance_Result=808.0,
    ),
    entry(4, Scenario="Stream\u2060ing"),
    entry(5, Model="page\u00ad reader", Performance_Units="Pages/s"),
    entry(6, Submitter="\ufeffNew\u200bcomer AI"),
    entry(7, Accelerator=None, **{"a#": ""}),
]
UNREADABLE = [{"version": "v9.9"}] * 8
UNMAPPED = {
    ("accelerator", "AMD Instinct MI455X"): "accelerator_aliases.csv",
    ("benchmark", "agentic chess"): "mlperf_benchmarks.csv",
    ("benchmark", "page reader"): "mlperf_benchmarks.csv",
    ("scenario", "Streaming"): "mlperf_scenarios.csv",
    ("unit", "Pages/s"): "mlperf_units.csv",
    ("submitter", "Newcomer AI"): "mlperf_submitters.csv",
    ("region", "nebius/xx-north9"): "cloud_regions.csv",
    ("instance_type", "nebius/gpu-q900_8gpu-128vcpu-1600gb"): "instance_accelerators.csv",
}
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
NOT_READ = "8 of 15 records cannot be read: its form has changed"


def write(folder, entries, prices):
    """Write a round and a price list, and return their paths."""
    summary, catalog = folder / "summary_results.json", folder / "vms.csv"
    folder.mkdir()
    summary.write_text(json.dumps(entries))
    catalog.write_text(PRICES + prices, encoding="utf-8")
    return summary, catalog


def unknown_names(run, home, folder):
    """Land unknown names; after a build use every proposed line, and land records that cannot be read."""
    seen = SimpleNamespace()
    seen.names = file_rows(home / "accelmart.duckdb", "select kind, words from ops_unmapped")
    overrides = home / "overrides"
    overrides.mkdir(exist_ok=True)
    (overrides / "cloud_regions.csv").write_text("nebius,xx(,DE,fixed,Nowhere,https://nebius.com,\n")
    seen.refused = run("build", code=1).stderr, published_file(home), run("status").stdout
    (overrides / "cloud_regions.csv").unlink()
    summary, catalog = write(
        folder / "first", ROUND, KNOWN_OFFER.format(price="21.6") + NEW_REGION + NEW_TYPE
    )
    _, short = write(folder / "short", [], ONE_OF_MANY)
    run("fetch", "mlperf-inference", "--release", "v9.9", "--from", summary)
    land_given(home, "skypilot-catalog", "nebius", catalog)
    run("fetch", "skypilot-catalog", "--key", "verda", "--from", short)
    first = yield
    seen.first, seen.unmapped = first.printed, run("status", "--unmapped").stdout
    for seed_file, line in file_rows(first.file, "select seed_file, seed_line from ops_unmapped"):
        with (overrides / seed_file).open("a") as file:
            file.write(line + "\n")
    summary, catalog = write(folder / "second", [*ROUND, *UNREADABLE], KNOWN_OFFER.format(price="19.2"))
    land_given(home, "mlperf-inference", "v9.9", summary)
    land_given(home, "skypilot-catalog", "nebius", catalog)
    second = yield
    seen.second, seen.status = second.printed, json.loads(run("status", "--json").stdout)
    yield seen


def test_unknown_names_are_published_and_listed(operated):
    listed = file_rows(operated.first, "select kind, words, seed_file, n_rows from ops_unmapped")
    assert {row[:2]: row[2:] for row in listed if row[:2] not in operated.unknown_names.names} == {
        name: (seed_file, 1) for name, seed_file in UNMAPPED.items()
    }
    assert file_rows(
        operated.first,
        "select records_in, rows_out, duplicates + merged + rejects + out_of_scope from ops_reconciliation where release = 'v9.9'",
    ) == [(len(ROUND), len(ROUND), 0)]
    assert [row[1:8] for row in file_rows(operated.first, RESULTS)] == UNKNOWN
    said = operated.unknown_names.unmapped
    for (kind, words), seed_file in UNMAPPED.items():
        assert f"{kind}: {words}" in said and f"overrides/{seed_file}:" in said


def test_names_with_characters_that_nobody_sees_are_published_without_them(operated, accelmart, tmp_path):
    """Names of the round and of the list hold them: in the file, on the command line, in an export and in the report."""
    home = operated.home
    asked = "select system_name from fct_inference_result where release = 'v9.9'"
    assert file_rows(operated.first, f"{asked} and submission_id = '9.9-0001'") == [("=cmd|' /C calc'!A0",)]
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
        operated.unknown_names.unmapped,
    ):
        assert not re.search("[\0\x1b\u00ad\u200b-\u200d\u2060\ufeff]", text)


def test_new_prices_are_published_despite_unknown_names(operated):
    assert file_rows(operated.first, PRICE) == [(21.6,)]
    assert file_rows(operated.first, OFFERS) == [
        ("gpu-h100-sxm_8gpu-128vcpu-1600gb", "xx-north9", H100, True, "region is not mapped", None),
        ("gpu-q900_8gpu-128vcpu-1600gb", "eu-north1", "unmapped:Q900", False, None, None),
    ]


def test_a_bad_override_changes_nothing_and_names_file_and_line(operated):
    refused, published, status = operated.unknown_names.refused
    assert "cloud_regions.csv, line 1" in refused and "Traceback" not in refused
    assert published == operated.before
    assert "last build: FAILED" in status and "override files cannot be used" in status


def test_the_proposed_lines_map_every_name(operated):
    assert file_rows(operated.second, "select * from ops_unmapped") == []
    assert [row[1:] for row in file_rows(operated.second, RESULTS)] == MAPPED
    assert file_rows(operated.second, OFFERS) == [
        ("gpu-h100-sxm_8gpu-128vcpu-1600gb", "xx-north9", H100, True,
         "the region lies in no single or known country", "cloud_regions"),
        ("gpu-q900_8gpu-128vcpu-1600gb", "eu-north1", "q900", True, None, "instance_accelerators"),
    ]  # fmt: skip
    assert file_rows(
        operated.second,
        "select accelerator_id, is_mapped, is_override, tdp_w from dim_accelerator "
        "where accelerator_id in ('amd-instinct-mi455x', 'q900') order by 1",
    ) == [("amd-instinct-mi455x", True, True, None), ("q900", True, True, None)]
    # overrides of new names change nothing else
    assert len({*file_rows(operated.second, OTHERS), *file_rows(operated.before, OTHERS)}) == 1


def test_an_unreadable_round_is_isolated_and_new_prices_are_published(operated):
    assert file_rows(operated.second, PRICE) == [(19.2,)]
    isolated = "select release, problem from ops_isolated_payload where source = 'mlperf-inference'"
    assert file_rows(operated.second, isolated) == [("v9.9", NOT_READ)]
    assert f"not used, mlperf-inference v9.9: {NOT_READ}" in operated.unknown_names.second
    unpublished = operated.unknown_names.status["unpublished"]
    assert ("mlperf-inference", "v9.9") in {(item["source"], item["key"]) for item in unpublished}


def test_a_list_that_is_left_out_is_named_though_nothing_else_is_new(operated, accelmart):
    again = accelmart(operated.home, "build")
    assert again.returncode == 0 and "Nothing new" in again.stdout
    for printed in (operated.unknown_names.first, again.stdout):
        assert re.search(r"not used, skypilot-catalog verda.*offers of verda are gone", printed), printed
