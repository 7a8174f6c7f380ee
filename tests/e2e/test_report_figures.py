"""Figures of the report: each is that of the warehouse, or of a second implementation of the published definitions."""
# ruff: noqa: F811  fixtures of the other module are arguments here

import csv
import io
import math
import random
import xml.etree.ElementTree as ET

import pytest
from report_pages import (  # noqa: F401
    address,
    assert_same,
    browser,
    download,
    go,
    read,
    report,
    show,
    table,
    table_of,
)  # fmt: skip

from accelmart import headlines

H100, B200 = "nvidia-h100-sxm-80gb", "nvidia-b200-sxm-180gb"
GB200, GB300 = "nvidia-gb200-186gb", "nvidia-gb300-288gb"

RANKING = """
with cells as (
    select * from mart_token_throughput
    where benchmark_id = $benchmark and scenario = $scenario
        and apart_reason is null and (release = $round or ($round = 'best' and is_representative))
),

-- what may stand in a figure: recent prices of machines that hold the model, one vote a seller and who resells its machines
costs as (
    select benchmark_id, scenario, release, accelerator_id, vote, min(usd_per_output_mtok) as usd_per_output_mtok
    from mart_cost_per_mtok
    where pricing_model = $pricing and rank_reason is null and fit = 'fits'
    group by all
),

levels as (
    from mart_rental_price_level where pricing_model = $pricing
    qualify as_of = max(as_of) over ()
),

energy as (
    select benchmark_id, scenario, release, accelerator_id, min(j_per_output_token_measured) as j_measured_min,
        min(j_per_output_token_modelled) as j_modelled_min
    from mart_energy
    where division = 'closed' and suite = 'datacenter' and variant = 'standard' and not is_derived
        and result_id not in (select result_id from fct_inference_result where apart_reason is not null)
    group by all
)

select
    cells.accelerator_id,
    any_value(cells.output_tokens_per_s_per_accelerator) as throughput_max,
    any_value(cells.output_tokens_per_s_per_accelerator_median) as throughput_median,
    any_value(cells.n_results) as n_results,
    any_value(levels.usd_per_accelerator_hour / cells.output_tokens_per_s_per_accelerator / 3600 * 1e6)
        as usd_per_output_mtok_at_level,
    any_value(levels.usd_per_accelerator_hour_low / cells.output_tokens_per_s_per_accelerator / 3600 * 1e6)
        as usd_per_output_mtok_at_level_low,
    any_value(levels.usd_per_accelerator_hour_high / cells.output_tokens_per_s_per_accelerator / 3600 * 1e6)
        as usd_per_output_mtok_at_level_high,
    min(costs.usd_per_output_mtok) as usd_per_output_mtok_cheapest,
    median(costs.usd_per_output_mtok) as usd_per_output_mtok_median,
    count(costs.vote) as n_sellers,
    any_value(energy.j_measured_min) as j_measured_min,
    any_value(energy.j_modelled_min) as j_modelled_min,
    any_value(owned.usd_per_output_mtok) as owned_usd_per_output_mtok,
    any_value(owned.usd_per_output_mtok_low) as owned_usd_per_output_mtok_low
from cells
left join costs using (benchmark_id, scenario, release, accelerator_id)
left join levels using (accelerator_id)
left join energy using (benchmark_id, scenario, release, accelerator_id)
left join mart_owned_cost_per_mtok as owned
    on cells.benchmark_id = owned.benchmark_id and cells.scenario = owned.scenario and cells.release = owned.release
    and cells.accelerator_id = owned.accelerator_id and owned.availability = cells.availability and owned.is_default
    and owned.scenario_id = 'emerging_neocloud'
group by cells.accelerator_id
"""


def test_the_first_page_equals_sql_for_60_random_choices(show, warehouse):
    chance = random.Random(20261121)
    cells = warehouse.execute(
        "select distinct benchmark_id, scenario, release from mart_token_throughput order by all"
    ).fetchall()
    pricings = warehouse.execute(
        "select distinct pricing_model from mart_price_current order by 1"
    ).fetchall()
    choices = []
    for benchmark, scenario, release in chance.sample(cells, 60):
        pricing = chance.choice(["on_demand", *(value for (value,) in pricings)])
        choices.append({"benchmark": benchmark, "scenario": scenario, "round": chance.choice([release, "best"]), "pricing": pricing})  # fmt: skip
    page = show()
    observed = read(page, [address("accelerators", **c) for c in choices], "#fig-answer tbody [data-key]")
    compared = 0
    for choice, rows in zip(choices, observed, strict=True):
        assert_same(rows, table_of(warehouse.execute(RANKING, choice)), choice)
        # those with a price level come first, by it
        levels = [row["usd_per_output_mtok_at_level"] for row in rows.values()]
        ranked = [usd for usd in levels if usd is not None]
        assert levels[: len(ranked)] == sorted(ranked), choice
        compared += len(ranked)
    assert compared > 60


def test_all_charts_of_the_first_page_have_one_order_and_preview_last(show):
    page = show("#/accelerators?benchmark=deepseek-r1&scenario=Offline")
    rows = page.evaluate(
        """() => [...document.querySelectorAll("#fig-answer tbody tr")].map((row) => row.dataset.row)"""
    )
    names = page.locator("#fig-answer svg .mark-text text").all_inner_texts()
    labels = [name for name in names if " · v" in name]
    assert len(labels) > len(rows)  # one row for all three charts, and those of preview
    assert all("(" in label for label in labels[len(rows) :])
    assert not any("(" in label.partition("·")[2] for label in labels[: len(rows)])


def test_the_lowest_is_called_cheapest_only_where_no_range_overlaps(show, warehouse):
    page = show("#/accelerators?benchmark=llama3.1-405b&scenario=Server")
    for tile, relation, condition, suffix in (
        ("Rent, lowest price level", "mart_cost_headline", "pricing_model = 'on_demand'", "_at_level"),
        ("Own, lowest", "mart_owned_cost_per_mtok", "is_default and scenario_id = 'emerging_neocloud'", ""),
    ):
        first, *others = warehouse.execute(
            f"""
            select regexp_replace(product_name, ' \\([^)]*\\)', '', 'g') as part, usd_per_output_mtok{suffix} as usd,
                usd_per_output_mtok{suffix}_low as low, usd_per_output_mtok{suffix}_high as high
            from {relation} inner join dim_accelerator using (accelerator_id)
            where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and is_representative and {condition}
                and usd is not null
            order by usd
            """
        ).fetchall()
        shown = page.locator(".tiles > div", has_text=tile).inner_text()
        overlapping = [part for part, _, low, _ in others if low is None or low <= first[3]]
        assert overlapping and "cheapest" not in shown.lower()
        words = shown.partition("not separable from ")[2]
        assert f"${first[1]:.2f}" in shown and all(part in words for part in overlapping)
        assert not any(part in words for part, *_ in others if part not in overlapping)
        if suffix == "":  # the date, basis and number of prices of the capital
            assert "prices of 20" in shown and "n = " in shown and ("implied" in shown or "observed" in shown)


def test_accelerators_are_compared_at_the_sellers_of_both_as_in_the_command(show, built_home):
    page = show()
    compared = 0
    for benchmark in ("deepseek-r1", "llama3.1-405b"):
        (rows,) = read(page, [address("accelerators", benchmark=benchmark, scenario="Server")], "#fig-answer tbody [data-key]")  # fmt: skip
        for record in headlines(benchmark, "Server", database=built_home / "accelmart.duckdb").records():
            if record["apart_reason"]:  # in preview or research: apart on the page, without rank
                assert record["accelerator_id"] not in rows
                continue
            mine = rows[record["accelerator_id"]]
            assert mine["n_same_sellers"] == record["n_same_sellers"], (benchmark, record["accelerator_id"])
            assert mine["same_seller_ratio"] == pytest.approx(record["same_seller_ratio"], rel=1e-9)
            compared += record["n_same_sellers"] is not None
    assert compared > 5


def test_results_in_other_units_have_no_cost_of_tokens(show, warehouse):
    where = "#/accelerators?benchmark=resnet&scenario=Offline"
    page = show(where)
    (rows,) = read(page, [where], "#fig-answer tbody [data-key]")
    expected = warehouse.execute(
        """
        select accelerator_id, throughput_per_accelerator_max as throughput_max, throughput_per_accelerator_min as throughput_min
        from mart_inference_throughput inner join dim_release using (release)
        where dim_release.suite_kind = 'inference' and benchmark_id = 'resnet' and scenario = 'Offline'
            and division = 'closed' and suite = 'datacenter' and variant = 'standard' and result_unit = 'samples/s'
            and accelerator_id is not null and availability = 'available'
        qualify row_number() over (
            partition by accelerator_id order by throughput_per_accelerator_max desc, release_number desc
        ) = 1
        """
    )
    assert_same(rows, table_of(expected), where)
    assert "not in tokens" in page.inner_text("#meaning")


def test_the_evidence_lists_all_results_of_a_figure(show, warehouse):
    cells = warehouse.execute(
        """
        select benchmark_id, scenario, accelerator_id, n_results, throughput_per_accelerator_min,
            throughput_per_accelerator_median, throughput_per_accelerator_max
        from mart_inference_throughput
        where division = 'closed' and suite = 'datacenter' and variant = 'standard' and release = 'v5.1'
            and result_unit = 'tokens/s' and accelerator_id is not null and apart_reason is null
        order by all
        """
    ).fetchall()
    cells = random.Random(3).sample(cells, 12)
    page = show()
    places = [
        address("accelerators", benchmark=b, scenario=s, round="v5.1", evidence=a) for b, s, a, *_ in cells
    ]
    shown = read(page, places, "#evidence [data-key=throughput_per_accelerator]")
    for (_, _, _, n, low, _, high), rows in zip(cells, shown, strict=True):
        measured = sorted(row["throughput_per_accelerator"] for row in rows.values())
        assert len(measured) == n and (measured[0], measured[-1]) == pytest.approx((low, high))


def test_accelerators_without_a_recent_fitting_price_are_listed_with_a_reason(show, warehouse):
    # the cell with most of them among those with prices at all
    *where, reasons = warehouse.execute(
        """
        select benchmark_id, scenario, release, pricing_model, map(list(accelerator_id), list(reason))
        from mart_cost_headline
        where n_sellers = 0 and usd_per_output_mtok_at_level is null and apart_reason is null and not starts_with(reason, 'no price')
        group by all order by count(*) desc, 1, 2, 3, 4 limit 1
        """
    ).fetchone()
    page = show(address("accelerators", **dict(zip(("benchmark", "scenario", "round", "pricing"), where, strict=True))))  # fmt: skip
    listed = {
        row.get_attribute("data-row"): row.inner_text() for row in page.locator("#unranked tbody tr").all()
    }
    assert reasons and listed.keys() >= reasons.keys()
    assert all(reason in listed[accelerator] for accelerator, reason in reasons.items())


def test_every_page_with_prices_shows_their_day(show, warehouse):
    ((day,),) = warehouse.execute("select newest_price_day()").fetchall()
    page = show()
    for name in ("accelerators", "choose", "my-numbers", "side-by-side", "prices", "price-levels", "offers", "build-or-rent", "serving"):  # fmt: skip
        go(page, f"#/{name}")
        assert f"Prices as of {day}" in page.inner_text("#prices-as-of"), name


# --- own numbers --------------------------------------------------------------------------------------------------------


def worked_out(warehouse, s):
    """A second implementation: the annuity from the present value of its payments, tokens by SQL macros."""
    rate, years = s["cost_of_capital_pct"] / 100, s["depreciation_years"]
    worth_of_a_dollar_a_year = years if rate == 0 else -math.expm1(-years * math.log1p(rate)) / rate
    kw, hours = s["it_power_w"] / 1000, 8760
    parts = {
        "capital": s["capex_usd_per_accelerator"] / worth_of_a_dollar_a_year / hours,
        "electricity": kw * s["pue"] * s["electricity_usd_per_kwh"],
        "colocation": kw * s["colocation_usd_per_kw_month"] * 12 / hours,
        "maintenance": s["capex_usd_per_accelerator"] * s["maintenance_pct_of_capex_per_year"] / 100 / hours,
        "staff": s["staff_usd_per_accelerator_year"] / hours,
    }
    up, used, good = (s[name] / 100 for name in ("availability_pct", "utilisation_pct", "goodput_pct"))
    owned = sum(parts.values()) / up
    running = sum(parts.values()) - parts["capital"]
    ((own, rented, j, j_it, household),) = warehouse.execute(
        """
        select usd_per_output_mtok($owned, $tokens), usd_per_output_mtok($rent, $tokens), j_per_token($w, $pue, $tokens),
            j_per_token($w, 1, $tokens), tokens_per_household_year(j_per_token($w, $pue, $tokens))
        """,
        {"owned": owned, "rent": s["rent"], "tokens": s["tokens"], "w": s["it_power_w"], "pue": s["pue"]},
    ).fetchall()

    return {
        "usd_per_accelerator_hour": owned,
        "running_usd_per_accelerator_hour": running,
        "usd_per_utilised_accelerator_hour": owned / used,
        "usd_per_useful_accelerator_hour": owned / used / good,
        "power_and_space_share_pct": (parts["electricity"] + parts["colocation"]) / sum(parts.values()) * 100,
        "owned_usd_per_output_mtok": own,
        "owned_usd_per_useful_output_mtok": own / used / good,
        "rented_usd_per_accelerator_hour": s["rent"],
        "rented_usd_per_output_mtok": rented,
        "rented_usd_per_useful_output_mtok": rented / used / good,
        "energy_kwh": s["it_power_w"] * s["pue"] * s["gpus"] * s["months"] * 730 / 1000,
        "j_per_output_token": j,
        "j_per_output_token_before_pue": j_it,
        "output_tokens_per_household_year": household,
    }


RANGES = {
    "tokens": (5, 15000), "rent": (0.2, 12), "capex_usd_per_accelerator": (5000, 110000), "it_power_w": (200, 3500),
    "depreciation_years": (2, 8), "cost_of_capital_pct": (0, 25), "maintenance_pct_of_capex_per_year": (0, 12),
    "electricity_usd_per_kwh": (0.01, 0.4), "pue": (1, 2.2), "colocation_usd_per_kw_month": (0, 350),
    "staff_usd_per_accelerator_year": (0, 4000), "availability_pct": (60, 100), "utilisation_pct": (5, 100),
    "goodput_pct": (20, 100), "residual_pct": (0, 60),
}  # fmt: skip
WAYS = ["usd", "usd_low", "usd_high", "accelerators", "months_paid", "usd_per_accelerator_hour"] + [
    f"{name}{end}"
    for name in ("months_to_break_even", "break_even_utilisation_pct")
    for end in ("", "_low", "_high")
]


def assert_ways(warehouse, shown, question, where):
    """Compare the ways of having accelerators with the macro `rent_or_own`; return their standings."""
    rows = warehouse.execute(
        f"""
        select option, standing, {", ".join(WAYS)} from rent_or_own(
            $accelerator, $gpus, $months, utilisation := $utilisation_pct, scenario := $scenario,
            price_each := $capex, running_usd_per_hour := $running, interest_pct := $interest,
            residual_pct := $residual, rent_usd_per_hour := $rent
        )
        """,
        question,
    ).fetchall()
    assert [*shown] == [row[0] for row in rows], where
    for option, standing, *figures in rows:
        assert shown[option]["standing"] == (standing or "–"), (where, option)
        for name, value in zip(WAYS, figures, strict=True):
            observed = shown[option][name]
            assert observed == pytest.approx(value, rel=1e-8) if value is not None else not isinstance(observed, float | int), (where, option, name)  # fmt: skip
    return {row[1] for row in rows}


def test_own_numbers_equal_the_definitions_for_60_random_settings(show, warehouse):
    chance = random.Random(7)
    owned = warehouse.execute(
        "select distinct accelerator_id, scenario_id from mart_build_vs_rent order by all"
    ).fetchall()
    page = show("#/my-numbers")
    page.evaluate("window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} })")
    for _ in range(60):
        accelerator, scenario = chance.choice(owned)
        months, gpus = chance.choice([1, 6, 18, 40, 120]), chance.choice([1, 8, 64, 75])
        setting = {"accelerator": accelerator, "scenario": scenario, "gpus": gpus, "months": months}
        setting |= {name: round(chance.uniform(*bounds), 4) for name, bounds in RANGES.items()}
        if chance.random() < 0.1:
            setting["cost_of_capital_pct"] = 0
        where = address("my-numbers", **setting)
        (figures,) = read(page, [where], "#view [data-figure]")
        expected = worked_out(warehouse, setting)
        assert_same({"": {name: figures[""][name] for name in expected}}, {"": expected}, where)
        running = expected["running_usd_per_accelerator_hour"]
        question = {
            name: setting[name]
            for name in ("accelerator", "scenario", "gpus", "months", "utilisation_pct", "rent")
        }
        question |= {"capex": setting["capex_usd_per_accelerator"], "running": running, "interest": setting["cost_of_capital_pct"], "residual": setting["residual_pct"]}  # fmt: skip
        ways = table(page, "#fig-rent-or-own")
        assert_ways(warehouse, ways, question, where)
        assert figures[""]["own_usd"] == ways["own"]["usd"] and figures[""]["rent_usd"] == ways["rent_by_the_hour"]["usd"]  # fmt: skip


def test_default_own_numbers_equal_the_warehouse(show, warehouse):
    """Without own numbers the figures have the ranges of the warehouse, and the cost of an hour is that of mart_tco."""
    owned = warehouse.execute(
        """
        select accelerator_id, scenario_id, usd_per_accelerator_hour, power_and_space_share_pct
        from mart_tco where is_default and (accelerator_id, scenario_id) in
            (select (accelerator_id, scenario_id) from mart_build_vs_rent)
        order by all
        """
    ).fetchall()
    page = show("#/my-numbers")
    page.evaluate("window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} })")
    standings = set()
    for accelerator, scenario, usd, share in owned:
        for months in (18, 36):
            where = address("my-numbers", accelerator=accelerator, scenario=scenario, months=months)
            (figures,) = read(page, [where], "#view [data-figure]")
            assert figures[""]["usd_per_accelerator_hour"] == pytest.approx(usd, rel=1e-9), where
            assert figures[""]["power_and_space_share_pct"] == pytest.approx(share, rel=1e-9), where
            question = {
                "accelerator": accelerator,
                "scenario": scenario,
                "gpus": 64,
                "months": months,
                "utilisation_pct": 60,
            }
            question |= dict.fromkeys(("capex", "running", "interest", "residual", "rent"))
            standings |= assert_ways(warehouse, table(page, "#fig-rent-or-own"), question, where)
    assert standings >= {"more expensive", "no order"}


def test_sliders_and_fields_move_the_figures(show):
    page = show("#/my-numbers?scenario=hyperscaler")

    def figure(name):
        return float(page.locator(f"[data-figure={name}]").get_attribute("data-value"))

    before = figure("usd_per_accelerator_hour")
    slider = page.locator("#choose-electricity_usd_per_kwh-slider")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    # ten steps of a tenth of a cent, on 1.37 kW × PUE 1.15, ÷ availability 0.995
    assert figure("usd_per_accelerator_hour") - before == pytest.approx(0.01 * 1.37 * 1.15 / 0.995, rel=1e-6)
    assert slider.evaluate("(element) => element === document.activeElement")  # the slider keeps the focus
    page.locator("#choose-rent").fill("2.5")
    assert figure("rented_usd_per_accelerator_hour") == 2.5
    for name in ("electricity_usd_per_kwh", "rent"):
        page.locator(f"#control-{name}").get_by_role("button", name="default").click()
    assert figure("usd_per_accelerator_hour") == before
    assert page.url.endswith("#/my-numbers?scenario=hyperscaler")


# --- within a budget, side by side ----------------------------------------------------------------------------------------


def test_options_equal_the_macro_for_30_random_questions(show, warehouse):
    chance = random.Random(20261122)
    models = [
        m
        for (m,) in warehouse.execute(
            "select distinct benchmark_id from mart_token_throughput where scenario = 'Server' order by 1"
        ).fetchall()
    ]
    owners = [
        s for (s,) in warehouse.execute("select distinct scenario_id from mart_tco order by 1").fetchall()
    ]
    parts = [
        a
        for (a,) in warehouse.execute(
            "select distinct accelerator_id from mart_tco inner join mart_token_throughput using (accelerator_id) order by 1"
        ).fetchall()
    ]
    countries = [
        c
        for (c,) in warehouse.execute(
            "select distinct country from price_on(newest_price_day()) "
            "where pricing_model = 'on_demand' and country is not null order by 1"
        ).fetchall()
    ]
    page = show("#/choose")
    page.evaluate("window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} })")
    compared = ranked = 0
    for _ in range(30):
        question = {
            "benchmark": chance.choice(models),
            "mtokens": chance.choice([1, 30, 100, 900]),
            "budget": chance.choice([30_000, 400_000, 1_000_000, 20_000_000]),
            "months": chance.choice([1, 12, 36]),
            "utilisation": chance.choice([40, 60, 100]),
            "owner": chance.choice(owners),
            "country": chance.choice(["any", "any", *countries]),
            "maxTtft": chance.choice([None, None, 1500, 4000]),
            "maxJ": chance.choice([None, None, 0.5, 20]),
            "have": chance.choice(["none", *parts]),
            "haveCount": chance.choice([1, 8, 64]),
        }
        go(page, address("choose", **question))
        displayed = table(page, "#fig-choose") | table(page, "#fig-not-recommended")
        have = None if question["have"] == "none" else question["have"]
        rows = warehouse.execute(
            """
            select accelerator_id || '|' || how, rank, accelerators, cost_usd, cost_usd_low, cost_usd_high, paid_usd,
                usd_per_output_mtok, j_per_output_token_modelled, j_per_output_token_measured, energy_kwh, ttft_ms_p99,
                n_sellers, size_note, n_sellers_of_level, cost_usd_cheapest, result_id, reason
            from choose(
                $benchmark, $tokens, $budget, months := $months, utilisation := $utilisation, owner := $owner,
                region := $region, max_ttft_ms := $ttft, max_j_per_token := $joules, have_accelerator := $have,
                have_count := $count
            )
            """,
            {
                "benchmark": question["benchmark"],
                "tokens": question["mtokens"] * 1e6,
                "budget": question["budget"],
                "months": question["months"],
                "utilisation": question["utilisation"],
                "owner": question["owner"],
                "region": None if question["country"] == "any" else question["country"],
                "ttft": question["maxTtft"],
                "joules": question["maxJ"],
                "have": have,
                "count": question["haveCount"] if have else None,
            },
        ).fetchall()
        assert displayed.keys() == {row[0] for row in rows}, question
        order = [row for row in displayed if "reason" not in displayed[row]]
        assert order == [row[0] for row in rows if row[1] is not None], str(question)
        for key, rank, *figures, result, reason in rows:
            shown = displayed[key]
            names = ["accelerators", "cost_usd", "cost_usd_low", "cost_usd_high", "paid_usd"]
            names += [
                "usd_per_output_mtok",
                "j_modelled",
                "j_measured",
                "energy_kwh",
                "ttft_ms_p99",
                "n_sellers",
                "size_note",
                "n_sellers_of_level",
                "cost_usd_cheapest",
            ]
            for name, value in zip(names, figures, strict=True):
                # a dash marks a value that does not apply
                if name in shown and not (name == "n_sellers" and not value):
                    expected = "–" if value is None else pytest.approx(value, rel=1e-9)
                    assert shown[name] == expected, (question, key, name)
            if rank is None:
                # the page words its own sentences about prices
                assert shown["reason"].split("; ")[-1] == reason.split("; ")[-1] or "price" in reason, (
                    question
                )
                assert ("budget" in shown["reason"]) == ("budget" in reason), (question, key)
            else:
                ranked += 1
                assert shown["result_id"] == result
            compared += 1
    assert compared > 300 and ranked > 30


def times(value):
    """A ratio as the page prints it: three digits."""
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f}×"


def cell_of(item, unit, part):
    return f"tr[data-row='Inference|{item}|{unit}'] td[data-key='{part}']"


def test_two_parts_equal_the_macro_compare(show, warehouse):
    page = show(f"#/side-by-side?a={H100}&b={B200}")
    displayed = table(page, "#fig-side-by-side")
    rows = warehouse.execute(
        """
        select item, unit, if(release_a = release_b, release_a, release_a || ' / ' || release_b), value_a, value_b
        from compare($a, $b)
        where topic = 'inference'
        """,
        {"a": H100, "b": B200},
    ).fetchall()
    for item, unit, release, value_a, value_b in rows:
        shown = displayed[f"Inference|{item}|{unit}"]
        assert release in shown["what"], item
        assert (shown[H100], shown[B200]) == pytest.approx((value_a, value_b)), item
        assert times(value_b / value_a) in page.locator(cell_of(item, unit, B200)).inner_text(), item
    assert len(rows) >= 8 and len(rows) == sum(key.startswith("Inference|") for key in displayed)
    # training at systems of similar size: the largest common size in the newest round
    trained = warehouse.execute(
        """
        with sized as (
            select benchmark_id, release, accelerator_id, round(log2(accelerator_count)) as size,
                max(trained_tokens_per_s_per_accelerator) as best
            from fct_training_result
            where division = 'closed' and score_minutes is not null and trained_tokens_per_s_per_accelerator > 0
            group by all
        )
        select x.benchmark_id, x.release, x.best, y.best from sized as x
        inner join sized as y using (benchmark_id, release, size)
        where x.accelerator_id = $a and y.accelerator_id = $b
        qualify row_number() over (
            partition by x.benchmark_id order by string_split(ltrim(x.release, 'v'), '.')::integer[] desc, size desc
        ) = 1
        """,
        {"a": H100, "b": B200},
    ).fetchall()
    for benchmark, release, value_a, value_b in trained:
        shown = displayed[f"Training|{benchmark}|trained tokens/s per accelerator"]
        assert release in shown["what"], benchmark
        assert (shown[H100], shown[B200]) == pytest.approx((value_a, value_b)), benchmark
    assert trained and len(trained) == sum(key.startswith("Training|") for key in displayed)
    # figures of different number formats name the format
    texts = page.locator(
        f"#fig-side-by-side tr[data-row^='Inference|llama2-70b-99 Server'] td[data-key='{H100}']"
    )
    assert "fp8" in texts.inner_text()


def test_three_parts_are_compared_at_one_price_level_and_in_one_round(show, warehouse):
    page = show(f"#/side-by-side?a={H100}&b={GB200}&c={GB300}&owner=hyperscaler")
    displayed = table(page, "#fig-side-by-side")
    parts = [H100, GB200, GB300]
    levels = warehouse.execute(
        """
        select price_level, map(list(accelerator_id), list(usd_per_accelerator_hour)) from mart_tco
        where scenario_id = 'hyperscaler' and list_contains(?, accelerator_id) group by 1
        having count(*) = 3 order by 1 desc limit 1
        """,
        [parts],
    ).fetchone()
    owned = displayed["Ownership, hyperscaler|Cost of an hour|US$ per accelerator-hour"]
    assert f"prices of {levels[0]}" in owned["what"]
    assert {part: owned[part] for part in parts} == pytest.approx(dict(levels[1]))
    for part in parts:
        level, cheapest, middle = warehouse.execute(
            "select usd_per_accelerator_hour, usd_cheapest, usd_median_plain from price_level(?)", [part]
        ).fetchone()
        for what, usd in (
            ("Price level", level),
            ("Cheapest offer", cheapest),
            ("Plain median of sellers", middle),
        ):
            rent = displayed[f"Rent, on demand|{what}|US$ per accelerator-hour"]
            assert rent[part] == pytest.approx(usd), what
    # the table begins with what the sellers of both ask: of an hour, and of a token at the speeds shown below
    same = {H100: 1.0} | dict(
        warehouse.execute(
            "select accelerator_id, ratio_median from mart_same_seller_ratio "
            "where other_accelerator_id = ? and pricing_model = 'on_demand' and list_contains(?, accelerator_id)",
            [H100, parts],
        ).fetchall()
    )
    topic, unit = "At the same sellers, on demand", "times H100 SXM5 80GB"
    assert next(iter(displayed)) == f"{topic}|An hour|{unit}"
    assert {part: displayed[f"{topic}|An hour|{unit}"][part] for part in parts} == pytest.approx(same)
    speed = displayed["Inference|llama3.1-405b Server|tokens/s per accelerator"]
    token = displayed[f"{topic}|A token of llama3.1-405b Server|{unit}"]
    assert {part: token[part] for part in parts} == pytest.approx(
        {part: same[part] * speed[H100] / speed[part] for part in parts}
    )
    memory = warehouse.execute(
        "select accelerator_id, memory_gb from dim_accelerator where list_contains(?, accelerator_id)",
        [parts],
    ).fetchall()
    assert {part: displayed["Specification|Memory|GB"][part] for part in parts} == dict(memory)
    joules = dict(
        warehouse.execute(
            """
            select accelerator_id, min(j_per_output_token_modelled) from mart_energy
            where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and release = 'v5.1' and division = 'closed'
                and variant = 'standard' and not is_derived and suite = 'datacenter' and list_contains(?, accelerator_id)
            group by 1
            """,
            [parts],
        ).fetchall()
    )
    energy = displayed["Energy, modelled|llama3.1-405b Server|J per output token, with PUE"]
    assert "v5.1" in energy["what"] and {part: energy[part] for part in parts} == pytest.approx(joules)
    gains = dict(
        warehouse.execute(
            "select accelerator_id, median(gain_ratio) from mart_software_progress where suite_kind = 'inference' "
            "and list_contains(?, accelerator_id) group by 1",
            [parts],
        ).fetchall()
    )
    progress = displayed["Progress of software|Median gain from a round to the next, inference|times"]
    assert {part: progress[part] for part in gains} == pytest.approx(gains)


# --- offers -----------------------------------------------------------------------------------------------------------


LAST = (
    "(from fct_price_interval qualify row_number() over (partition by offer_id order by valid_from desc) = 1)"
)
EVERYTHING = {"pricing": "all", "age": "all", "comparable": "all"}


def test_offers_are_filtered_sorted_and_downloaded(show, warehouse):
    page = show(address("offers", **EVERYTHING))
    _, raw = download(page, "#fig-offers", "csv")
    listed = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    ((offers, comparable),) = warehouse.execute(
        f"select count(*), count(*) filter (is_comparable) from {LAST}"
    ).fetchall()
    assert len(listed) == offers and sum(row["is_comparable"] == "true" for row in listed) == comparable
    assert all(row["exclusion_reason"] for row in listed if row["is_comparable"] == "false")
    for chosen, condition in (
        ({"accelerator": H100, "pricing": "on_demand"}, f"accelerator_id = '{H100}' and pricing_model = 'on_demand'"),
        ({"seller": "aws", "place": "US"}, "provider = 'aws' and country = 'US'"),
        ({"comparable": "no"}, "not is_comparable"),
        ({"place": "europe", "size": "eight"}, "(country in ('BE','CH','DE','ES','FI','FR','GB','IE','IT','NL','NO','PL','SE') or region = 'Europe') and machine_accelerators = 8"),
        ({"find": "aws h100"}, "provider = 'aws' and contains(lower(concat_ws(' ', accelerator_id, accelerator_published, instance_type)), 'h100')"),
    ):  # fmt: skip
        expected = {offer for (offer,) in warehouse.execute(f"select offer_id from {LAST} where {condition}").fetchall()}  # fmt: skip
        go(page, address("offers", **(EVERYTHING | chosen)))
        shown = set(table(page, "#fig-offers"))
        assert expected and shown <= expected and len(shown) == min(200, len(expected)), chosen
    go(page, address("offers", sort="price", accelerator=H100))
    prices = [row["usd_per_accelerator_hour"] for row in table(page, "#fig-offers").values()]
    assert len(prices) > 5 and prices == sorted(prices)
    go(page, "#/offers?find=nothing-is-called-this")
    assert "No offer fits these choices" in page.inner_text("#view")


def test_offers_begin_with_current_ones_of_new_data_centre_accelerators(show, warehouse):
    page = show("#/offers")
    first = [*table(page, "#fig-offers")][:10]
    ((n, low),) = warehouse.execute(
        f"select count(*), min(release_date) from {LAST} inner join dim_accelerator using (accelerator_id) "
        "where offer_id in (select unnest(?)) and valid_to is null and pricing_model = 'on_demand' "
        "and memory_type like 'HBM%' and is_comparable",
        [first],
    ).fetchall()
    assert n == len(first) and low >= "2024"


# --- serving measured outside of MLPerf -----------------------------------------------------------------------------------


def test_every_serving_read_equals_the_warehouse(show, warehouse):
    names = ("output_tokens_per_s_per_accelerator", "rent_usd_per_output_mtok", "owned_usd_per_output_mtok", "j_per_output_token_measured")  # fmt: skip
    chosen, expected = [], []
    for model, workload in warehouse.execute("select distinct model_id, workload from mart_serving_frontier order by all").fetchall():  # fmt: skip
        for speed in (20, 50, 100):
            chosen.append(address("serving", model=model, workload=workload, speed=speed))
            expected.append(
                warehouse.execute(
                    f"select {', '.join(names)} from mart_serving_frontier where row_kind = 'read' "
                    "and model_id = ? and workload = ? and tokens_per_s_per_user = ?",
                    [model, workload, speed],
                ).fetchall()
            )
    assert len(chosen) > 90
    page = show("#/serving")
    for where, observed, rows in zip(chosen, read(page, chosen, "#fig-serving-reads tbody [data-key]"), expected, strict=True):  # fmt: skip
        shown = [tuple(row[name] for name in names) for row in observed.values()]
        assert sorted(map(str, shown)) == sorted(map(str, rows)), where
    go(page, "#/serving?speed=100")
    stated = page.inner_text("#measured-by")
    assert all(words in stated for words in ("ML.ENERGY", "GPU power only", "No MLPerf result", "never ranked with MLPerf"))  # fmt: skip
    slider = page.locator("#choose-speed")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**#/serving?speed=75")
    assert slider.get_attribute("aria-valuetext") == page.inner_text("#control-speed output") == "75"


def test_carbon_is_the_measured_joules_on_the_chosen_grid(show, warehouse):
    page = show("#/serving")
    names = ("kg_co2e_per_output_mtok", "kg_co2e_per_output_mtok_low", "kg_co2e_per_output_mtok_high")
    for grid, condition in {
        "US": "country = 'US' and grid_level = 'country'",
        "US-WA": "us_state = 'WA'",
        "world": "grid_level = 'world'",
    }.items():
        (observed,) = read(page, [address("serving", grid=grid, speed=20)], "#fig-serving-reads tbody [data-key]")  # fmt: skip
        expected = warehouse.execute(
            "select j_per_output_token_measured / 3.6 * kg_co2e_per_kwh, "
            "j_per_output_token_measured / 3.6 * kg_co2e_per_kwh_low, "
            "j_per_output_token_measured / 3.6 * kg_co2e_per_kwh_high "
            "from mart_serving_frontier, dim_grid where row_kind = 'read' and model_id = 'llama-3.1-405b' "
            f"and tokens_per_s_per_user = 20 and is_in_force and {condition}"
        ).fetchall()
        shown = sorted(tuple(row[name] for name in names) for row in observed.values() if row[names[0]])
        wanted = sorted(row for row in expected if row[0] is not None)
        assert wanted and len(shown) == len(wanted)
        for ours, theirs in zip(shown, wanted, strict=True):
            assert ours == pytest.approx(theirs, rel=1e-9)


def test_the_cross_check_has_both_sides_in_columns_of_their_own(show, warehouse):
    page = show("#/serving")
    ((rows, quantities),) = warehouse.execute(
        "select count(*), count(distinct quantity) from mart_measurement_check"
    ).fetchall()
    tables = page.locator("[id^=fig-cross-check]")
    assert (tables.locator("tbody tr").count(), tables.count()) == (rows, quantities)
    heads = tables.first.locator("th").all_inner_texts()
    assert heads.index("MLPerf, best result") < heads.index("Other figure, best")
    assert tables.locator(".chart").count() == 0


def test_a_serving_frontier_has_a_series_for_each_part_and_its_own_source(show, warehouse):
    page = show("#/serving?model=llama-3.1-405b")
    names = page.locator("#fig-serving-frontier .role-legend-label text").all_inner_texts()
    ((series, points),) = warehouse.execute(
        "select count(distinct (accelerator_id, number_format)), count(*) from mart_serving_frontier "
        "where row_kind = 'point' and axis = 'tokens_per_s_per_user' and model_id = 'llama-3.1-405b'"
    ).fetchall()
    assert len(names) == series and page.locator("#fig-serving-frontier svg [aria-roledescription=point]").count() == points  # fmt: skip
    _, svg = download(page, "#fig-serving-frontier", "svg")
    words = " ".join(ET.fromstring(svg).itertext())
    assert "measurements of ML.ENERGY (no MLPerf results)" in words and "Derived from MLPerf" not in words


# --- every other table ------------------------------------------------------------------------------------------------------

TABLES = {
    "build-or-rent?scenario=neocloud_giant&pricing=spot": (
        "#fig-break-even",
        """
        select t.accelerator_id,
            any_value(t.owned_usd_per_accelerator_hour / l.usd_per_accelerator_hour * 100)
                as break_even_utilisation_pct_at_level,
            any_value(t.owned_usd_per_accelerator_hour_low / l.usd_per_accelerator_hour_high * 100)
                as break_even_utilisation_pct_at_level_low,
            any_value(t.owned_usd_per_accelerator_hour_high / l.usd_per_accelerator_hour_low * 100)
                as break_even_utilisation_pct_at_level_high,
            any_value(l.n_sellers) as n_sellers
        from mart_build_vs_rent as t
        inner join mart_rental_price_level as l using (accelerator_id, pricing_model)
        where t.scenario_id = 'neocloud_giant' and l.pricing_model = 'spot'
            and l.as_of = newest_price_day() and l.reason is null
        group by t.accelerator_id
        """,
    ),
    "build-or-rent?workload=llama2-70b-99": (
        "#fig-perf-per-tco",
        """
        select concat_ws('|', accelerator_id, benchmark_id, scenario, release, result_unit), perf_per_tco_ratio,
            throughput_ratio, tco_ratio, n_results
        from mart_perf_per_tco
        where scenario_id = 'emerging_neocloud' and baseline_accelerator_id = 'nvidia-h100-sxm-80gb'
            and benchmark_id = 'llama2-70b-99' and is_default and perf_per_tco_ratio is not null
        """,
    ),
    "progress?benchmark=bert-99&scenario=Offline": (
        "#fig-best-of-round",
        """
        select concat_ws('|', accelerator_id, accelerator_count, release), gain_ratio, value, previous_value
        from mart_best_of_round where suite_kind = 'inference' and benchmark_id = 'bert-99' and scenario = 'Offline'
            and availability = 'available' and previous_release is not null
        """,
    ),
    "progress?suite=training&benchmark=llama2_70b_lora": (
        "#fig-software",
        """
        select concat_ws('|', accelerator_id, accelerator_count, release, submitter_id, number_format), gain_ratio, value,
            previous_value
        from mart_software_progress where suite_kind = 'training' and benchmark_id = 'llama2_70b_lora'
        """,
    ),
    "progress?benchmark=llama2-70b-99.9&scenario=Offline": (
        "#fig-rounds",
        """
        select accelerator_id || '|' || release, throughput_per_accelerator_max as "value",
            throughput_per_accelerator_median as middle, n_results
        from mart_inference_throughput
        where benchmark_id = 'llama2-70b-99.9' and scenario = 'Offline' and division = 'closed' and suite = 'datacenter'
            and variant = 'standard' and accelerator_id is not null and result_unit = 'tokens/s' and apart_reason is null
        """,
    ),
    "training?benchmark=llama31_405b&usd_per_hour=2.5": (
        "#fig-by-size",
        """
        select r.result_id, r.score_minutes, r.accelerator_hours, r.accelerator_hours * 2.5 as cost_to_train_usd,
            r.accelerator_count, r.mfu_pct, r.bf16_equivalent_pct, r.trained_tokens_per_s_per_accelerator,
            t.owned_usd_per_trained_mtok, t.rented_usd_per_trained_mtok, t.j_per_trained_token_modelled
        from fct_training_result as r left join mart_trained_tokens as t using (result_id)
        where r.benchmark_id = 'llama31_405b' and r.division = 'closed' and r.score_minutes is not null
            and r.availability = 'available'
        """,
    ),
    "training?benchmark=llama31_405b&metric=tokens": (
        "#fig-frontier-cost",
        "select model || '|' || price_basis, usd_to_train, epoch_usd, difference_pct from mart_frontier_cost_check",
    ),
    "serving?model=llama-3.1-405b": (
        "#fig-serving-frontier",
        """
        select point_id, tokens_per_s_per_user, output_tokens_per_s_per_accelerator, rent_usd_per_output_mtok,
            owned_usd_per_output_mtok, j_per_output_token_measured, concurrency, n_accelerators_all
        from mart_serving_frontier
        where row_kind = 'point' and axis = 'tokens_per_s_per_user' and model_id = 'llama-3.1-405b'
        """,
    ),
    "training?benchmark=llama2_70b_lora": (
        "#fig-scaling",
        """
        select result_id, throughput_scaling_efficiency * 100 as throughput_scaling_pct, scaling_efficiency * 100 as scaling_pct
        from mart_training_scaling where benchmark_id = 'llama2_70b_lora' and division = 'closed'
        """,
    ),
    "prices?accelerator=nvidia-h100-sxm-80gb": (
        "#fig-sellers",
        """
        select provider, usd_per_accelerator_hour_min, usd_per_accelerator_hour_median, n_offers, age_days
        from mart_price_current where accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'
            and segment is distinct from 'aggregate'
        """,
    ),
    "price-levels": (
        "#fig-price-levels",
        """
        select accelerator_id, usd_per_accelerator_hour, usd_per_accelerator_hour_low, usd_per_accelerator_hour_high,
            n_sellers, relative_to_h100, usd_cheapest, usd_median_plain, n_sellers_plain
        from mart_rental_price_level where pricing_model = 'on_demand' and as_of = newest_price_day()
        """,
    ),
    "price-levels?pricing=on_demand": (
        "#fig-clouds",
        """
        select provider || '|' || memory_group, factor, factor_low, factor_high, n_accelerators
        from mart_seller_price_level where pricing_model = 'on_demand' and as_of = newest_price_day()
        """,
    ),
    "prices?accelerator=nvidia-h100-sxm-80gb&pricing=on_demand": (
        "#fig-price-level",
        """
        select strftime(as_of, '%Y-%m-%d'), usd_per_accelerator_hour, usd_per_accelerator_hour_low,
            usd_per_accelerator_hour_high, n_sellers, usd_median_plain
        from mart_rental_price_level
        where accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand' and as_of <= newest_price_day()
            and (day(as_of) = 1 or as_of = newest_price_day())
        """,
    ),
    "prices?pricing=on_demand": (
        "#fig-price-index",
        """
        select strftime(month, '%Y-%m-%d'), index, low, high, n_sellers, n_matched, tpd_check
        from mart_price_index where accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'
        """,
    ),
    "build-or-rent": (
        "#fig-owned",
        """
        select accelerator_id, usd_per_accelerator_hour, usd_per_accelerator_hour_low, capital_usd_per_accelerator_hour
        from mart_tco where is_default and scenario_id = 'emerging_neocloud'
        """,
    ),
    "claims": ("#fig-claims", "select claim_id, claimed_value, measured_value, ratio, n_cases from mart_claim_check"),
    "findings": ("#fig-findings", "select finding_id, n_claims, n_agree, n_contradict, n_open from mart_findings"),
    "published": (
        "#fig-published-values", "select value_id, ours, difference_pct from mart_published_values",
    ),
    "published?text=all": (
        "#fig-published-tables",
        """
        select row_id, theirs, own_value, own_value_low, own_value_high, own_difference_pct, ours, difference_pct
        from mart_published_tables
        """,
    ),
    "health": ("#fig-ages", "select source, age_days, payloads, records_in, rows, rejects from mart_source_health"),
}  # fmt: skip


def test_tables_equal_the_warehouse(show, warehouse):
    page = show()
    for where, (figure, query) in TABLES.items():
        expected = table_of(warehouse.execute(query))
        assert len(expected) > 3, where
        (rows,) = read(page, [f"#/{where}"], f"{figure} tbody [data-key]")
        assert_same(rows, expected, where)
