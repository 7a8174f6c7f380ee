"""Pages of the report for choosing: own numbers, within a budget, side by side; compared with SQL on the warehouse."""
# ruff: noqa: F811  fixtures of the other module are arguments here

import random

import pytest
from drill_processes import IS_FULL
from report_pages import READ, address, assert_same, browser, read, report, show, table  # noqa: F401

H100, B200 = "nvidia-h100-sxm-80gb", "nvidia-b200-sxm-180gb"
GB200, GB300 = "nvidia-gb200-186gb", "nvidia-gb300-288gb"

# drawn settings of training with each pricing, and of a budget for each model
DRAWS_OF_TRAINING, DRAWS_OF_BUDGETS = (100, 19) if IS_FULL else (25, 5)

WORKED_OUT = """
    with owned as (
        from tco(
            $accelerator, scenario := $scenario, capex_usd := $capex_usd_per_accelerator, it_power_w := $it_power_w,
            cost_of_capital_pct := $cost_of_capital_pct, depreciation_years := $depreciation_years,
            electricity_usd_per_kwh := $electricity_usd_per_kwh, pue := $pue,
            colocation_usd_per_kw_month := $colocation_usd_per_kw_month,
            maintenance_pct_of_capex_per_year := $maintenance_pct_of_capex_per_year,
            staff_usd_per_accelerator_year := $staff_usd_per_accelerator_year, availability_pct := $availability_pct,
            utilisation_pct := $utilisation_pct, goodput_pct := $goodput_pct
        )
    )
    select
        usd_per_accelerator_hour, usd_per_utilised_accelerator_hour, usd_per_useful_accelerator_hour,
        100 * (electricity_usd_per_accelerator_hour + colocation_usd_per_accelerator_hour)
            / (usd_per_accelerator_hour - unavailability_usd_per_accelerator_hour) as power_and_space_share_pct,
        usd_per_output_mtok(usd_per_accelerator_hour, $tokens) as owned_usd_per_output_mtok,
        usd_per_output_mtok(usd_per_useful_accelerator_hour, $tokens) as owned_usd_per_useful_output_mtok,
        $rent as rented_usd_per_accelerator_hour, usd_per_output_mtok($rent, $tokens) as rented_usd_per_output_mtok,
        rented_usd_per_output_mtok / $utilisation_pct / $goodput_pct * 1e4 as rented_usd_per_useful_output_mtok,
        $it_power_w * $pue * $gpus * $months * 730 / 1000 as energy_kwh,
        j_per_token($it_power_w, $pue, $tokens) as j_per_output_token,
        j_per_token($it_power_w, 1, $tokens) as j_per_output_token_before_pue,
        tokens_per_household_year(j_per_output_token) as output_tokens_per_household_year,
        usd_per_accelerator_hour - unavailability_usd_per_accelerator_hour - capital_usd_per_accelerator_hour as running
    from owned
"""
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
            price_each := $capex, running := $running, interest_pct := $interest,
            residual_pct := $residual, rent := $rent
        )
        """,
        question,
    ).fetchall()
    assert [*shown] == [row[0] for row in rows], where
    for option, standing, *figures in rows:
        said = standing.replace("_", " ").capitalize() if standing else "–"
        assert shown[option]["standing"] == said, (where, option)
        for name, value in zip(WAYS, figures, strict=True):
            observed = shown[option][name]
            assert observed == pytest.approx(value, rel=1e-7) if value is not None else not isinstance(observed, float | int), (where, option, name)  # fmt: skip
    return {row[1] for row in rows}


def test_own_numbers_equal_the_definitions_for_15_random_settings(show, warehouse):
    chance = random.Random(7)
    owned = warehouse.execute(
        "select distinct accelerator_id, scenario_id from mart_build_vs_rent order by all"
    ).fetchall()
    page = show("#/my-numbers")
    page.evaluate("window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} })")
    for _ in range(15):
        accelerator, scenario = chance.choice(owned)
        months, gpus = chance.choice([1, 6, 18, 40, 120]), chance.choice([1, 8, 64, 75])
        setting = {"accelerator": accelerator, "scenario": scenario, "gpus": gpus, "months": months}
        setting |= {name: round(chance.uniform(*bounds), 4) for name, bounds in RANGES.items()}
        if chance.random() < 0.1:
            setting["cost_of_capital_pct"] = 0
        where = address("my-numbers", **setting)
        (figures,) = read(page, [where], "#view [data-figure]")
        done = warehouse.execute(WORKED_OUT, {n: v for n, v in setting.items() if n != "residual_pct"})
        expected = dict(zip([column[0] for column in done.description], done.fetchone(), strict=True))
        running = expected.pop("running")
        assert_same({"": {name: figures[""][name] for name in expected}}, {"": expected}, where)
        question = {
            name: setting[name]
            for name in ("accelerator", "scenario", "gpus", "months", "utilisation_pct", "rent")
        }
        question |= {"capex": setting["capex_usd_per_accelerator"], "running": running, "interest": setting["cost_of_capital_pct"], "residual": setting["residual_pct"]}  # fmt: skip
        ways = table(page, "#fig-rent-or-own")
        assert_ways(warehouse, ways, question, where)
        assert (
            figures[""]["own_usd"] == ways["own"]["usd"]
            and figures[""]["rent_usd"] == ways["rent_by_the_hour"]["usd"]
        )


def test_default_own_numbers_equal_the_warehouse(show, warehouse):
    """Without own numbers the figures have the ranges of the warehouse, and the cost of an hour is that of mart_tco."""
    owned = warehouse.execute(
        """
        select accelerator_id, scenario_id, usd_per_accelerator_hour, power_and_space_share_pct
        from mart_tco where is_default and (accelerator_id, scenario_id) in
            (select (accelerator_id, scenario_id) from mart_build_vs_rent)
        order by hash(accelerator_id || scenario_id) limit 10
        """
    ).fetchall()
    page = show("#/my-numbers")
    page.evaluate("window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} })")
    standings = set()
    for accelerator, scenario, usd, share in owned:
        for months in (18, 36):
            where = address("my-numbers", accelerator=accelerator, scenario=scenario, months=months)
            (figures,) = read(page, [where], "#view [data-figure]")
            assert figures[""]["usd_per_accelerator_hour"] == pytest.approx(usd, rel=1e-7), where
            assert figures[""]["power_and_space_share_pct"] == pytest.approx(share, rel=1e-7), where
            question = {"accelerator": accelerator, "scenario": scenario, "gpus": 64, "months": months, "utilisation_pct": 60}  # fmt: skip
            question |= dict.fromkeys(("capex", "running", "interest", "residual", "rent"))
            standings |= assert_ways(warehouse, table(page, "#fig-rent-or-own"), question, where)
    assert standings >= {"costs_more", "probably_costs_less", "probably_costs_more"}


def test_sliders_and_fields_move_the_figures(show):
    page = show("#/my-numbers?scenario=hyperscaler")

    def cost():
        return float(page.locator("[data-figure=usd_per_accelerator_hour]").get_attribute("data-value"))

    before = cost()
    page.locator("#choose-electricity_usd_per_kwh-slider").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    # ten steps of a tenth of a cent, on 1.37 kW × PUE 1.15, ÷ availability 0.995
    assert cost() - before == pytest.approx(0.01 * 1.37 * 1.15 / 0.995, rel=1e-6)
    page.locator("#control-electricity_usd_per_kwh").get_by_role("button", name="default").click()
    assert cost() == before and page.url.endswith("#/my-numbers?scenario=hyperscaler")


# a column of the page, and that of the function
TRAINED = {
    "days": "days", "days_low": "days_low", "days_high": "days_high", "accelerator_hours": "accelerator_hours",
    "energy_kwh": "kwh", "usd": "rental_usd", "low": "rental_usd_low", "high": "rental_usd_high",
    "tokens_per_s": "trained_tokens_per_s_per_accelerator", "fewest_accelerators": "fewest_accelerators",
}  # fmt: skip


@pytest.mark.drills
def test_training_a_model_equals_the_function_for_drawn_settings(show, warehouse):
    chance = random.Random(62)
    page = show("#/train")
    settings = []
    for pricing in ("on_demand", "spot"):
        for _ in range(DRAWS_OF_TRAINING):
            settings.append({
                "parameters": chance.choice([1, 3, 8, 13, 34, 70, 175, 405, 671, 1000]), "gpus": chance.choice([8, 64, 256, 1024, 4096, 16384]),
                "tokens": round(chance.uniform(0.1, 30), 3), "pricing": pricing,
            })  # fmt: skip
    shown = read(page, [address("train", **setting) for setting in settings], "#fig-train tbody [data-key]")
    compared = 0
    for pricing in ("on_demand", "spot"):
        asked = [
            (i, accelerator, setting["parameters"] * 1e9, setting["gpus"], setting["tokens"] * 1e12)
            for i, setting in enumerate(settings)
            if setting["pricing"] == pricing
            for accelerator, figures in shown[i].items()
            if figures["usd"] is not None
        ]
        columns = ", ".join(TRAINED.values())
        rows = warehouse.execute(
            f"""
            select q.i, q.part, {columns}
            from (select unnest($asked::struct(i integer, part varchar, params double, gpus bigint, tokens double)[], recursive := true)) as q,
                lateral estimate_training(q.params, q.tokens, q.part, q.gpus, pricing := '{pricing}')
            """,
            {
                "asked": [
                    dict(zip(("i", "part", "params", "gpus", "tokens"), each, strict=True)) for each in asked
                ]
            },
        ).fetchall()
        assert len(rows) == len(asked) > 3 * DRAWS_OF_TRAINING
        for i, accelerator, *figures in rows:
            observed = [shown[i][accelerator][name] for name in TRAINED]
            for name, seen, value in zip(TRAINED, observed, figures, strict=True):
                assert seen is None if value is None else seen == pytest.approx(value, rel=1e-6), (
                    settings[i],
                    accelerator,
                    name,
                )
            compared += 1
    assert compared > 10 * DRAWS_OF_TRAINING


# a column of the page, and that of the function
OPTION = {
    name: {"j_modelled": "j_per_output_token_modelled", "j_measured": "j_per_output_token_measured"}.get(name, name)
    for name in (
        "accelerators", "cost_usd", "cost_usd_low", "cost_usd_high", "paid_usd", "purchase_usd", "running_usd", "usd_per_output_mtok",
        "j_modelled", "j_measured", "energy_kwh", "needed_memory_gb", "machine_memory_gb", "ttft_ms_p99", "n_sellers", "size_note",
        "n_sellers_of_level", "usd_per_accelerator_hour", "cost_usd_cheapest", "result_id", "submitter", "price_level", "reason",
    )
}  # fmt: skip
CHOSEN = """
    select q.i, c.accelerator_id || '|' || c.how as key, c.rank, c.unknown, {columns}
    from (select unnest($asked::struct(i integer, mtokens double, budget double, months double, j double)[], recursive := true)) as q,
        lateral choose(
            $benchmark, q.mtokens * 1e6, q.budget, months := q.months, max_j_per_token := q.j, owner := $owner, max_ttft_ms := $ttft
        ) as c
    order by q.i, c.rank nulls last
"""


@pytest.mark.drills
def test_options_within_a_budget_equal_the_function_for_drawn_settings(show, warehouse):
    chance = random.Random(20261122)
    page = show("#/choose")
    models, owners, limits = (
        page.evaluate(
            "(id) => [...document.getElementById(id).options].map((option) => option.value)", f"choose-{name}"
        )
        for name in ("benchmark", "owner", "maxTtft")
    )
    assert len(models) > 10 and len(owners) == 3 and len(limits) > 4
    ranked, apart = 0, 0
    for benchmark in models:
        owner, limit = chance.choice(owners), chance.choice(["none", *limits])
        asked = [
            {
                "i": i,
                "mtokens": chance.choice([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]),
                "budget": round(10 ** chance.uniform(4, 8)),
                "months": round(chance.uniform(0.5, 120), 2),
                "j": chance.choice([None, None, round(10 ** chance.uniform(-1, 2), 3)]),
            }
            for i in range(DRAWS_OF_BUDGETS)
        ]
        addresses = [
            address(
                "choose", benchmark=benchmark, owner=owner, maxTtft=limit, mtokens=q["mtokens"],
                budget=q["budget"], months=q["months"], maxJ=q["j"],
            )
            for q in asked
        ]  # fmt: skip
        observed = page.evaluate(
            READ, [addresses, "#fig-choose tbody [data-key], #fig-not-recommended tbody [data-key]"]
        )
        shown = []
        for cells in observed:
            shown.append({})
            for row, key, value, text in cells:
                shown[-1].setdefault(row, {})[key] = text if value is None else value
        expected = {}
        for i, key, *figures in warehouse.execute(
            CHOSEN.format(columns=", ".join(f"c.{name}" for name in OPTION.values())),
            {"asked": asked, "benchmark": benchmark, "owner": owner, "ttft": None if limit == "none" else float(limit)},
        ).fetchall():  # fmt: skip
            expected.setdefault(i, {})[key] = figures
        for i, rows in expected.items():
            where = addresses[i]
            assert shown[i].keys() == rows.keys(), where
            order = [row for row, cells in shown[i].items() if "reason" not in cells]
            assert order == [key for key, (rank, *_) in rows.items() if rank is not None], where
            for key, (rank, unknown, *figures) in rows.items():
                cells = shown[i][key]
                for name, value in zip(OPTION, figures, strict=True):
                    if name in cells:  # a dash marks a value that does not apply
                        expected_cell = "–" if value is None else pytest.approx(value, rel=1e-6) if isinstance(value, float | int) else value  # fmt: skip
                        assert cells[name] == expected_cell, (where, key, name)
                if rank is None:
                    apart += 1
                else:
                    ranked += 1
                    assert set(cells["notes"].split("; ")) == set((unknown or "–").split("; ")), (where, key)
    assert min(ranked, apart) > 15 * DRAWS_OF_BUDGETS


@pytest.mark.parametrize(
    ("first", "second"), [(H100, B200), ("nvidia-b300-sxm-270gb", GB300), ("amd-mi355x", B200)]
)
def test_two_parts_equal_the_function_compare(show, warehouse, first, second):
    displayed = table(show(f"#/side-by-side?a={first}&b={second}"), "#fig-side-by-side")
    rows = warehouse.execute(
        """
        select topic, item, unit, release_a, release_b, value_a, value_b
        from compare($1, $2) where topic in ('inference', 'training') or starts_with(topic, 'energy')
        """,
        [first, second],
    ).fetchall()
    for topic, item, unit, *rounds, a, b in rows:
        shown = displayed[f"{topic.capitalize()}|{item}|{unit}"]
        assert (shown[first], shown[second]) == pytest.approx((a, b)), item
        assert all(release in shown["what"] for release in rounds), item
    topics = ("Inference", "Training", "Energy")
    assert len(rows) > 10 and len(rows) == sum(key.startswith(topics) for key in displayed)


# row of the table: query of accelerator and figure
LEVELS = "select accelerator_id, {} from mart_rental_price_level where pricing_model = 'on_demand' and as_of = newest_price_day() and {{}}"
SIDE_BY_SIDE = {
    "Ownership, hyperscaler|Cost of an hour|US$ per accelerator-hour": "select accelerator_id, usd_per_accelerator_hour "
    "from mart_tco where scenario_id = 'hyperscaler' and price_level = (select price_level from mart_tco "
    "where scenario_id = 'hyperscaler' and {0} group by 1 having count(*) = 3 order by 1 desc limit 1) and {0}",
    "Rent, on demand|Typical price|US$ per accelerator-hour": LEVELS.format("usd_per_accelerator_hour"),
    "Rent, on demand|Cheapest offer|US$ per accelerator-hour": LEVELS.format("usd_cheapest"),
    "Energy, modelled|llama3.1-405b Server|J per output token, with PUE": "select accelerator_id, min(j_per_output_token_modelled) "
    "from mart_energy where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and release = 'v5.1' and division = 'closed' "
    "and variant = 'standard' and not is_derived and suite = 'datacenter' and {} group by 1",
}


def test_three_parts_are_compared_at_one_price_level_in_one_round_and_at_the_same_sellers(show, warehouse):
    page = show(f"#/side-by-side?a={H100}&b={GB200}&c={GB300}&owner=hyperscaler")
    displayed = table(page, "#fig-side-by-side")
    parts = [H100, GB200, GB300]
    for row, query in SIDE_BY_SIDE.items():
        expected = dict(warehouse.execute(query.format(f"accelerator_id in {(*parts,)}")).fetchall())
        assert expected and {part: displayed[row][part] for part in expected} == pytest.approx(expected), row
    same = {H100: 1.0} | dict(
        warehouse.execute(
            "select accelerator_id, ratio_median from mart_same_seller_ratio "
            "where other_accelerator_id = ? and pricing_model = 'on_demand' and list_contains(?, accelerator_id)",
            [H100, parts],
        ).fetchall()
    )
    topic, unit = "At the same sellers, on demand", "times H100 SXM5 80GB"
    hour, token = (
        displayed[f"{topic}|{what}|{unit}"] for what in ("An hour", "A token of llama3.1-405b Server")
    )
    speed = displayed["Inference|llama3.1-405b Server|tokens/s per accelerator"]
    assert {part: hour[part] for part in parts} == pytest.approx(same)
    assert [token[part] for part in parts] == pytest.approx([same[p] * speed[H100] / speed[p] for p in parts])


def test_machines_of_a_power_limit_and_machines_one_has_equal_the_functions(show, warehouse):
    page = show("#/power")
    shared = "machines, accelerators, tokens_per_day, rented_usd_per_month, owned_usd_per_month_high, kg_co2e_per_month"
    for model, megawatts, owner in (("deepseek-r1", 5, None), ("llama2-70b-99", 20, "hyperscaler")):
        where = address("power", benchmark=model, megawatts=megawatts, owner=owner)
        (shown,) = read(page, [where], "#fig-power tbody [data-key]")
        rows = warehouse.execute(
            f"select accelerator_id, {shared} from power_budget($1, $2, owner := coalesce($3, default_owner())) where rank is not null",
            [model, megawatts, owner],
        ).fetchall()
        assert len(rows) > 4 and {row[0] for row in rows} == set(shown)
        for part, *figures in rows:
            seen = [shown[part][name] for name in shared.split(", ")]
            assert seen == [None if value is None else pytest.approx(value) for value in figures], (
                where,
                part,
            )
    shared = "accelerators, usd, usd_low, usd_high, running_usd_per_output_mtok, sell_from_month"
    for part, model in (("nvidia-a100-sxm-80gb", "gptj-99"), (H100, "llama2-70b-99")):
        where = address("keep-or-sell", accelerator=part, model=model)
        (shown,) = read(page, [where], "#fig-keep-or-sell tbody [data-key]")
        rows = warehouse.execute(
            f"select option || '|' || accelerator_id, {shared} from keep_or_sell($1, $2)",
            [model, f"{part}:64"],
        ).fetchall()
        assert len(rows) > 6 and {row[0] for row in rows} == set(shown)
        for row, *figures in rows:
            seen = [shown[row][name] for name in shared.split(", ")]
            assert seen == [None if value is None else pytest.approx(value) for value in figures], (
                where,
                row,
            )
