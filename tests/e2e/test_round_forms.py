"""Which form of a round is used: a collection that no longer holds some results of a tree, and a summary of three results
beside those that were read one by one."""

import json
import tarfile
from collections import Counter

import pytest
from home_copies import land_given

N_LACKED = 12


pytestmark = pytest.mark.xdist_group("landed")


def land_payloads(home, folder, mlperf_data):
    """Land MLCommons' collection of v4.1 short of some results, and a summary of v5.0.

    Returns:
        Results that are lacking, location → result.
    """
    lacked = write_collection(mlperf_data / "releases" / "cm4mlperf-results.tar.gz", folder / "collection")
    land_given(home, "mlperf-inference-collection", "all", folder / "collection")
    (folder / "summary_results.json").write_text(json.dumps(SUMMARY))
    land_given(home, "mlperf-inference", "v5.0", folder / "summary_results.json")
    return lacked


def write_collection(origin, folder):
    """Write the v4.1 part of a collection without the entries of some results.

    Returns:
        Their locations and figures.
    """
    files = {}
    with tarfile.open(origin) as archive:
        for member in archive:
            if "/mlperf-inference--v4.1--" in member.name and member.isfile():
                files[member.name.split("/", 1)[1]] = json.load(archive.extractfile(member))
    entries = [e for f in files.values() for e in f if e["Units"] not in ("Watts", "millijoules")]
    figures = {e["Location"]: e["Result"] for e in entries if not e["has_power"]}
    lacked = dict(sorted(figures.items())[:: len(figures) // N_LACKED][:N_LACKED])
    for name, found in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps([e for e in found if e["Location"] not in lacked]))
    return lacked


SUMMARY = [
    {
        "ID": "5.0-0001", "Submitter": "NVIDIA", "Category": "closed", "Suite": "datacenter", "System": "box",
        "Platform": "B200-SXM-180GBx8_TRT", "UsedModel": model, "Model": model, "Scenario": "Offline",
        "Location": f"closed/NVIDIA/results/B200-SXM-180GBx8_TRT/{model}/Offline", "version": "v5.0",
        "Availability": "available", "Performance_Result": result, "Performance_Units": "Tokens/s", "Nodes": 1,
        "a#": 8, "Accelerator": "NVIDIA B200-SXM-180GB", "Processor": "x", "Software": "TensorRT", "Notes": "",
        "Accuracy": "ROUGE1: 44", "inferred": 0,
    }
    for model, result in (("llama2-70b-99", 98858.0), ("llama2-70b-99.9", 98858.0), ("llama3.1-405b", 1400.0))
]  # fmt: skip


def test_results_that_the_newest_collection_lacks_are_withdrawn_and_no_tree_brings_them_back(
    landed, landed_db, mlperf_data
):
    lacked = landed.lacked
    published = landed_db.execute(
        "select split_part(source_url, '/tree/main/', 2), publication_basis "
        "from fct_inference_result where release = 'v4.1'"
    ).fetchall()
    assert len(lacked) == N_LACKED and not lacked.keys() & {location for location, _ in published}
    assert Counter(basis for _, basis in published) == {"collection": 937 - N_LACKED}
    assert landed_db.execute(
        "select rows_in, rows_excluded, exclusion_reasons from ops_layer_account "
        "where step = 3 and release = 'v4.1' and dialect = 'raw_tree'"
    ).fetchall() == [
        (
            937,
            937,
            f"{937 - N_LACKED} held by a better form of the round, "
            f"{N_LACKED} withdrawn: a later payload of the collection lacks it",
        )
    ]


def test_what_the_main_form_lacks_is_warned_of(landed, accelmart, mlperf_data):
    warnings = accelmart(landed.home, "status", "--warnings", settings=landed.settings).stdout
    lines = [line for line in warnings.splitlines() if line.startswith("rounds_of_several_forms")]
    (line,) = [line for line in lines if "round inference v5.0" in line]
    assert "publication_basis summary_beside_read_singly, n_results 1" in line


def test_a_cut_summary_does_not_replace_what_was_read_singly(landed_db, mlperf_data):
    """Of three results one is new; the two others give their figures. The other 300 of 302 stay."""
    assert landed_db.execute(
        "select publication_basis, count(*), bool_and(is_round_incomplete) from fct_inference_result "
        "where release = 'v5.0' group by all order by all"
    ).fetchall() == [
        ("read_singly", 300, True),
        ("summary", 2, False),
        ("summary_beside_read_singly", 1, True),
    ]
    assert landed_db.execute(
        "select dialect, n_results, is_incomplete from dim_release "
        "where suite_kind = 'inference' and release = 'v5.0'"
    ).fetchall() == [("read_singly", 303, True)]
    assert landed_db.execute(
        "select exclusion_reasons, rows_excluded from ops_layer_account "
        "where step = 3 and release = 'v5.0' and dialect = 'read_singly'"
    ).fetchall() == [("2 held by a better form of the round", 2)]
