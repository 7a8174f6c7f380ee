"""Machines that one has, and machines that a power limit carries: worked by a second method from facts, seeds and marts."""

import math

import pytest

import accelmart as package

A100, H100 = "nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb"
OWNER = "emerging_neocloud"
HOUR = 730


def frame(warehouse, query):
    return warehouse.execute(query).df()


@pytest.fixture
def keep_or_sell(built_home):
    return lambda *asked, **options: package.keep_or_sell(*asked, **options, database=built_home).records()


@pytest.fixture
def power_budget(built_home):
    return lambda *asked, **options: package.power_budget(*asked, **options, database=built_home).records()


def test_five_megawatts_for_deepseek_r1_by_pandas(warehouse, power_budget):
    results = frame(
        warehouse,
        "select * from fct_inference_result where benchmark_id = 'deepseek-r1' and scenario = 'Server' and division = 'closed' "
        "and suite = 'datacenter' and variant = 'standard' and result_unit = 'tokens/s' and not is_derived and is_per_accelerator_valid "
        "and not is_peer_outlier and availability = 'available'",
    )
    results["each"] = results["result"] / results["accelerator_count"]
    best = results.sort_values("each").groupby("accelerator_id").last()
    specs = frame(warehouse, "from dim_accelerator").set_index("accelerator_id")
    # all-in power of the newest publication, else TDP times the median of published all-in power ÷ TDP
    published = frame(warehouse, "from seeds.accelerator_power where power_scope = 'critical_it'")
    published = published.sort_values("as_of").groupby("accelerator_id")["watts_per_accelerator"].last()
    factor = (published / specs["tdp_w"]).median()
    assumed = frame(warehouse, f"from seeds.tco_scenarios where scenario_id = '{OWNER}'").set_index(
        "parameter"
    )
    owned = frame(
        warehouse, f"from mart_tco where scenario_id = '{OWNER}' and capex_basis = 'implied_times_factor'"
    )
    levels = frame(warehouse, "from price_level(null)").set_index("accelerator_id")[
        "usd_per_accelerator_hour"
    ]
    rows = power_budget("deepseek-r1", 5, months=24)
    ranked = [row for row in rows if row["rank"] is not None]
    assert len(ranked) > 3 and {row["accelerator_id"] for row in ranked} == set(best.index)
    for row in ranked:
        part = row["accelerator_id"]
        watts = published.get(part, factor * specs.loc[part, "tdp_w"])
        size = max(specs.loc[part, "scale_up_domain_size"], best.loc[part, "accelerators_per_node"])
        machines = math.floor(5e6 / (watts * assumed.loc["pue", "value"] * size))
        n = machines * size
        tokens = n * best.loc[part, "each"] * 0.6 * 86400
        assert (row["machines"], row["accelerators"]) == (machines, n), part
        assert row["racks"] == (machines if size == 72 else None), part
        assert row["tokens_per_day"] == pytest.approx(tokens), part
        (hour,) = owned.query("accelerator_id == @part and price_level == @row['price_level']")[
            "usd_per_accelerator_hour"
        ]
        assert row["owned_usd_per_month"] == pytest.approx(n * HOUR * hour), part
        assert row["owned_usd"] == pytest.approx(24 * n * HOUR * hour), part
        assert row["rented_usd_per_month"] == pytest.approx(n * HOUR * levels[part]), part
        assert row["rented_usd_per_output_mtok"] == pytest.approx(24 * n * levels[part] / tokens * 1e6), part
        drawn = n * row["drawn_watts_per_accelerator"] * assumed.loc["pue", "value"] / 1000
        assert row["kg_co2e_per_month"] == pytest.approx(drawn * HOUR * row["kg_co2e_per_kwh"]), part
        assert row["machines"] < row["machines_at_drawn_power_low"] <= row["machines_at_drawn_power"], part
    assert [row["tokens_per_day"] for row in ranked] == sorted(
        (row["tokens_per_day"] for row in ranked), reverse=True
    )


def test_a_limit_is_on_megawatts_or_machines_or_both(power_budget):
    free = {row["accelerator_id"]: row for row in power_budget("deepseek-r1", 5)}
    for row in power_budget("deepseek-r1", 5, machines=100):
        assert row["machines"] == min(100, free[row["accelerator_id"]]["machines"])
    three = power_budget("deepseek-r1", machines=3)
    assert {row["machines"] for row in three} == {3} and three[0]["racks"] == 3
    small = power_budget("deepseek-r1", 0.02)
    assert all(row["rank"] is None for row in small if row["machine_accelerators"] == 72)
    assert any("one machine of 72 takes 0.188 MW" in row["reason"] for row in small if row["reason"])
    with pytest.raises(package.QuestionError, match="megawatts is missing: give it, or machines"):
        power_budget("deepseek-r1")


def resale_share(warehouse, age, column):
    """Per cent of the price after so many months, on the line between the months of the seed."""
    seed = frame(warehouse, "from seeds.residual_values order by months")
    before, after = seed[seed.months <= age].iloc[-1], seed[seed.months >= age].iloc[0]
    way = (age - before.months) / max(after.months - before.months, 1)
    return before[column] + way * (after[column] - before[column])


def test_64_a100_by_hand(warehouse, keep_or_sell):
    # no A100 has a result of Llama 3.1: the nearest older task is GPT-J, measured in queries of 69 tokens (MLPerf's logs of v4.1)
    rows = keep_or_sell("llama3.1-405b", "A100-80GB:64", months=24)
    keep, *rents = rows
    # at 36 months of age, where none is stated
    assert keep_or_sell("llama3.1-405b", "A100-80GB:64", age_months=12)[0]["resale_usd"] > keep["resale_usd"]
    ((rate,),) = warehouse.execute(
        "select max(result / accelerator_count) from fct_inference_result where benchmark_id = 'gptj-99' and scenario = 'Server' "
        f"and accelerator_id = '{A100}' and division = 'closed' and suite = 'datacenter' and availability = 'available'"
    ).fetchall()
    tokens = 64 * rate * 69 * 0.6 * 24 * HOUR * 3600
    assert keep["option"] == "keep" and keep["benchmark_id"] == "gptj-99" and keep["release"] == "v3.1"
    assert "no result of nvidia-a100-sxm-80gb on llama3.1-405b" in keep["task_note"]
    # a published estimate of 21,429 US$ with its share of server, 812.5 W, and the owner's assumptions
    given = dict(
        warehouse.execute(
            f"select parameter, value from seeds.tco_scenarios where scenario_id = '{OWNER}'"
        ).fetchall()
    )
    kw, price = 0.8125, 21428.57
    parts = {
        "electricity": kw * given["pue"] * given["electricity_usd_per_kwh"] * 8760 * 2,
        "colocation": kw * given["colocation_usd_per_kw_month"] * 24,
        "maintenance": price * given["maintenance_pct_of_capex_per_year"] / 100 * 2,
        "staff": given["staff_usd_per_accelerator_year"] * 2,
    }
    assert {part: keep[f"{part}_usd"] / 64 for part in parts} == pytest.approx(parts)
    running = sum(parts.values())
    assert keep["running_usd_per_output_mtok"] == pytest.approx(64 * running / tokens * 1e6, rel=1e-4)
    # 36 months old today, 60 at the end: 20 to 40 % and 10 to 40 % of the price; 10 % a year on what they would sell for
    worth = price * (20 + 40) / 2 / 100
    lost = worth * 1.1**2 - price * (10 + 40) / 2 / 100
    assert keep["resale_usd"] == pytest.approx(64 * worth) and keep["value_lost_usd"] == pytest.approx(
        64 * lost
    )
    assert keep["usd"] == pytest.approx(64 * (running + lost))
    assert (
        keep["resale_usd_low"] < keep["resale_usd"] < keep["resale_usd_high"]
        and "2023-08" in keep["resale_basis"]
    )
    # the same accelerators rented: 64 at the price level, all the time
    (level,) = warehouse.execute(f"select usd_per_accelerator_hour from price_level('{A100}')").fetchone()
    (same,) = [row for row in rents if row["accelerator_id"] == A100]
    assert same["accelerators"] == 64 and same["usd"] == pytest.approx(64 * level * 24 * HOUR)
    assert same["sell_from_month"] is None


@pytest.mark.parametrize("have", ["A100-80GB:64", "H100:64"])
def test_the_month_of_selling_is_the_first_from_which_renting_always_costs_no_more(
    warehouse, keep_or_sell, have
):
    keep, *rents = keep_or_sell("llama3.1-405b", have, months=24)
    running = keep["running_usd"] / 24
    (price,) = warehouse.execute(
        "select capex_usd_per_accelerator from mart_tco where is_default and scenario_id = ? and accelerator_id = ?",
        [OWNER, keep["accelerator_id"]],
    ).fetchone()
    share = [
        sum(resale_share(warehouse, min(36 + month, 120), column) for column in ("low_pct", "high_pct")) / 200
        for month in range(121)
    ]
    costs = [
        running * month + 64 * price * (share[0] * 1.1 ** (month / 12) - share[month]) for month in range(121)
    ]
    assert costs[24] == pytest.approx(keep["usd"])
    for row in rents:
        keeping = [month for month in range(1, 121) if costs[month] < row["usd"] / 24 * month]
        first = max(keeping, default=0) + 1
        assert row["sell_from_month"] == (first if first <= 120 else None), row["accelerator_id"]
    assert {row["sell_from_month"] for row in rents} >= ({1} if have.startswith("A100") else {None})


def test_a_row_without_a_cost_has_a_reason(keep_or_sell):
    row = keep_or_sell("llama3.1-405b", "nvidia-a10:8")[0]
    assert row["usd"] is None and row["reason"].startswith("no capital price, or no all-in power")
    new, old = (keep_or_sell("llama3.1-405b", "H100:8", age_months=age)[0] for age in (6, 80))
    assert new["resale_usd"] > old["resale_usd"] and new["age_months"] == 6
