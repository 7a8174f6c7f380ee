"""Numbers, counts and flags as upstream writes them, and names of rounds; expected values by hand."""

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
    ("read", "given", "expected"),
    [
        *((values.number, given, expected) for given, expected in [
            (8, 8.0), (" 1e3 ", 1000.0), (-2.5, -2.5), ("1,234.5", None), ("1_234", None), ("", None), (None, None),
            (True, None), ([8], None), (math.inf, None), ("nan", None), (10**400, None)]),
        *((values.integer, given, expected) for given, expected in [
            ("8.0", 8), (0, 0), (7.5, None), (-1, None), ("N/A", None), (True, None), (2**63, None),
            (2**63 - 1024, 2**63 - 1024)]),  # the largest double below 2**63
        *((values.flag, given, expected) for given, expected in [
            (True, True), (0, False), ("1", True), (" TRUE ", True), ("False", False), (2, None), ("", None), ([], None)]),
        *((values.text, given, expected) for given, expected in [
            ("a ", "a"), (" \n", None), (None, None), (0, "0"), (["a"], "['a']"), ("a\ud800b", "a?b"), ("é😀", "é😀")]),
        *((values.decode, given, expected) for given, expected in [
            (b"caf\xc3\xa9", "café"), (b"\xef\xbb\xbfa", "a"), (b"caf\xe9 \x96", "café –"), (b"\x81a", "\ufffda")]),
        (values.measured, "0.0565013", (0.0565013, None)),
        *((values.tokens_per_sample, given, expected) for given, expected in [
            ("ROUGE1: 44.4542  ROUGEL: 28.6112  TOKENS_PER_SAMPLE: 301.1", 301.1),
            ("exact_match: 81.06  TOKENS_PER_SAMPLE: 3795.4364.", 3795.4364),
            ("{'rouge1': 44.6, 'tokens_per_sample': 294.4}", 294.4),
            ("TOKENS_PER_SAMPLE: none", None), ("0.7027881259253183", None), (None, None)]),
        *((normalise_scenario, given, expected) for given, expected in [
            ("singlestream", "SingleStream"), ("Multi Stream", "MultiStream"), (" Server\n", "Server"),
            ("Multi Stream Free", None), ("", None)]),
        *((clean_location, given, "closed/A/results/p/rnnt/Offline") for given in [
            "/closed/A/results/p/rnnt/Offline/", " ./closed/A/results/p/rnnt/Offline/performance/run_1/ "]),
        *((normalise_release, given, "v5.1") for given in ("5.1", " V5.1 ")),
    ],
)  # fmt: skip
def test_a_value_is_read(read, given, expected):
    found = read(given)
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize("given", [0, "-0.5", math.nan, "N/A", None, True])
def test_what_no_measurement_can_give_is_refused_with_the_value_in_the_words(given):
    number, problem = values.measured(given)
    assert number is None and repr(given) in problem


@pytest.mark.parametrize("given", ["5", "v5.1.2", "v5.1-rc"])
def test_what_is_no_round_is_refused_by_name(given):
    with pytest.raises(ValueError, match="is not an MLPerf round") as e:
        normalise_release(given)
    assert repr(given) in str(e.value)


def test_releases_sort_by_number_and_link_to_their_public_repository():
    assert sorted(["v10.0", "v5.1", "v0.5"], key=release_order) == ["v0.5", "v5.1", "v10.0"]
    assert (
        result_url("v6.1", "closed/A/results/p q/rnnt")
        == "https://github.com/mlcommons/inference_results_v6.1/tree/main/closed/A/results/p%20q/rnnt"
    )
