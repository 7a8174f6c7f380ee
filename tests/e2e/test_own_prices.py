"""The user's own price file, as the documentation has it: pasted, built and found (`operated_home`)."""

import pytest
from operated_home import documented, rows


@pytest.mark.xdist_group("operated")
def test_the_documented_example_works_when_pasted_and_a_wrong_line_costs_only_itself(operated):
    (shown, pasted), (damaged, second) = operated.own_prices
    lines = [line.split() for line in shown.splitlines()]
    assert all(line.split() in lines for line in documented("text").splitlines())
    assert pasted == [("file:quotes.csv", "line 2", 2.35, True), ("file:quotes.csv", "line 3", 27.2, True)]
    assert (
        "not used, overrides/prices/quotes.csv, line 2: price is '-2.35', not a number above zero" in damaged
    )
    assert second == [("file:quotes.csv", "line 3", 27.2, True)]
    lines = rows(
        operated.home,
        "select payload_key, payload_record from ops_reject where source = 'own-prices' order by all",
    )
    assert lines == [("quotes", "line 2"), *(("refused", f"line {n}") for n in range(2, 7))]
    assert (
        "not used, overrides/prices/refused.csv, line 2: separated by semicolons: first_seen is '10/05/2026'"
        in damaged
    )
    assert " shown; the others: " in damaged
