"""Own or rent over months: macro, command, Python and mart by one formula."""

import json

import pytest

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
    assert ways["rent_by_the_hour"]["standing"] == "cheapest" and ways["own"]["standing"] == "more expensive"
    # 100 % of the hours cost as much as always on, and the break-even share as much as owning
    share = ways["rent_by_the_hour"]["break_even_utilisation_pct"]
    assert share / 100 * ways["rent_always_on"]["usd"] == pytest.approx(ways["own"]["usd"], rel=1e-9)


def test_every_amount_has_a_range_and_overlapping_ones_no_order(built_home):
    ways = ask(built_home)
    own, hourly = ways["own"], ways["rent_by_the_hour"]
    for row in (own, hourly, ways["rent_always_on"]):
        assert row["usd_low"] < row["usd"] < row["usd_high"]
    parts = own["purchase_usd"] + own["interest_usd"] + own["running_usd"] - own["residual_usd"]
    assert own["usd"] == pytest.approx(parts, rel=1e-9)
    assert own["interest_usd"] == pytest.approx(own["purchase_usd"] * (1.16**1.5 - 1), rel=1e-9)
    always = ways["rent_always_on"]
    for name in ("months_to_break_even", "break_even_utilisation_pct"):
        assert always[f"{name}_low"] < always[name]
    assert hourly["break_even_utilisation_pct"] < hourly["break_even_utilisation_pct_high"]
    for row in ways.values():
        overlaps = row["usd_low"] <= own["usd_high"] and own["usd_low"] <= row["usd_high"]
        if row is not own:
            assert (row["against_owning"] == "no order") == overlaps
    # the break-even month is the first: one month sooner owning costs more, at the residual value of the end
    first = always["months_to_break_even"]
    for months, is_cheaper in ((first, True), (first - 1, False)):
        again = ask(built_home, months=months, residual_pct=own["residual_pct"])
        assert (again["own"]["usd"] <= again["rent_always_on"]["usd"]) == is_cheaper


def test_rents_are_the_price_level_and_commitments_of_whole_terms(built_home, warehouse):
    ways = ask(built_home)
    ((level, low, high),) = warehouse.execute(
        "select usd_per_accelerator_hour, usd_per_accelerator_hour_low, usd_per_accelerator_hour_high "
        "from price_level(?)",
        [H100],
    ).fetchall()
    for end, usd in (("", level), ("_low", low), ("_high", high)):
        assert ways["rent_always_on"][f"usd{end}"] == pytest.approx(64 * HOURS * usd, rel=1e-9)
    # sellers first, each with one vote; what a third party published stands beside them
    sellers = [
        usd
        for (usd,) in warehouse.execute(
            "select min(usd_per_accelerator_hour) from price_on(newest_price_day()) where accelerator_id = ? "
            "and pricing_model = 'reserved_3y' and price_standing in ('current', 'recent') group by vote order by 1",
            [H100],
        ).fetchall()
    ]
    three = ways["rent_3y"]
    assert (three["months_paid"], ways["rent_1y"]["months_paid"]) == (36, 24)
    assert three["usd"] == pytest.approx(64 * 36 * 730 * sellers[len(sellers) // 2]) and len(sellers) == 3
    assert three["usd_per_accelerator_hour_published"] == 2.0 and "InferenceX" in three["published_source"]
    assert three["months_to_break_even"] is None and "whole terms" in three["months_to_break_even_note"]
    # nobody sells this one: the published rent, with no range
    published = ask(built_home, accelerator=GB300)["rent_3y"]
    assert (published["usd_per_accelerator_hour"], published["standing"]) == (5.0, "no range")
    assert published["uncertainty_basis"] == "one published figure"


def test_machines_are_bought_whole_by_every_question(built_home, warehouse):
    own = ask(built_home, accelerator="GB300", gpus=75)["own"]
    assert (own["accelerators"], own["accelerators_idle"]) == (144, 69)
    assert own["purchase_usd"] == pytest.approx(144 * own["capex_usd_per_accelerator"])
    common = {"accelerator": GB300, "capex": 50000, "database": built_home}
    run = reader.estimate_training(params=70e9, tokens=1e12, gpus=75, **common)
    serve = reader.estimate_serving(model="llama3.1-405b", tokens_per_day=1e9, **common)
    for done in (run, serve):
        assert done.figures["accelerators_bought"] == 144
        assert done.figures["outlay_hardware_usd"] == 144 * 50000
        assert any("144 accelerators, of which" in sentence for sentence in done.basis)
    assert run.figures["accelerators_idle"] == 69
    assert serve.figures["accelerators_idle"] == 144 - serve.figures["accelerators"]
    ((bought, idle, busy),) = warehouse.execute(
        "select accelerators, accelerators_idle, accelerators_busy from choose('llama3.1-405b', 1e9, 1e9) "
        "where accelerator_id = ? and how = 'own'",
        [GB300],
    ).fetchall()
    assert bought % 72 == 0 and bought - idle - 1 < busy <= bought - idle
    assert warehouse.execute("select accelerators_bought(?, 64)", [H100]).fetchone() == (64,)


def test_the_mart_follows_the_macro(built_home, warehouse):
    """A seller's price given to the macro gives the row of the mart."""
    rows = warehouse.execute(
        """
        select accelerator_id, scenario_id, horizon_months, utilisation_pct, rented_usd_per_accelerator_hour_min,
            owned_usd, break_even_utilisation_pct, months_to_break_even
        from mart_build_vs_rent where pricing_model = 'on_demand'
        qualify row_number() over (partition by accelerator_id order by hash(provider, scenario_id)) = 1
        """
    ).fetchall()
    assert len(rows) >= 8
    for part, owner, months, used, rent, owned, share, first in rows:
        row = warehouse.execute(
            "select * exclude (usd), o.usd / n.accelerators as usd from rent_or_own($part, $n, $months, utilisation := $used, "
            "scenario := $owner, rent_usd_per_hour := $rent) as o, "
            "(select accelerators_bought($part, 1) as accelerators) as n where option in ('own', 'rent_by_the_hour') "
            "order by option",
            {
                "part": part,
                "n": warehouse.execute("select accelerators_bought(?, 1)", [part]).fetchone()[0],
                "months": months,
                "used": used,
                "owner": owner,
                "rent": rent,
            },
        ).fetchdf()
        assert row["usd"][0] == pytest.approx(owned, rel=1e-9), part
        assert row["break_even_utilisation_pct"][1] == pytest.approx(share, rel=1e-9)
        assert (row["months_to_break_even"][1] if first is not None else None) == first


def test_the_command_prints_ways_and_inputs(accelmart, built_home):
    asked = ["estimate", "ownership", "--accelerator", "H100", "--gpus", "64", "--months", "18"]
    done = accelmart(built_home, *asked, "--utilisation", "0.6")
    assert done.returncode == 0, done.stderr
    for words in ("rent_by_the_hour", "no order", "price level", "residual_values", "whole terms"):
        assert words in done.stdout
    rows = json.loads(accelmart(built_home, *asked, "--json").stdout)
    assert {row["option"]: row["usd"] for row in rows} == {o: r["usd"] for o, r in ask(built_home).items()}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"accelerator": "H900"}, "no accelerator"),
        ({"months": 121}, "at most 120"),
        ({"scenario": "nobody"}, "emerging_neocloud"),
        ({"price_is": "rack"}, "all-in or server"),
        ({"residual_pct": 101}, "0 or more and at most 100"),
    ],
)
def test_what_cannot_be_answered_is_said(built_home, wrong, words):
    with pytest.raises(reader.QuestionError, match=words):
        ask(built_home, **wrong)
