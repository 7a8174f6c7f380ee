"""The account of a payload: every record is in one place."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ingest.core.records import Parsed


def test_an_account_is_balanced_only_if_every_record_is_in_one_place():
    counted = Parsed[str](payload="f", remedy="look")
    counted.read(8)
    counted.add("a")
    counted.rows += ["b", "a"]
    counted.fold(str.upper, lambda same: "")
    counted.merged += 1
    counted.reject("[4]", "no price")
    counted.warn("[5]", "odd", payload="g", remedy="ask")
    for n in (1, 0, 2):
        counted.out_of_scope("storage", n)
    assert counted.checked("f").exclusions == {"storage": 3} and counted.rows == ["a", "b"]
    assert counted.duplicates == 1
    assert [(r.payload, r.record, r.remedy) for r in counted.rejects] == [("f", "[4]", "look")]
    assert [(r.payload, r.record, r.remedy) for r in counted.warnings] == [("g", "[5]", "ask")]
    for change in ({"merged": 2}, {"duplicates": 0}, {"exclusions": {"storage": 2}}, {"records_in": 9}):
        with pytest.raises(AssertionError, match="records in"):
            replace(counted, **change).checked("f")


def test_rows_that_contradict_each_other_are_all_rejected():
    found = Parsed[Any]()
    found.rows = [SimpleNamespace(record=f"[{n}]", member="", name=n // 2, price=max(n, 1)) for n in range(4)]
    found.fold(
        lambda row: row.name,
        lambda same: "two prices" if len({row.price for row in same}) > 1 else "",
        payload="f",
        remedy="look",
    )
    assert ([row.record for row in found.rows], found.duplicates, found.accounted) == (["[0]"], 1, 4)
    named = [(r.payload, r.record, r.remedy) for r in found.rejects]
    assert named == [("f", "[2]", "look"), ("f", "[3]", "look")]
