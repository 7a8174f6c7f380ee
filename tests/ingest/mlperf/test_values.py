"""Numbers, counts and flags as upstream writes them; expected values by hand."""

from __future__ import annotations

import math

import pytest

from ingest.core import values
from ingest.mlperf.releases import (
    clean_location,
    normalise_release,
    normalise_scenario,
    release_order,
    result_url,
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (8, 8.0), ("8", 8.0), ("8840.42", 8840.42), (" 1e3 ", 1000.0), (-2.5, -2.5), (0, 0.0), ("1,234.5", None),
        ("1_234", None), ("N/A", None), ("", None), (None, None), (True, None), ([8], None), ({}, None), (math.inf, None),
        (math.nan, None), ("Infinity", None), ("nan", None), (10**400, None),
    ],
)  # fmt: skip
def test_number(given, expected):
    assert values.number(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (8, 8), ("8", 8), ("8.0", 8), (8.0, 8), (0, 0), ("0", 0),
        (7.5, None), (-1, None), ("", None), ("N/A", None), (None, None), (True, None),
        (2**63 - 1024, 2**63 - 1024),  # the largest double below 2**63
        (2**63, None), (1e300, None),
    ],
)  # fmt: skip
def test_integer(given, expected):
    found = values.integer(given)
    assert found == expected
    assert found is None or type(found) is int


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (True, True), (False, False), (1, True), (0, False), ("1", True), ("0", False), (" TRUE ", True), ("False", False),
        (2, None), ("yes", None), ("", None), (None, None), ([], None),
    ],
)  # fmt: skip
def test_flag(given, expected):
    assert values.flag(given) is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a ", "a"),
        ("", None),
        (" \n", None),
        (None, None),
        (0, "0"),
        (["a"], "['a']"),
        ("a\ud800b", "a?b"),
        ("é😀", "é😀"),
    ],
)
def test_text(given, expected):
    assert values.text(given) == expected


@pytest.mark.parametrize("given", [0, -1, "0", "-0.5", math.nan, "N/A", None, True, "1,234.5", [1]])
def test_what_no_measurement_can_give_is_refused_with_the_value_in_the_words(given):
    number, problem = values.measured(given)
    assert number is None
    assert repr(given) in problem


@pytest.mark.parametrize(
    ("given", "expected"), [(8840.42, 8840.42), ("8840.42", 8840.42), ("0.0565013", 0.0565013)]
)
def test_a_measurement(given, expected):
    assert values.measured(given) == (expected, None)


@pytest.mark.parametrize(
    ("accuracy", "expected"),
    [
        ("ROUGE1: 44.4542  ROUGEL: 28.6112  TOKENS_PER_SAMPLE: 301.1", 301.1),
        ("exact_match: 81.06  TOKENS_PER_SAMPLE: 3795.4364.", 3795.4364),
        ("{'rouge1': 44.6, 'tokens_per_sample': 294.4}", 294.4),
        ("ROUGE1: 44.4542", None),
        ("TOKENS_PER_SAMPLE: none", None),
        ("0.7027881259253183", None),
        ("", None),
        (None, None),
    ],
)
def test_tokens_per_sample(accuracy, expected):
    assert values.tokens_per_sample(accuracy) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Offline", "Offline"), ("offline", "Offline"), ("singlestream", "SingleStream"), ("MULTISTREAM", "MultiStream"),
        ("Single Stream", "SingleStream"), ("Multi Stream", "MultiStream"), (" Server\n", "Server"),
        ("Multi Stream Free", None), ("TEST01", None), ("ranging", None), ("", None),
    ],
)  # fmt: skip
def test_scenario(given, expected):
    assert normalise_scenario(given) == expected


def test_releases_sort_by_number_not_by_letter():
    assert sorted(["v10.0", "v5.1", "v0.5", "v5.0"], key=release_order) == ["v0.5", "v5.0", "v5.1", "v10.0"]
    assert normalise_release("5.1") == normalise_release(" V5.1 ") == "v5.1"


@pytest.mark.parametrize("given", ["", "5", "v5.1.2", "latest", "v5.1-rc"])
def test_what_is_no_round_is_refused_by_name(given):
    with pytest.raises(ValueError, match="is not an MLPerf round; write it like") as e:
        normalise_release(given)
    assert repr(given) in str(e.value)


@pytest.mark.parametrize(
    "given",
    [
        "closed/NVIDIA/results/p/deepseek-r1/Offline",
        "./closed/NVIDIA/results/p/deepseek-r1/Offline/performance/run_1",
        "/closed/NVIDIA/results/p/deepseek-r1/Offline/",
        " ./closed/NVIDIA/results/p/deepseek-r1/Offline/performance/run_1/ ",
    ],
)
def test_every_round_s_location_becomes_the_scenario_folder(given):
    assert clean_location(given) == "closed/NVIDIA/results/p/deepseek-r1/Offline"


def test_links_go_to_the_public_repository_of_the_round():
    assert (
        result_url("v6.1", "closed/NVIDIA/results/p/deepseek-r1/Offline")
        == "https://github.com/mlcommons/inference_results_v6.1/tree/main/closed/NVIDIA/results/p/deepseek-r1/Offline"
    )
