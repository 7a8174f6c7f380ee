"""Typed points of InferenceX: the given file against its rows, and lines that contradict themselves."""

import csv
import io

import pytest

from ingest.serving.inferencex_points import parse


def of(text):
    return parse([("", io.BytesIO(text.encode()))], key="points@2026-09-07")


@pytest.fixture(scope="module")
def text(serving_data):
    return (serving_data / "other_parts" / "points.csv").read_text(encoding="utf-8")


def test_every_line_is_a_point(text):
    parsed, lines = of(text), list(csv.DictReader(text.splitlines()))
    assert parsed.records_in == len(parsed.rows) == len(lines) == 14
    held = [
        (
            r.accelerator_published,
            r.concurrency,
            r.output_tokens_per_s_per_accelerator,
            r.tokens_per_s_per_user,
            r.ttft_ms,
            r.n_accelerators_all,
        )
        for r in parsed.rows
    ]
    assert held == [
        (line["hardware"], float(line["concurrency"]), float(line["output_tput_per_chip"]), float(line["median_intvty"]),
         float(line["median_ttft_s"]) * 1000, int(line["tp"]))
        for line in lines
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("5.83,2.32,3.51", "5.83,2.32,7.51", "are not the total of 5.83"),
        ("supplemental-bmk", "elsewhere", "its source is 'elsewhere'"),
        ("18.62,18.91", "18.62,0", "median_intvty is '0'"),
    ],
)
def test_a_line_that_cannot_be_trusted_is_named_and_the_others_stay(text, old, new, problem):
    parsed = of(text.replace(old, new, 1))
    assert len(parsed.rows) == 13 and problem in parsed.rejects[0].problem
    assert parsed.rejects[0].record == "line 2" and parsed.rejects[0].remedy
