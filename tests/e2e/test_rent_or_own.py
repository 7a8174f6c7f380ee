"""Own or rent over months: macro, command, Python and mart by one formula."""

import json
import math
from pathlib import Path

import pytest
import yaml

import accelmart as reader

H100, GB300 = "nvidia-h100-sxm-80gb", "nvidia-gb300-288gb"
# worked by hand: 64 accelerators, 18 months of 730 hours, 60 % of the hours used
GIVEN = {"price_each": 24270, "running": 0.5887, "interest_pct": 0, "residual_pct": 0, "rent": 3.91}
HOURS = 18 * 730


def ask(home, accelerator="H100", gpus=64, months=18, utilisation=0.6, scenario="emerging_neocloud", **given):
    table = reader.estimate_ownership(
        accelerator, gpus, months, utilisation, scenario=scenario, **given, database=home
    )
    return {row["option"]: row for row in table.records()}


@pytest.mark.parametrize(
    ("changed", "own"),
    [
        ({}, 2.05e6),
        # of the whole price, compounded yearly: 24,270 x (1.16 ^ 1.5 - 1)
        ({"interest_pct": 16}, 2.44e6),
        # 35,000 x 250 / 190 = 46,053 all-in; 3 % a year of the difference of 21,783 is $0.0746 an hour more
        ({"price_each": 35000, "price_is": "server", "running": 0.5887 + 21783 * 0.03 / 8760}, 3.51e6),
    ],
)
def test_three_ways_of_having_64_accelerators_as_worked_by_hand(built_home, changed, own):
    ways = ask(built_home, **GIVEN | changed)
    assert ways["own"]["usd"] == pytest.approx(own, rel=0.003)
    assert ways["rent_always_on"]["usd"] == pytest.approx(3.29e6, rel=0.003)
    assert ways["rent_by_the_hour"]["usd"] == pytest.approx(1.97e6, rel=0.003)
    # what is given has no range, and yet an order
    assert ways["own"]["usd_low"] is ways["own"]["usd_high"] is None
    assert ways["own"]["uncertainty_basis"] == "as given"
    assert (ways["rent_by_the_hour"]["against_owning"], ways["own"]["standing"]) == (
        "costs_less",
        "costs_more",
    )
    assert ways["own"]["verdict"] == "costs more than rent_by_the_hour"
    # at the break-even share of the hours renting costs as much as owning
    share = ways["rent_by_the_hour"]["break_even_utilisation_pct"]
    assert share / 100 * ways["rent_always_on"]["usd"] == pytest.approx(ways["own"]["usd"], rel=1e-9)


def test_every_amount_has_a_range_and_where_they_overlap_the_verdict_is_probable(built_home):
    ways = ask(built_home)
    own, hourly = ways["own"], ways["rent_by_the_hour"]
    for row in (own, hourly, ways["rent_always_on"]):
        assert row["usd_low"] < row["usd"] < row["usd_high"]
    parts = own["purchase_usd"] + own["interest_usd"] + own["running_usd"] - own["residual_usd"]
    assert own["usd"] == pytest.approx(parts, rel=1e-9)
    always = ways["rent_always_on"]
    for name in ("months_to_break_even", "break_even_utilisation_pct"):
        assert always[f"{name}_low"] < always[name]
    assert hourly["break_even_utilisation_pct"] < hourly["break_even_utilisation_pct_high"]
    for row in ways.values():
        if row is own or row["usd_low"] is None:
            continue
        overlaps = row["usd_low"] <= own["usd_high"] and own["usd_low"] <= row["usd_high"]
        assert row["against_owning"].startswith(("probably", "about")) == overlaps
    # the break-even month is the first: one month sooner owning costs more, at the residual value of the end
    first = always["months_to_break_even"]
    for months, is_cheaper in ((first, True), (first - 1, False)):
        again = ask(built_home, months=months, residual_pct=own["residual_pct"])
        assert (again["own"]["usd"] <= again["rent_always_on"]["usd"]) == is_cheaper


def test_rents_are_the_price_level_on_its_path_and_terms_those_of_rent_rates(built_home, warehouse):
    ways = ask(built_home)
    rates = {
        model: (usd, low, high)
        for model, usd, low, high in warehouse.execute(
            "select pricing_model, usd, usd_low, usd_high from rent_rates(?)", [H100]
        ).fetchall()
    }
    (change,) = warehouse.execute(
        "select monthly_change from intermediate.int_price__monthly_change"
    ).fetchone()
    drift = 1.96 * change * math.sqrt(18)
    usd, low, high = rates["on_demand"]
    assert ways["rent_always_on"]["usd"] == pytest.approx(64 * HOURS * usd, rel=1e-9)
    for end, of_level, of_path in (
        ("_low", low, (1 - math.exp(-drift)) / drift),
        ("_high", high, (math.exp(drift) - 1) / drift),
    ):
        width = math.hypot(math.log(of_level / usd), math.log(of_path))
        expected = 64 * HOURS * usd * math.exp(-width if end == "_low" else width)
        assert ways["rent_always_on"][f"usd{end}"] == pytest.approx(expected, rel=1e-9)
    three = ways["rent_3y"]
    assert three["months_paid"] == 36 and three["usd"] == pytest.approx(
        64 * 36 * 730 * rates["reserved_3y"][0]
    )
    assert three["usd_per_accelerator_hour_published"] == 2.0 and "InferenceX" in three["published_source"]
    assert three["months_to_break_even"] is None and "whole terms" in three["months_to_break_even_note"]
    # what is sold for work that can wait is paid by the hours used
    spot = ways["rent_spot"]
    assert (
        spot["usd"] == pytest.approx(0.6 * 64 * HOURS * rates["spot"][0]) and "interrupted" in spot["basis"]
    )


def test_a_commitment_is_paid_in_whole_terms_or_with_the_rest_by_the_hour(built_home):
    # 64 for 18 months at 60 %, in millions: 18 months by the hour 1.98; 12 committed and 6 by the hour 2.27; 36 committed 3.05
    ways = ask(built_home, rent=3.93, rent_1y=2.87, rent_3y=1.81)
    found = [ways[option]["usd"] / 1e6 for option in ("rent_by_the_hour", "rent_1y", "rent_3y")]
    assert found == pytest.approx([1.98, 2.27, 3.05], rel=0.01)
    assert (ways["rent_1y"]["months_paid"], ways["rent_3y"]["months_paid"]) == (18, 36)
    assert "12 months committed, the other 6 by the hour" in ways["rent_1y"]["basis"]
    # 22 months: two whole years cost less than one and ten months of every hour
    always = ask(built_home, months=22, utilisation=1, rent=3.93, rent_1y=2.87)["rent_1y"]
    assert always["usd"] == pytest.approx(64 * 730 * 24 * 2.87) and always["months_paid"] == 24


def test_a_commitment_is_renewed_at_what_prices_are_then(built_home, warehouse):
    """Three terms of a year: the first at today's ends, the others after 12 and 24 monthly changes; two of three years: after 36."""
    (change,) = warehouse.execute(
        "select monthly_change from intermediate.int_price__monthly_change"
    ).fetchone()
    rows = warehouse.execute(
        "select term_months, usd_low, usd, usd_high from rent_rates('H100') where term_months is not null"
    ).fetchall()
    rates = {term: ends for term, *ends in rows}
    for option, term, months in (("rent_1y", 12, 36), ("rent_3y", 36, 72), ("rent_3y", 36, 36)):
        low, usd, high = rates[term]
        starts = range(0, months, term)
        drifts = [1.96 * change * math.sqrt(start) for start in starts]
        ends = [
            sum(usd * math.exp(sign * math.hypot(math.log(end / usd), drift)) for drift in drifts)
            / len(drifts)
            for sign, end in ((-1, low), (1, high))
        ]
        found = ask(built_home, months=months)[option]
        assert [
            found["usd_per_accelerator_hour_low"],
            found["usd_per_accelerator_hour_high"],
        ] == pytest.approx(ends)
        assert found["usd"] == pytest.approx(64 * months * 730 * usd)


@pytest.mark.parametrize(
    ("months", "low", "high"), [(12, 0.90, 1.11), (18, 0.88, 1.14), (24, 0.87, 1.16), (36, 0.84, 1.21)]
)
def test_the_mean_of_the_path_of_a_rent(warehouse, months, low, high):
    """A month moves prices by 0.031: means of the path as worked out by hand."""
    for end, expected in ((1 - 1e-9, low), (1 + 1e-9, high)):
        (found,) = warehouse.execute(
            "select intermediate.rent_along_its_path(1, ?, ?, 0.031)", [end, months]
        ).fetchone()
        assert found == pytest.approx(expected, abs=0.006)
    (change,) = warehouse.execute(
        "select monthly_change from intermediate.int_price__monthly_change"
    ).fetchone()
    assert change == pytest.approx(0.031, abs=0.004)


def test_machines_are_bought_whole_by_every_question(built_home, warehouse):
    own = ask(built_home, accelerator="GB300", gpus=75)["own"]
    assert (own["accelerators"], own["accelerators_idle"]) == (144, 69)
    assert own["purchase_usd"] == pytest.approx(144 * own["capex_usd_per_accelerator"])
    common = {"accelerator": GB300, "capex": 50000, "database": built_home}
    for done in (
        reader.estimate_training(params=70e9, tokens=1e12, gpus=75, **common),
        reader.estimate_serving(model="llama3.1-405b", tokens_per_day=1e9, **common),
    ):
        assert done.figures["accelerators_bought"] == 144
        assert done.figures["outlay_hardware_usd"] == 144 * 50000
    ((bought, idle, busy),) = warehouse.execute(
        "select accelerators, accelerators_idle, accelerators_busy from choose('llama3.1-405b', 1e9, 1e9) "
        "where accelerator_id = ? and how = 'own'",
        [GB300],
    ).fetchall()
    assert bought % 72 == 0 and bought - idle - 1 < busy <= bought - idle


def test_the_command_prints_what_python_answers(accelmart, built_home):
    asked = ["estimate", "ownership", "--accelerator", "H100", "--gpus", "64", "--months", "18"]
    rows = json.loads(accelmart(built_home, *asked, "--json").stdout)
    assert {row["option"]: row["usd"] for row in rows} == {o: r["usd"] for o, r in ask(built_home).items()}


def test_what_cannot_be_answered_is_said(built_home):
    with pytest.raises(reader.QuestionError, match="all-in or server"):
        ask(built_home, price_is="rack")


def test_commands_tables_and_report_name_one_owner_where_none_is_asked_for(warehouse):
    root = Path(__file__).resolve().parents[2]
    owner = yaml.safe_load((root / "dbt_project/dbt_project.yml").read_text(encoding="utf-8"))["vars"][
        "default_owner"
    ]
    assert warehouse.execute("select default_owner()").fetchall() == [(owner,)]
    assert warehouse.execute("select * from mart_tco where scenario_id = default_owner()").fetchall()
    # no other file of the package or the report has a list of its own
    for folder in ("accelmart", "warehouse"):
        for path in (root / folder).rglob("*.[pj][ys]"):
            assert f'"{owner}"' not in path.read_text(encoding="utf-8"), path


@pytest.mark.parametrize(
    ("cost", "other", "verdict"),
    [
        # in millions, of comparing a commitment, renting by the hour and owning by hand
        ((5.2, 6.38, 8.0), (6.6, 8.29, 10.6), "probably_costs_less"),
        ((6.6, 8.29, 10.6), (6.8, 8.36, 10.9), "about_the_same"),
        ((6.8, 8.36, 10.9), (5.2, 6.38, 8.0), "probably_costs_more"),
        ((1, 2, 3), (4, 5, 6), "costs_less"),
        ((4, 5, 6), (1, 2, 3), "costs_more"),
        # the form of a purchase is not known: a range without a point
        ((1, None, 3), (4, 5, 6), "costs_less"),
        # no range is never a win
        ((None, 1, None), (4, 5, 6), "no_verdict"),
        ((None, None, None), (4, 5, 6), None),
    ],
)
def test_a_lower_cost_is_said_as_surely_as_its_range_allows(warehouse, cost, other, verdict):
    low, usd, high = cost
    other_low, other_usd, other_high = other
    found = warehouse.execute(
        "select intermediate.verdict_on_cost(?, ?, ?, ?, ?, ?)",
        [usd, low, high, other_usd, other_low, other_high],
    ).fetchone()
    assert found == (verdict,)


def test_64_b300_for_three_years_by_hand(built_home):
    """By hand at a level of 8.22 $ an hour, 6.38 and 8.29 million; both follow the level. Owning depends on inputs of owners."""
    ways = ask(built_home, accelerator="B300", months=36)
    three, hourly = ways["rent_3y"], ways["rent_by_the_hour"]
    with reader.connect(built_home) as opened:
        level = opened.rows("from price_level('B300')")[0]["usd_per_accelerator_hour"]
    for row, usd in ((three, 6.38e6), (hourly, 8.29e6)):
        assert row["usd"] == pytest.approx(usd * level / 8.22, rel=0.015)
        assert row["usd_low"] < row["usd"] < row["usd_high"]
    assert three["standing"] == "probably_costs_less"
    assert three["verdict"].startswith("probably costs less than") and "owning" in three["verdict"]
    assert ways["own"]["usd_low"] < ways["own"]["usd"] < ways["own"]["usd_high"]
    assert (
        ways["rent_spot"]["standing"] is None and ways["rent_spot"]["against_owning"] == "probably_costs_less"
    )
