"""Prices of the warehouse built from the bundled snapshot: breadth, figures known from elsewhere, and `accelmart rank`."""

import csv
import io
import json

import pytest


def rows(warehouse, query, *values):
    return warehouse.execute(query, list(values)).fetchall()


def test_sellers_and_datacenter_accelerators_of_the_snapshot_alone(warehouse):
    (providers,) = rows(warehouse, "select count(distinct provider) from mart_price_current")[0]
    variants = {a for (a,) in rows(warehouse, "select distinct accelerator_id from mart_price_current")}
    # GeForce and workstation cards are no datacenter accelerators
    datacenter = {
        a
        for a in variants
        if not a.startswith(("nvidia-rtx-3", "nvidia-rtx-4", "nvidia-rtx-5", "nvidia-rtx-6", "nvidia-rtx-a"))
    }
    assert providers >= 15
    assert len(datacenter) >= 20, sorted(datacenter)


@pytest.mark.parametrize(
    ("day", "instance_type", "usd"),
    [
        ("2024-06-01", "p5.48xlarge", 98.32),
        ("2025-06-30", "p5.48xlarge", 98.32),
        ("2025-07-04", "p5.48xlarge", 55.04),
        ("2025-03-01", "p4d.24xlarge", 32.7726),
        ("2025-12-24", "p4d.24xlarge", 21.957642),
    ],
)
def test_what_aws_asked_on_a_day(warehouse, day, instance_type, usd):
    """The published price lists of those days, before and after the cut of June 2025 (first list with it: 3 July)."""
    found = rows(
        warehouse,
        "select distinct usd_per_instance_hour from price_on(?::date) "
        "where provider = 'aws' and instance_type = ? and region = 'us-east-1' and pricing_model = 'on_demand'",
        day,
        instance_type,
    )
    assert found == [(pytest.approx(usd, rel=1e-9),)]


def test_before_the_first_observation_there_is_no_price(warehouse):
    assert rows(warehouse, "select count(*) from price_on(date '2024-01-31')") == [(0,)]


def test_flex_start_prices_told_as_on_demand_are_kept_and_not_compared(warehouse):
    told = rows(
        warehouse,
        "select usd_per_instance_hour, exclusion_reason from fct_price_interval where provider = 'gcp' "
        "and accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand' order by 1",
    )
    assert len(told) >= 7
    for usd, reason in told:
        assert (usd < 60) == (reason == "flex-start (DWS) price told as on demand")


def test_a_price_in_euro_names_rate_and_day(warehouse):
    euros = rows(
        warehouse,
        "select price * usd_per_unit, usd_per_instance_hour, usd_rate_date, valid_from::date "
        "from fct_price_interval where currency = 'EUR'",
    )
    assert euros
    for by_hand, usd, rate_date, day in euros:
        assert usd is None or usd == pytest.approx(by_hand)
        assert rate_date <= day


def test_what_is_not_compared_says_why_and_what_is_has_all_it_needs(warehouse):
    assert rows(
        warehouse,
        "select count(*) from fct_price_interval where is_comparable <> (exclusion_reason is null)",
    ) == [(0,)]
    reasons = {r for (r,) in rows(warehouse, "select distinct exclusion_reason from fct_price_interval")}
    assert {
        "the words fit several accelerators",
        "CPU and memory are billed on top",
        "the lowest offer of a marketplace, no median",
        "median of too few offers",
        None,
    } <= reasons


def test_the_best_offers_stand_in_the_facts(warehouse):
    assert rows(
        warehouse,
        "select count(*) from mart_price_current as c anti join fct_price_interval as f "
        "on c.best_offer_id = f.offer_id and f.is_comparable "
        "and f.usd_per_accelerator_hour = c.usd_per_accelerator_hour_min",
    ) == [(0,)]


def test_the_index_is_the_median_of_the_day_by_a_second_method(warehouse):
    """For days of a single poll: the offers whose list was asked that day, by Python's median."""
    from statistics import median

    day, accelerator = "2026-08-22", "nvidia-a100-sxm-80gb"
    prices = [
        p
        for (p,) in rows(
            warehouse,
            "select usd_per_accelerator_hour from fct_price_interval join dim_provider using (provider) "
            "where segment = 'hyperscaler' and pricing_model = 'on_demand' and is_comparable and accelerator_id = ? "
            "and valid_from::date = ?::date",
            accelerator,
            day,
        )
    ]
    ((value, n),) = rows(
        warehouse,
        "select usd_per_accelerator_hour_median, n_offers from mart_price_index where price_date = ?::date "
        "and accelerator_id = ? and segment = 'hyperscaler' and pricing_model = 'on_demand'",
        day,
        accelerator,
    )
    assert n == len(prices) > 3 and value == pytest.approx(median(prices))


def test_a_gap_between_polls_is_a_gap_in_the_index(warehouse):
    days = {
        str(d)
        for (d,) in rows(
            warehouse,
            "select distinct price_date from mart_price_index where accelerator_id = 'nvidia-h100-sxm-80gb' "
            "and segment = 'hyperscaler'",
        )
    }
    assert {"2025-05-29", "2025-06-04", "2025-07-03"} <= days  # a week from each list
    assert not {"2025-06-05", "2025-07-02", "2024-12-31"} & days


class TestRank:
    def ranked(self, accelmart, home, *options):
        done = accelmart(home, "rank", "--model", "llama3.1-405b", "--limit", "0", "-f", "json", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def test_cheapest_first_and_by_the_formula(self, accelmart, built_home):
        ranked = self.ranked(accelmart, built_home, "--scenario", "Server")
        costs = [r["usd_per_output_mtok"] for r in ranked]
        assert len(ranked) > 20 and costs == sorted(costs)
        for r in ranked:
            by_hand = r["usd_per_accelerator_hour"] / (r["output_tokens_per_s_per_accelerator"] * 3600) * 1e6
            assert r["usd_per_output_mtok"] == pytest.approx(by_hand)
            assert r["submission_id"] and r["offer_id"] and r["price_source_url"] and r["price_seen_on"]

    def test_it_agrees_with_the_mart(self, accelmart, built_home, warehouse):
        ranked = {
            (r["accelerator_id"], r["provider"], r["pricing_model"]): r["usd_per_output_mtok"]
            for r in self.ranked(accelmart, built_home, "--scenario", "Server")
        }
        mart = rows(
            warehouse,
            "select accelerator_id, provider, pricing_model, usd_per_output_mtok from mart_cost_per_mtok "
            "where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and is_latest_of_accelerator",
        )
        assert ranked == {(a, p, m): pytest.approx(usd) for a, p, m, usd in mart}

    def test_options_narrow_it(self, accelmart, built_home):
        spot = self.ranked(accelmart, built_home, "--pricing", "spot", "--provider", "verda")
        assert spot and {(r["provider"], r["pricing_model"]) for r in spot} == {("verda", "spot")}
        finland = self.ranked(accelmart, built_home, "--region", "fi")
        assert finland and {r["country"] for r in finland} == {"FI"}
        west = self.ranked(accelmart, built_home, "--region", "us-%", "--provider", "aws")
        assert west and all(r["region"].startswith("us-") for r in west)

    def test_a_day_in_the_past_has_its_own_prices(self, accelmart, built_home):
        for day, usd in (("2025-03-01", 12.29), ("2025-12-01", 6.88)):
            (row,) = [
                r
                for r in self.ranked(accelmart, built_home, "--at", day, "--provider", "aws")
                if r["accelerator_id"] == "nvidia-h100-sxm-80gb"
            ]
            assert row["usd_per_accelerator_hour"] == pytest.approx(usd)
            assert row["price_seen_on"] <= day

    def test_a_model_that_is_not_there_lists_those_that_are(self, accelmart, built_home):
        done = accelmart(built_home, "rank", "--model", "gpt-9")
        assert done.returncode == 1
        assert "llama3.1-405b" in done.stderr and "deepseek-r1" in done.stderr

    def test_the_table_warns_that_prices_are_dated(self, accelmart, built_home):
        done = accelmart(built_home, "rank", "--model", "llama3.1-405b")
        assert "no quote of today" in " ".join(done.stdout.split())
        assert "not verified by MLCommons" in " ".join(done.stdout.split())

    def test_csv_has_the_evidence(self, accelmart, built_home):
        done = accelmart(built_home, "rank", "--model", "deepseek-r1", "--scenario", "Offline", "-f", "csv")
        table = list(csv.DictReader(io.StringIO(done.stdout)))
        assert table and all(r["price_source_url"].startswith("http") for r in table)


def test_status_shows_the_age_of_every_price_list(accelmart, built_home):
    done = accelmart(built_home, "status")
    line = next(li for li in done.stdout.splitlines() if li.startswith("gpu-pricing-curated"))
    assert "2026-05-24" in line
    line = next(li for li in done.stdout.splitlines() if li.startswith("skypilot-catalog"))
    assert "2025-01-01" in line
