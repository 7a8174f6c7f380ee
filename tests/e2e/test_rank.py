"""`accelmart rank` on the warehouse of the bundled snapshot: order, options, levels, carbon and a limit on energy."""

import json
import re

import pytest

MODEL = ("rank", "--model", "llama3.1-405b")


@pytest.fixture
def ranked(accelmart, built_home):
    """Runs the command with `--json` and further options, and returns its rows."""

    def run(*options):
        done = accelmart(built_home, *MODEL, "--json", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_offers_are_those_of_the_mart_cheapest_first(ranked, warehouse):
    """Those of which the price is no longer current come after the others, and last those that may not be ranked."""
    rows = ranked("--pricing", "all")
    places = [
        (r["rank_reason"] is not None, r["price_standing"] != "current", r["usd_per_output_mtok"])
        for r in rows
    ]
    assert places == sorted(places) and {is_old for _, is_old, _ in places} == {False, True}
    assert all(r["submission_id"] and r["price_source_url"] and r["price_seen_on"] for r in rows)
    mart = warehouse.execute(
        "select offer_id, accelerator_id, provider, pricing_model, usd_per_output_mtok, kg_co2e_per_output_mtok "
        "from mart_cost_per_mtok where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and is_representative"
    ).fetchall()
    assert {
        (r["accelerator_id"], r["provider"], r["pricing_model"]): r["usd_per_output_mtok"] for r in rows
    } == {(a, p, m): pytest.approx(usd) for _, a, p, m, usd, _ in mart}
    carbon = {r["offer_id"]: r["kg_co2e_per_output_mtok"] for r in ranked("--carbon")}
    on_demand = {offer: kg for offer, _, _, m, _, kg in mart if m == "on_demand"}
    assert len(on_demand) > 20 and {offer: carbon[offer] for offer in on_demand} == pytest.approx(on_demand)


def test_a_day_in_the_past_has_its_own_prices(ranked):
    """AWS's price lists: p5.48xlarge at 98.32 and 55.04 US$ for eight."""
    for day, usd in (("2025-03-01", 98.32), ("2025-12-01", 55.04)):
        rows = ranked("--as-of", day, "--provider", "aws", "--pricing", "on_demand")
        (row,) = [r for r in rows if r["accelerator_id"] == "nvidia-h100-sxm-80gb"]
        assert row["usd_per_accelerator_hour"] == pytest.approx(usd / 8) and row["price_seen_on"] <= day


def test_the_levels_are_the_headlines_of_the_mart(accelmart, built_home, warehouse):
    """Three digits are enough to tell them."""
    lines = accelmart(built_home, *MODEL, "--explain").stdout.splitlines()
    shown = {
        line.split()[0]: re.sub(r" \[\d+\] ", " ", line).split()
        for line in lines
        if re.match(r"(nvidia|amd)-\S+ ", line) and ":" not in line.split()[0]
    }
    expected = warehouse.execute(
        "select accelerator_id, release, usd_per_output_mtok_at_level, usd_per_output_mtok_at_level_low, "
        "usd_per_output_mtok_at_level_high, n_sellers_of_level, usd_per_output_mtok_cheapest, usd_per_output_mtok_median, n_sellers "
        "from mart_cost_headline where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and pricing_model = 'on_demand' "
        "and is_representative and n_sellers > 0 and usd_per_output_mtok_at_level is not null"
    ).fetchall()
    assert len(expected) >= 5 and shown.keys() == {part for part, *_ in expected}
    for part, release, *figures in expected:
        _, round_, _, *words = shown[part]
        assert round_ == release
        assert [float(word) for word in words[:7]] == pytest.approx(figures, rel=1e-3)


def test_the_table_says_why_offers_are_not_ranked(ranked, accelmart, built_home):
    shown = accelmart(built_home, *MODEL, "--explain").stdout
    offers = ranked()
    assert {row["pricing_model"] for row in offers} == {"on_demand"}
    oldest = min(row["price_seen_on"] for row in offers if row["rank_reason"] is None)
    assert "Prices as of 2026-10-24" in shown and f"oldest price used: {oldest}" in shown
    unranked = [row["rank_reason"] for row in offers if row["rank_reason"]]
    assert all(f"not ranked: {unranked.count(reason)} of the offers" in shown for reason in {*unranked})
    # what the newest round has, by hand from its summary, beside what is used
    assert "nvidia-b200-sxm-180gb: 159.9 tokens/s, v5.1; the median of v6.0 is 123.0 (n 1)" in shown


def test_lowest_carbon_first_within_the_limit_of_cost(ranked):
    offers = ranked("--carbon", "--max-extra-cost-pct", "80")
    first = [r for r in offers if r["carbon_rank"] is not None]
    assert offers[: len(first)] == first and len(first) >= 3
    kg = [r["kg_co2e_per_output_mtok"] for r in first]
    assert kg == sorted(kg) and [r["carbon_rank"] for r in first] == list(range(1, len(kg) + 1))
    cheapest = min(r["usd_per_output_mtok"] for r in first)
    assert all(r["usd_per_output_mtok"] <= cheapest * 1.8 and r["grid_id"] and r["region"] for r in first)
    assert all(r["carbon_rank_reason"] for r in offers[len(first) :])
    more = [r for r in offers if r["carbon_rank_reason"] == "costs more than 80 % above the cheapest"]
    assert more and all(r["usd_per_output_mtok"] > cheapest * 1.8 for r in more)
    assert ranked("--carbon") == ranked("--carbon", "--max-extra-cost-pct", "10")


def test_a_limit_on_energy_names_its_basis(ranked):
    """11.8 J were measured on B200, whatever is modelled for the offer's result; the rest is modelled."""
    offers = ranked("--max-j-per-token", "11")
    reasons = [r["rank_reason"] for r in offers if r["accelerator_id"] == "nvidia-b200-sxm-180gb"]
    of_price = {r["rank_reason"] for r in ranked()}
    assert {*reasons} - of_price == {"a token takes 11.8 J, measured"} and None not in reasons
    within = [r for r in offers if r["rank_reason"] is None]
    assert within and all(r["j_per_output_token"] <= 11 and r["energy_basis"] == "modelled" for r in within)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--max-extra-cost-pct 5", "narrows an order by carbon"),
        ("--max-j-per-token 0", "above 0"),
        ("--max-j-per-token 9 --carbon", "cannot be combined"),
        ("--carbon --pricing all", "compared under one pricing model"),
    ],
)
def test_a_limit_that_means_nothing_is_refused(accelmart, built_home, options, message):
    done = accelmart(built_home, *MODEL, *options.split())
    assert done.returncode == 2 and message in done.stderr
