"""Prices of the warehouse built from the bundled snapshot: breadth, figures known from elsewhere, and `accelmart rank`."""

import csv
import io
import json
import re

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
        ("2025-05-31", "p5.48xlarge", 98.32),
        ("2025-06-04", "p5.48xlarge", 98.32),
        ("2025-06-05", "p5.48xlarge", 55.04),
        ("2025-06-15", "p5.48xlarge", 55.04),
        ("2025-07-04", "p5.48xlarge", 55.04),
        ("2025-03-01", "p4d.24xlarge", 32.7726),
        ("2025-12-24", "p4d.24xlarge", 21.957642),
    ],
)
def test_what_aws_asked_on_a_day(warehouse, day, instance_type, usd):
    """The published price lists of those days, before and after the cut that AWS announced on 2025-06-05."""
    found = rows(
        warehouse,
        "select distinct usd_per_instance_hour from price_on(?::date) "
        "where provider = 'aws' and instance_type = ? and region = 'us-east-1' and pricing_model = 'on_demand'",
        day,
        instance_type,
    )
    assert found == [(pytest.approx(usd, rel=1e-9),)]


@pytest.mark.parametrize(
    ("provider", "instance_type", "region", "variant", "model", "first", "last", "usd"),
    [
        # the public list price, and the price of an archived page
        ("gcp", "a3-highgpu-8g", "us-central1", None, "on_demand", "2024-05-21", "2026-07-30", 88.49),
        ("gcp", "a2-ultragpu-1g", "us-central1", None, "on_demand", "2024-05-21", "2026-07-30", 5.0688),
        (
            "runpod",
            "NVIDIA H100 80GB HBM3",
            None,
            "community",
            "marketplace",
            "2026-05-08",
            "2026-07-20",
            2.69,
        ),
        ("lambda", "gpu_8x_h100_sxm5", None, None, "on_demand", "2026-04-06", "2026-08-22", 8 * 3.99),
        ("verda", "8H100.80S.176V", None, None, "on_demand", "2024-04-15", "2024-04-15", 30.5),
    ],
)
def test_a_series_says_what_was_asked_between_two_days(
    warehouse, provider, instance_type, region, variant, model, first, last, usd
):
    found = rows(
        warehouse,
        "select min(valid_from)::date::varchar, max(last_seen_at)::date::varchar from fct_price_interval where provider = ? "
        "and instance_type = ? and region is not distinct from ? and variant is not distinct from ? and pricing_model = ? "
        "and abs(usd_per_instance_hour / ? - 1) < 1e-4 and is_comparable",
        *(provider, instance_type, region, variant, model, usd),
    )
    assert found[0][0] <= first and found[0][1] >= last


def test_many_offers_are_seen_on_more_than_one_day(warehouse):
    """Before the series of 2022 to 2026 there were 161."""
    offers = """
        select provider, instance_type, region, pricing_model
        from (
            select *, valid_from::date as seen_on from fct_price_interval
            union all by name
            select *, last_seen_at::date as seen_on from fct_price_interval
        )
        group by all
        having count(distinct seen_on) > 1
        """
    assert rows(warehouse, f"select count(*) from ({offers})")[0][0] >= 1500


def test_an_independent_aggregator_saw_the_same_prices(warehouse, price_data):
    """A witness that is not bundled; sellers without tiers, whose pages were read on the same days."""
    file = price_data / "series" / "aggregator_getdeploying_daily_2026-02-11_2026-05-08.csv"
    found = rows(
        warehouse,
        """
        with pairs as (
            select w.provider, w.accelerator_id_guess, w.accelerator_count, w.usd_per_accelerator_hour, w.first_seen,
                min(abs(p.usd_per_accelerator_hour / w.usd_per_accelerator_hour - 1)) as difference
            from read_csv(?) as w
            inner join fct_price_interval as p
                on w.provider = p.provider and w.accelerator_id_guess = p.accelerator_id and p.is_comparable
                and p.pricing_model = 'on_demand' and w.pricing_model = 'on_demand'
                and p.valid_from::date <= w.last_seen + 10 and p.last_seen_at::date >= w.first_seen - 10
                and (p.accelerator_count = w.accelerator_count or not p.is_size_stated)
                and p.source in ('archived-price-pages', 'runpod-lambda-history', 'cloud-price-apis')
            where w.provider in ('aws', 'coreweave', 'hyperstack', 'lambda', 'nebius')
            group by all
        )
        select count(*), count(*) filter (where difference < 0.01) from pairs
        """,
        str(file),
    )
    assert found[0][0] >= 25 and found[0][1] == found[0][0]


def test_before_the_first_observation_there_is_no_price(warehouse):
    """The oldest rent that Epoch AI collected is of 2018."""
    assert rows(warehouse, "select count(*) from price_on(date '2018-01-01')") == [(0,)]


PARTS_WITH_A_HEADLINE = {
    "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "nvidia-b200-sxm-180gb", "nvidia-b300-sxm-270gb",
    "nvidia-gb200-186gb", "nvidia-gb300-288gb", "amd-mi300x", "amd-mi325x", "amd-mi355x", "nvidia-rtx-pro-6000-server",
}  # fmt: skip


def test_headlines_of_the_newest_price_day(warehouse):
    """Parts with a list price of a whole machine in the last 180 days, for a model they were measured on."""
    found = rows(
        warehouse,
        "select accelerator_id from mart_cost_headline where pricing_model = 'on_demand' and n_sellers > 0 "
        "and usd_per_output_mtok_low <= usd_per_output_mtok_median "
        "and usd_per_output_mtok_median <= usd_per_output_mtok_high and oldest_price_on is not null",
    )
    assert {part for (part,) in found} >= PARTS_WITH_A_HEADLINE
    assert rows(warehouse, "select distinct price_as_of::varchar from mart_price_current") == [
        ("2026-10-24",)
    ]


def test_no_headline_rests_on_an_old_undated_component_or_too_small_offer(warehouse):
    assert rows(
        warehouse,
        "select count(*) from mart_cost_headline as h join mart_cost_per_mtok as c "
        "on h.cheapest_offer_id = c.offer_id and h.benchmark_id = c.benchmark_id and h.scenario = c.scenario "
        "and h.release = c.release and h.accelerator_id = c.accelerator_id and h.pricing_model = c.pricing_model "
        "join fct_price_interval as f on f.offer_id = c.offer_id and f.valid_from = c.price_valid_from "
        "where c.fit <> 'fits' or c.price_standing not in ('current', 'recent') or not f.is_comparable "
        "or f.purchase_option like '%billed on top%' or h.price_as_of - c.price_observed_at::date > 180",
    ) == [(0,)]
    assert rows(
        warehouse, "select count(*) from mart_cost_headline where (n_sellers > 0) <> (reason is null)"
    ) == [(0,)]


@pytest.mark.parametrize("day", ["2026-06-30", "2025-07-01"])
def test_headlines_of_an_earlier_day_use_what_was_known_then(warehouse, day):
    found = rows(
        warehouse,
        "select max(price_as_of)::varchar, max(oldest_price_on) <= ?::date, count(*) filter (n_sellers > 0), "
        "count(*) filter ((n_sellers > 0) <> (reason is null)) from cost_headline(as_of := ?::date)",
        day,
        day,
    )
    ((as_of, is_known_then, n_headlines, n_unexplained),) = found
    assert (as_of, is_known_then, n_unexplained) == (day, True, 0) and n_headlines > 0


def test_prices_of_a_seller_s_own_list_are_flagged_and_kept(warehouse):
    reason = "far from the others, and seen only once"
    assert rows(
        warehouse,
        "select count(*) from fct_price_interval where exclusion_reason = ? and source_rank < 3",
        reason,
    ) == [(0,)]
    assert rows(
        warehouse,
        "select count(*) > 0 from fct_price_interval where is_unusual and is_comparable "
        "and source_rank = 1 and provider in ('azure', 'gcp')",
    ) == [(True,)]


def test_offers_seen_on_two_days_or_more(warehouse):
    ((n,),) = rows(
        warehouse,
        "select count(*) from (select offer_id from fct_price_interval where pricing_model <> 'marketplace' "
        "group by offer_id having count(distinct valid_from::date) + bool_or(last_seen_at::date > valid_from::date)::int >= 2)",
    )
    assert n >= 80


def test_purchase_prices_stand_apart_from_rents(warehouse):
    """Epoch AI's file: an H100 PCIe card of 2023 for tens of thousands of dollars, an hour for a few."""
    found = rows(
        warehouse,
        "select kind, min(usd) > 1000, max(usd) < 200 from mart_hardware_price "
        "where accelerator_id like 'nvidia-h100%' group by kind order by kind",
    )
    assert found == [("hour", False, True), ("purchase", True, False)]


def test_flex_start_prices_listed_as_on_demand_are_kept_and_not_compared(warehouse):
    corrections = rows(
        warehouse,
        "select usd_per_accelerator_hour, exclusion_reason from fct_price_interval where provider = 'gcp' "
        "and accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand' order by 1",
    )
    assert len(corrections) >= 7
    for usd, reason in corrections:
        assert (usd < 7.5) == (reason == "flex-start (DWS) price stated as on demand")


def test_a_price_in_euro_names_rate_and_day(warehouse):
    euros = rows(
        warehouse,
        "select price * usd_per_unit, usd_per_instance_hour, usd_rate_date, last_seen_at::date "
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


class TestRank:
    def ranked(self, accelmart, home, *options):
        done = accelmart(home, "rank", "--model", "llama3.1-405b", "--limit", "0", "-f", "json", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def test_cheapest_first_and_by_the_formula(self, accelmart, built_home):
        ranked = self.ranked(accelmart, built_home, "--scenario", "Server")
        costs = [r["usd_per_output_mtok"] for r in ranked]
        by_rank = sorted(ranked, key=lambda r: (r["rank_reason"] is not None, r["usd_per_output_mtok"]))
        assert len(ranked) > 20 and costs == [r["usd_per_output_mtok"] for r in by_rank]
        for r in ranked:
            by_hand = r["usd_per_accelerator_hour"] / (r["output_tokens_per_s_per_accelerator"] * 3600) * 1e6
            assert r["usd_per_output_mtok"] == pytest.approx(by_hand)
            assert r["submission_id"] and r["offer_id"] and r["price_source_url"] and r["price_seen_on"]

    def test_it_agrees_with_the_mart(self, accelmart, built_home, warehouse):
        ranked = {
            (r["accelerator_id"], r["provider"], r["pricing_model"]): r["usd_per_output_mtok"]
            for r in self.ranked(accelmart, built_home, "--scenario", "Server", "--pricing", "all")
        }
        mart = rows(
            warehouse,
            "select accelerator_id, provider, pricing_model, usd_per_output_mtok from mart_cost_per_mtok "
            "where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and is_representative",
        )
        assert ranked == {(a, p, m): pytest.approx(usd) for a, p, m, usd in mart}

    def test_options_narrow_it(self, accelmart, built_home):
        spot = self.ranked(accelmart, built_home, "--pricing", "spot", "--provider", "verda")
        assert spot and {(r["provider"], r["pricing_model"]) for r in spot} == {("verda", "spot")}
        finland = self.ranked(accelmart, built_home, "--region", "fi", "--pricing", "all")
        assert finland and {r["country"] for r in finland} == {"FI"}
        west = self.ranked(accelmart, built_home, "--region", "us-%", "--provider", "aws")
        assert west and all(r["region"].startswith("us-") for r in west)

    def test_a_day_in_the_past_has_its_own_prices(self, accelmart, built_home):
        for day, usd in (("2025-03-01", 12.29), ("2025-12-01", 6.88)):
            (row,) = [
                r
                for r in self.ranked(
                    accelmart, built_home, "--as-of", day, "--provider", "aws", "--pricing", "on_demand"
                )
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
        assert "Prices as of 2026-10-24" in done.stdout
        assert "no quote of today" in " ".join(done.stdout.split())
        assert "not verified by MLCommons" in " ".join(done.stdout.split())

    def test_the_levels_are_the_headlines_of_the_mart(self, accelmart, built_home, warehouse):
        """Model and round in words of a terminal of 100 columns; three digits are enough to tell them."""
        done = accelmart(built_home, "rank", "--model", "llama3.1-405b")
        lines = done.stdout.splitlines()
        assert max(map(len, lines)) <= 100
        head = {
            line.split()[0]: re.sub(r" \[\d+\] ", " ", line).split()
            for line in lines
            if re.match(r"(nvidia|amd)-\S+ ", line) and ":" not in line.split()[0]
        }
        expected = rows(
            warehouse,
            "select accelerator_id, release, usd_per_output_mtok_at_level, usd_per_output_mtok_at_level_low, "
            "usd_per_output_mtok_at_level_high, n_sellers_of_level, usd_per_output_mtok_cheapest, "
            "usd_per_output_mtok_median, n_sellers from mart_cost_headline "
            "where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and pricing_model = 'on_demand' "
            "and is_representative and n_sellers > 0 and usd_per_output_mtok_at_level is not null",
        )
        assert len(expected) >= 5 and head.keys() == {accelerator for accelerator, *_ in expected}
        for accelerator, release, *figures in expected:
            _, round_, _, *shown = head[accelerator]
            assert round_ == release
            # level, low, high, n, cheapest; at the end median and n, after the ratio at the sellers of both if there are any
            assert [float(word) for word in shown[:5] + shown[-2:]] == pytest.approx(figures, rel=1e-3)

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


def test_nothing_published_lies_in_the_future(warehouse):
    """Times of observations and fetches; the days of announcements and deliveries are dates."""
    columns = rows(
        warehouse,
        "select table_name, column_name from duckdb_columns() where schema_name = 'main' "
        "and data_type = 'TIMESTAMP WITH TIME ZONE'",
    )
    assert ("fct_price_interval", "valid_from") in columns and len(columns) > 10
    ahead = [
        (table, column)
        for table, column in columns
        if rows(warehouse, f'select count(*) from main."{table}" where "{column}" > now()') != [(0,)]
    ]
    assert ahead == []
