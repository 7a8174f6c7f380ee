"""Unknown names and bad payloads never stop a publication: the builds of `operated_home`."""

import pytest
from operated_home import ROUND, UNMAPPED

pytestmark = pytest.mark.xdist_group("operated")


def test_unknown_names_are_published_and_listed(operated):
    done, now = operated["degrade"]
    assert done.returncode == 0, done.stdout + done.stderr
    new = {key: row for key, row in now["unmapped"].items() if key not in operated["names before"]}
    assert new == UNMAPPED
    ((records_in, rows_out, *others),) = now["accounts"]
    assert (records_in, rows_out, sum(others)) == (len(ROUND), len(ROUND), 0)
    facts = now["round"]
    assert facts["9.9-0001"][0] == "nvidia-h100-sxm-80gb" and facts["9.9-0001"][6] == 200.0  # 1,600 ÷ 8
    assert facts["9.9-0002"][0] == "unmapped:AMD Instinct MI455X"
    assert facts["9.9-0003"][1] == "unmapped:agentic chess"
    assert facts["9.9-0003"][4:6] == (
        808.0,
        "tokens/s",
    )  # the published unit, not the rule of another benchmark
    assert facts["9.9-0004"][2] == "unmapped:Streaming"
    assert facts["9.9-0005"][5] == "unmapped:Pages/s"
    assert facts["9.9-0006"][3] == "unmapped:Newcomer AI" and facts["9.9-0006"][6] == 200.0
    for number in ("0002", "0003", "0004", "0005", "0007"):
        assert facts[f"9.9-{number}"][6] is None and facts[f"9.9-{number}"][7], number


def test_new_prices_are_published_despite_unknown_names(operated):
    _, now = operated["degrade"]
    assert now["price"] == [(21.6,)]
    assert sorted(now["prices"]) == [
        (
            "gpu-h100-sxm_8gpu-128vcpu-1600gb",
            "xx-north9",
            "nvidia-h100-sxm-80gb",
            True,
            "region is not mapped",
            None,
        ),
        ("gpu-q900_8gpu-128vcpu-1600gb", "eu-north1", "unmapped:Q900", False, None, None),
    ]


def test_the_output_of_a_build_is_short(operated):
    for name in ("degrade", "overrides", "isolated"):
        done = operated[name][0]
        lines = (done.stdout + done.stderr).splitlines()
        # progress: a line every half minute, so more lines on a busy machine
        lines = [line for line in lines if not line.startswith("building ")]
        generation_path = [line for line in lines if line.startswith("Published generation")]
        assert len(lines) <= 15, lines
        assert all(len(line) <= 110 for line in lines if line not in generation_path), lines
    assert (
        "new: names_are_mapped: kind accelerator, words AMD Instinct MI455X" in operated["degrade"][0].stdout
    )
    assert "unmapped names. See: accelmart status --unmapped" in operated["degrade"][0].stdout


def test_status_lists_unmapped_names_with_their_line(operated):
    assert "last build: published generation" in operated["degrade status"].splitlines()[0]
    for (kind, words), (seed_file, _) in UNMAPPED.items():
        assert f"{kind}: {words}" in operated["unmapped status"]
        assert f"overrides/{seed_file}:" in operated["unmapped status"]


def test_a_bad_override_changes_nothing_and_names_file_and_line(operated):
    done, now, status = operated["bad override"]
    assert done.returncode == 1
    assert "cloud_regions.csv, line 1: region_regex is not a valid regular expression" in done.stderr
    assert "Traceback" not in done.stderr
    assert now == operated["before bad override"]
    first, second, third, *_ = status.splitlines()
    assert "last build: FAILED" in first and "failed: override files cannot be used" in second
    assert third.startswith("not published: nothing")


def test_the_proposed_lines_map_every_name(operated):
    done, now = operated["overrides"]
    assert done.returncode == 0, done.stdout + done.stderr
    assert now["unmapped"] == {}
    facts = now["round"]
    assert facts["9.9-0002"][0] == "amd-instinct-mi455x" and facts["9.9-0002"][6] == 200.0
    assert facts["9.9-0002"][8] == "accelerator_aliases"
    assert facts["9.9-0003"][1] == "agentic chess" and facts["9.9-0003"][4:7] == (808.0, "tokens/s", 101.0)
    assert facts["9.9-0004"][2] == "Streaming" and facts["9.9-0005"][5] == "Pages/s"
    assert facts["9.9-0006"][3] == "newcomer-ai" and facts["9.9-0006"][8] == "mlperf_submitters"
    assert facts["9.9-0001"][8] is None
    assert sorted(now["prices"]) == [
        ("gpu-h100-sxm_8gpu-128vcpu-1600gb", "xx-north9", "nvidia-h100-sxm-80gb", True,
         "the region lies in no single or known country", "cloud_regions"),
        ("gpu-q900_8gpu-128vcpu-1600gb", "eu-north1", "q900", True, None, "instance_accelerators"),
    ]  # fmt: skip
    assert now["added"] == [("amd-instinct-mi455x", True, True, None), ("q900", True, True, None)]
    # overrides of new names change nothing else
    assert now["others"] == operated["degrade"][1]["others"]


def test_a_doubled_round_is_isolated_and_new_prices_are_published(operated):
    done, now = operated["isolated"]
    assert done.returncode == 0, done.stdout + done.stderr
    assert now["generation"] != operated["overrides"][1]["generation"]
    assert now["price"] == [(19.2,)]
    assert now["round"] == operated["overrides"][1]["round"]
    assert now["others"] == operated["overrides"][1]["others"]
    assert (
        "not used, mlperf-inference v9.9: 7 of 14 records are copies of others: doubled rows" in done.stdout
    )
    first, second, *_ = operated["isolated status"].splitlines()
    assert "published generation" in first
    assert (
        second.startswith("not published: mlperf-inference v9.9 of ")
        and "records are copies of others" in second
    )
    assert now["isolated"] == [
        ("mlperf-inference", "v9.9", "7 of 14 records are copies of others: doubled rows")
    ]
