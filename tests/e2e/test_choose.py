"""Options within a budget, on the warehouse built from real data.

Three cases are worked by hand here, from throughput, prices, capital and assumptions as the facts and seeds have them.
"""

import json
import math
from datetime import date
from statistics import median

import pytest

import accelmart as package

H100, H200, B200, B300 = (
    "nvidia-h100-sxm-80gb",
    "nvidia-h200-sxm-141gb",
    "nvidia-b200-sxm-180gb",
    "nvidia-b300-sxm-270gb",
)
BYTES = {"fp4": 0.5, "int4": 0.5, "fp8": 1, "int8": 1, "fp16": 2, "bf16": 2, "fp32": 4}
HOURS = 12 * 730
# HGX boards carry eight: nobody sells one of them alone unless the offer says so
NODES = {H200: 8, B300: 8}


@pytest.fixture
def choose(built_home):
    return lambda *question, **options: package.choose(*question, **options, database=built_home).records()


def one(rows, accelerator, how):
    (row,) = [r for r in rows if r["accelerator_id"] == accelerator and r["how"] == how]
    return row


def best_result(db, benchmark, accelerator):
    """Tokens/s per accelerator, number format and accelerators of a node: the best available Server result of any round."""
    return db.execute(
        """
        select result / accelerator_count, number_format, accelerators_per_node, result_id
        from fct_inference_result
        where benchmark_id = ? and accelerator_id = ? and scenario = 'Server' and division = 'closed'
            and suite = 'datacenter' and variant = 'standard' and not is_derived and result_unit = 'tokens/s'
            and availability = 'available' and not is_peer_outlier and software_class = 'optimised'
        order by 1 desc limit 1
        """,
        [benchmark, accelerator],
    ).fetchone()


def needed_gb(db, benchmark, number_format):
    (parameters,) = db.execute(
        "select any_value(model_parameters) from mart_token_throughput where benchmark_id = ?", [benchmark]
    ).fetchone()
    return parameters * BYTES[number_format] * 1.2 / 1e9


def rent_by_hand(db, benchmark, accelerator, tokens_per_day, hours=HOURS):
    """Rent of each seller: its cheapest machines that hold the model, seen within 180 days, as many as the load takes."""
    tokens_per_s, number_format, _, _ = best_result(db, benchmark, accelerator)
    (memory,) = db.execute(
        "select memory_gb from dim_accelerator where accelerator_id = ?", [accelerator]
    ).fetchone()
    busy = tokens_per_day / (24 * 3600) / (tokens_per_s * 0.60)
    day = db.execute("select newest_price_day()").fetchone()[0]
    rents = {}
    for seller, size, is_stated, usd_per_machine, seen in db.execute(
        """
        select coalesce(resells, provider), accelerator_count, is_size_stated, usd_per_instance_hour, o.last_seen_at::date
        from price_on(?) as o inner join dim_provider using (provider)
        where accelerator_id = ? and pricing_model = 'on_demand' and observed_precision <> 'year'
        """,
        [day, accelerator],
    ).fetchall():
        machine = size if is_stated else NODES.get(accelerator, size)
        if machine * memory < needed_gb(db, benchmark, number_format) or (day - min(seen, day)).days > 180:
            continue
        usd_per_hour = usd_per_machine / size
        accelerators = math.ceil(busy / machine) * machine
        rent = accelerators * hours * usd_per_hour
        if seller not in rents or rent < rents[seller][0]:
            rents[seller] = (rent, accelerators)
    return rents


def level_by_hand(db, accelerator, sellers, hours=HOURS):
    """Low, level and high of a rent: of so many accelerators as the middle seller needs."""
    usd = db.execute(
        "select usd_per_accelerator_hour_low, usd_per_accelerator_hour, usd_per_accelerator_hour_high from price_level(?)",
        [accelerator],
    ).fetchone()
    counts = sorted(accelerators for _, accelerators in sellers.values())
    return [each * counts[(len(counts) - 1) // 2] * hours for each in usd]


def ownership_by_hand(db, accelerator, accelerators, hours=HOURS):
    """Capital share, running cost, purchase of an emerging neocloud, from capex, power and the seed of assumptions."""
    capex, watts, availability = db.execute(
        "select capex_usd_per_accelerator, it_power_w, availability_pct from mart_tco "
        "where accelerator_id = ? and scenario_id = 'emerging_neocloud' and is_default",
        [accelerator],
    ).fetchone()
    assumed = dict(
        db.execute(
            "select parameter, value from seeds.tco_scenarios where scenario_id = 'emerging_neocloud'"
        ).fetchall()
    )
    # the yearly payment of a loan that is paid back after so many years, by adding up what each payment is worth today
    worth = sum(
        (1 + assumed["cost_of_capital_pct"] / 100) ** -year
        for year in range(1, int(assumed["depreciation_years"]) + 1)
    )
    capital_per_year = capex / worth
    running_per_year = (
        watts / 1000 * assumed["pue"] * assumed["electricity_usd_per_kwh"] * 8760
        + watts / 1000 * assumed["colocation_usd_per_kw_month"] * 12
        + capex * assumed["maintenance_pct_of_capex_per_year"] / 100
        + assumed["staff_usd_per_accelerator_year"]
    )
    years = hours / 8760
    cost = (capital_per_year + running_per_year) * accelerators * years / (availability / 100)
    return {
        "cost": cost,
        "capital": capital_per_year * accelerators * years,
        "running": running_per_year * accelerators * years,
        "purchase": capex * accelerators,
    }


def test_renting_by_hand(choose, warehouse):
    # Llama 3.1 8B, 1e8 tokens a day: one H200 does it. Most sellers have machines of eight, and one buys eight.
    rows = choose("llama3.1-8b", 1e8, 500_000)
    sellers = rent_by_hand(warehouse, "llama3.1-8b", H200, 1e8)
    rented, owned = one(rows, H200, "rent"), one(rows, H200, "own")
    assert rented["accelerators"] == owned["accelerators"] == 8
    assert [rented["cost_usd_low"], rented["cost_usd"], rented["cost_usd_high"]] == pytest.approx(
        level_by_hand(warehouse, H200, sellers)
    )
    assert rented["n_sellers"] == len(sellers) and rented["paid_usd"] == rented["cost_usd"]
    assert rented["cost_usd_cheapest"] == pytest.approx(min(rent for rent, _ in sellers.values()))
    assert owned["rank"] < rented["rank"]
    # RTX PRO 6000 is sold in machines of one
    single = rent_by_hand(warehouse, "llama3.1-8b", "nvidia-rtx-pro-6000-server", 1e8)
    best, *others = rows
    assert (best["rank"], best["accelerator_id"], best["how"]) == (1, "nvidia-rtx-pro-6000-server", "rent")
    assert [best["cost_usd_low"], best["cost_usd"], best["cost_usd_high"]] == pytest.approx(
        level_by_hand(warehouse, "nvidia-rtx-pro-6000-server", single)
    )
    assert best["cost_usd"] < min(row["cost_usd"] for row in others if row["rank"])
    assert best["usd_per_output_mtok"] == pytest.approx(best["cost_usd"] / (1e8 * 365) * 1e6)
    # RTX PRO 4500 has one seller and no price level: that seller's price, which says so
    ((rent, _),) = rent_by_hand(warehouse, "llama3.1-8b", "nvidia-rtx-pro-4500-server", 1e8).values()
    alone = one(rows, "nvidia-rtx-pro-4500-server", "rent")
    assert alone["n_sellers_of_level"] is None and alone["uncertainty_basis"] == "one seller"
    assert alone["cost_usd"] == pytest.approx(rent)


def test_in_a_region_neoclouds_with_a_site_in_it_count_before_hyperscalers(choose, warehouse):
    row = one(choose("llama3.1-8b", 1e8, 500_000, region="EU"), "nvidia-rtx-pro-6000-server", "rent")
    offers = warehouse.execute(
        "select provider, segment = 'hyperscaler', reason, usd_per_accelerator_hour * ? "
        "from seller_offers('nvidia-rtx-pro-6000-server', region := 'EU')", [HOURS],
    ).fetchall()  # fmt: skip
    rents = {
        seller: rent for seller, is_hyperscaler, reason, rent in offers if not is_hyperscaler and not reason
    }
    assert 1 < len(rents) < len(offers) - 1 and row["n_sellers"] == len(rents) and row["accelerators"] == 1
    assert [row[f"cost_usd{end}"] for end in ("_low", "", "_high")] == pytest.approx(
        [min(rents.values()), median(rents.values()), max(rents.values())]
    )
    assert [seller for seller, *_ in offers if f"{seller} (" in row["unknown"]] == list(rents)


def test_owning_wins_by_hand(choose, warehouse):
    # Llama 3.1 405B, 1e9 tokens a day: 159.9 tokens/s a B200 at 60 % keep 120.6 of them busy, 16 machines of eight
    tokens_per_s, _, node, result_id = best_result(warehouse, "llama3.1-405b", B200)
    accelerators = math.ceil(1e9 / 86400 / tokens_per_s / 0.6 / node) * node
    by_hand = ownership_by_hand(warehouse, B200, accelerators)
    best, *others = choose("llama3.1-405b", 1e9, 10e6)
    assert (best["accelerator_id"], best["how"], best["accelerators"]) == (B200, "own", accelerators)
    assert best["result_id"] == result_id and best["owner_scenario_id"] == "emerging_neocloud"
    assert {name: best[f"{name}_usd"] for name in by_hand} == pytest.approx(by_hand, rel=1e-9)
    assert best["paid_usd"] == pytest.approx(by_hand["purchase"] + by_hand["running"])
    _, rent, _ = level_by_hand(warehouse, B200, rent_by_hand(warehouse, "llama3.1-405b", B200, 1e9))
    rented = one(others, B200, "rent")
    assert rented["cost_usd"] == pytest.approx(rent) and rent > by_hand["cost"]
    offer = "select distinct provider from fct_price_interval where offer_id = ?"
    assert warehouse.execute(offer, [rented["cheapest_offer_id"]]).fetchall() == [
        (rented["cheapest_provider"],)
    ]
    # what it costs over the year would be within half the budget, what must be paid is not
    poorer = one(choose("llama3.1-405b", 1e9, 5e6), B200, "own")
    assert by_hand["cost"] < 5e6 < by_hand["purchase"] + by_hand["running"]
    assert poorer["rank"] is None and poorer["reason"] == "purchase and running cost exceed the budget"


def test_what_does_not_fit_by_hand(choose, warehouse):
    # 405.85e9 parameters x half a byte x 1.2 = 243.5 GB: one B200 of 180 GB does not hold it, two do
    _, number_format, _, _ = best_result(warehouse, "llama3.1-405b", B200)
    needed = needed_gb(warehouse, "llama3.1-405b", number_format)
    assert needed == pytest.approx(405.85e9 * 0.5 * 1.2 / 1e9, rel=1e-3) and 180 < needed < 360
    alone = one(choose("llama3.1-405b", 1e6, 1e6, have="1xB200"), B200, "have")
    assert alone["rank"] is None and alone["fit"] == "too_small"
    assert (
        alone["reason"] == f"the model does not fit: it needs {needed:.1f} GB, a machine of 1 holds 180.0 GB"
    )
    # a machine whose only price is undated is none that is too small
    undated = one(choose("gptj-99", 1e6, 1e6, scenario="Offline"), "google-tpu-v5e", "rent")
    assert (undated["fit"], undated["rank"]) == ("unknown", None) and undated["reason"].startswith(
        "every price is undated"
    )
    pair = one(choose("llama3.1-405b", 1e6, 1e6, have="2xB200"), B200, "have")
    assert pair["rank"] is not None and pair["fit"] == "fits" and pair["accelerators"] == 2


def test_what_one_has_costs_its_running(choose, warehouse):
    rows = choose("llama3.1-405b", 1e8, 10e6, have="64xH100")
    had = one(rows, H100, "have")
    by_hand = ownership_by_hand(warehouse, H100, had["accelerators"])
    assert had["accelerators"] <= 64 and had["cost_usd"] == had["paid_usd"] == pytest.approx(
        by_hand["running"]
    )
    assert had["purchase_usd"] is None and had["capital_usd"] is None
    # electricity of 0.04 to 0.12 and a PUE of 1.1 to 1.4 are documented, among others
    assert had["cost_usd_low"] < had["cost_usd"] < had["cost_usd_high"]
    short = one(choose("llama3.1-405b", 1e9, 10e6, have="64xH100"), H100, "have")
    assert short["rank"] is None and short["reason"] == f"{short['accelerators']} are needed, 64 are there"


def test_a_limit_on_energy_counts_measured_joules_first_with_the_pue_of_the_owner(choose, warehouse):
    # Lenovo measured 7.66 J before PUE on B200: 11.8 at the default of 1.54, 10.7 at 1.4 of an emerging neocloud
    rows = choose("llama3.1-405b", 1e7, 5e6, max_j_per_token=11.5)
    rented, owned = one(rows, B200, "rent"), one(rows, B200, "own")
    assert (rented["pue"], owned["pue"]) == (1.54, 1.4) and "emerging_neocloud" in owned["pue_basis"]
    for row in (rented, owned):
        assert row["energy_basis"] == "measured" and "Lenovo" in row["measured_energy_result_id"]
        assert row["j_per_output_token"] == pytest.approx(7.66 * row["pue"], rel=0.001)
    assert rented["reason"] == "a token takes 11.8 J, measured" and owned["rank"] is not None
    # an earlier day knows the rounds and prices until then only
    earlier = choose("llama3.1-405b", 1e7, 5e6, as_of=date(2025, 6, 1))
    assert {r["energy_basis"] for r in earlier} == {"modelled"}
    assert {r["price_as_of"] for r in earlier} == {date(2025, 6, 1)}
    later = warehouse.execute(
        "select release from dim_release where suite_kind = 'inference' and published_on > date '2025-06-01'"
    ).fetchall()
    assert not {r["release"] for r in earlier} & {release for (release,) in later}
    assert all(r["newest_price_on"] <= date(2025, 6, 1) for r in earlier if r["newest_price_on"])


@pytest.mark.parametrize(
    ("tokens", "months", "budget", "scenario"), [(1e9, 36, 2e7, "Server"), (1e9, 12, 1e6, "Offline")]
)
def test_every_recommendation_holds_the_model_serves_the_load_and_stays_within_the_budget(
    warehouse, tokens, months, budget, scenario
):
    specs = dict(warehouse.execute("select accelerator_id, memory_gb from dim_accelerator").fetchall())
    models = dict(
        warehouse.execute(
            "select benchmark_id, any_value(model_parameters) from mart_token_throughput group by 1"
        ).fetchall()
    )
    recommended = left = 0
    for model, parameters in models.items():
        done = warehouse.execute(
            "from choose(?, ?, ?, months := ?, scenario := ?, have := 'H100:16')",
            [model, tokens, budget, months, scenario],
        )
        names = [column[0] for column in done.description]
        rows = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
        # a Jetson has results of the edge suite alone
        assert not [row for row in rows if "jetson" in row["accelerator_id"]]
        ranked = [row for row in rows if row["rank"] is not None]
        assert [row["rank"] for row in ranked] == list(range(1, len(ranked) + 1))
        assert all(row["reason"] for row in rows if row["rank"] is None)
        recommended, left = recommended + len(ranked), left + len(rows) - len(ranked)
        for row in ranked:
            holds = row["machine_accelerators"] * specs[row["accelerator_id"]] * 1e9
            assert parameters * BYTES.get(row["number_format"], 2) * 1.2 <= holds, row
            assert row["paid_usd"] <= budget, row
            served = row["accelerators"] * row["output_tokens_per_s_per_accelerator"] * 0.6 * 86400
            assert served >= tokens * (1 - 1e-9), row
            assert row["accelerators"] % row["machine_accelerators"] == 0 or row["how"] == "rent", row
            assert row["how"] != "have" or row["accelerators"] <= 16
    assert recommended > 50 and left > 50


def test_the_command_prints_what_the_function_returns(accelmart, built_home, choose):
    asked = ["--tokens-per-day", "1B", "--budget", "10M", "--have", "64xH100"]
    words = ["choose", "--model", "llama3.1-405b", *asked]
    rows = choose("llama3.1-405b", 1e9, 10e6, have="64xH100")
    shown = json.loads(accelmart(built_home, *words, "--json").stdout)
    names = ("rank", "accelerator_id", "how", "cost_usd", "paid_usd")
    assert [[r[n] for n in names] for r in shown] == [[r[n] for n in names] for r in rows]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"max_ttft_ms": -1}, "max_ttft_ms is -1"),
        ({"have": "H100"}, "have is H100: write an accelerator, a colon and a number, such as A100-80GB:64"),
        (
            {"have": "A100:64"},
            "A100 may be nvidia-a100-pcie-40gb, .*nvidia-a100-sxm-80gb: name one accelerator",
        ),
        ({"owner": "me"}, 'no ownership scenario matches "me".*emerging_neocloud'),
    ],
)
def test_a_wrong_question_names_the_argument(choose, changed, message):
    with pytest.raises(package.QuestionError, match=message):
        choose(**{"model": "llama3.1-405b", "tokens_per_day": 1e9, "budget": 1e6} | changed)


def test_owned_options_are_ranked_on_one_basis_and_month_of_capital(choose, warehouse):
    rows = choose("deepseek-r1", 5e9, 20e6, months=36)
    owned = [row for row in rows if row["how"] == "own" and row["rank"]]
    assert len({(row["capex_basis"], row["price_level"]) for row in owned}) == 1 and len(owned) > 2
    # the lowest point alone costs less, or probably less; what has another basis is apart and says so
    best, *others = [row for row in rows if row["rank"]]
    assert best["standing"] in ("costs_less", "probably_costs_less", "about_the_same")
    assert not any(row["standing"] in ("costs_less", "probably_costs_less") for row in others)
    for row in rows:
        is_apart = row["capex_basis"] and (row["capex_basis"], row["price_level"]) != (
            owned[0]["capex_basis"],
            owned[0]["price_level"],
        )
        assert not is_apart or (row["rank"] is None and "capital on another basis" in row["reason"])
    # by hand: 36 months of 730 hours × accelerators × $ an hour on that basis; two within 5 % are called the same
    costs = dict(
        warehouse.execute(
            "select accelerator_id, usd_per_accelerator_hour from mart_tco where scenario_id = 'emerging_neocloud' "
            "and capex_basis = ? and price_level = ?",
            [owned[0]["capex_basis"], owned[0]["price_level"]],
        ).fetchall()
    )
    by_hand = {
        row["accelerator_id"]: 36 * 730 * row["accelerators"] * costs[row["accelerator_id"]] for row in owned
    }
    assert {row["accelerator_id"]: row["cost_usd"] for row in owned} == pytest.approx(by_hand)
    assert min(by_hand, key=by_hand.get) == best["accelerator_id"] == B200
    same = by_hand[B300] / by_hand["amd-mi355x"]
    assert 0.95 < same < 1.05 and "about the same as amd-mi355x (own)" in one(rows, B300, "own")["verdict"]
