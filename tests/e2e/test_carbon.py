"""Carbon of tokens in the warehouse built from real data; expected figures are worked by hand from published ones."""

import json

import pytest
from queries import one, rows

PUE = 1.54  # Uptime Institute, 2025
POUND = 0.45359237

OFFER = """
select distinct kg_co2e_per_output_mtok, kg_co2e_per_output_mtok_low, kg_co2e_per_output_mtok_high, grid_level, grid_year, carbon_reason
from mart_cost_per_mtok
where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and provider = ? and pricing_model in ('on_demand', 'spot') and region = ?
    and accelerator_id = ? and submission_id = ?
"""


@pytest.mark.parametrize(
    (
        "provider",
        "region",
        "accelerator",
        "submission",
        "watts",
        "tokens_per_s",
        "kg_per_kwh",
        "level",
        "year",
    ),
    [
        # all-in watts as published, tokens/s of the system as MLCommons published them ÷ its accelerators
        (
            *("gcp", "us-central1", "nvidia-b200-sxm-180gb", "6.0-0040"),
            *(1710, 983.626 / 8, 0.430, "cloud_region", None),
        ),
        (
            *("aws", "us-east-1", "nvidia-h200-sxm-141gb", "5.1-0079"),
            *(1370, 295.523 / 8, 539.599 * POUND / 1000, "us_state", 2023),
        ),
        (
            *("digitalocean", "mkc1", "nvidia-b300-sxm-270gb", "6.0-0089"),
            *(1900, 1484.4 / 8, 0.369473, "country", 2023),
        ),
    ],
)
def test_three_offers_by_hand(
    warehouse, provider, region, accelerator, submission, watts, tokens_per_s, kg_per_kwh, level, year
):
    # of B200 its own metered systems, of the others those of both metered accelerators
    factor = 1.45 if "b200" in accelerator else 1.51
    joules = watts / factor * PUE / tokens_per_s
    kilowatt_hours_per_mtok = joules * 1e6 / 3.6e6
    ((kg, low, high, *grid, reason),) = rows(warehouse, OFFER, provider, region, accelerator, submission)
    assert kg == pytest.approx(kilowatt_hours_per_mtok * kg_per_kwh, rel=0.01)
    assert low < kg < high and grid == [level, year] and reason is None


def test_low_and_high_are_those_of_the_energy_and_of_the_figures_for_the_grid(warehouse):
    """The United States have figures from 0.349667 to 0.390 beside 0.369473."""
    low_ratio, high_ratio = one(
        warehouse,
        "select (100 + model_error_pct_median) / (100 + model_error_pct_high), "
        "(100 + model_error_pct_median) / (100 + model_error_pct_low) "
        "from mart_energy where accelerator_id = 'nvidia-b300-sxm-270gb' and power_basis = 'modelled' limit 1",
    )
    ((kg, low, high, *_),) = rows(
        warehouse, OFFER, "digitalocean", "mkc1", "nvidia-b300-sxm-270gb", "6.0-0089"
    )
    assert low == pytest.approx(kg * 0.349667 / 0.369473 * low_ratio, rel=1e-5)
    assert high == pytest.approx(kg * 0.390 / 0.369473 * high_ratio, rel=1e-5)


def test_an_offer_without_a_place_has_the_range_of_all_grids_and_no_figure(warehouse):
    counts = warehouse.execute(
        "select carbon_reason, region is null and country is null, count(*), count(kg_co2e_per_output_mtok), "
        "count(kg_co2e_per_output_mtok_low), count(kg_co2e_per_output_mtok_high), "
        "count(*) filter (starts_with(carbon_uncertainty_basis, carbon_reason || '; range over all grids')) "
        "from mart_cost_per_mtok group by all"
    ).fetchall()
    nowhere = [row for row in counts if row[1]]
    assert [reason for reason, *_ in nowhere] == ["the seller states no region"] and nowhere[0][2] > 1000
    for reason, _, n, figures, lows, highs, explained in counts:
        assert lows == highs == n and figures == (0 if reason else n) and explained == (n if reason else 0)
    assert sum(row[3] for row in counts) > 500
    # from Montreal, 2 g/kWh as Google publishes it, to Turkmenistan, 1,306 g/kWh
    low, high = one(
        warehouse,
        """
        select min(c.kg_co2e_per_output_mtok_low / (e.j_per_output_token_modelled_low / 3.6)),
            max(c.kg_co2e_per_output_mtok_high / (e.j_per_output_token_modelled_high / 3.6))
        from mart_cost_per_mtok as c inner join mart_energy as e on c.result_id = e.result_id and e.power_basis = 'modelled'
        where c.carbon_reason = 'the seller states no region'
        """,
    )
    assert (low, high) == (pytest.approx(0.002), pytest.approx(1.306025))


def test_a_place_with_one_figure_has_no_range(warehouse):
    assert one(
        warehouse,
        "select count(*) filter (n_statements = 1) from dim_grid where (n_statements = 1) = (uncertainty_basis = 'one figure') "
        "and (n_statements = 1) = (kg_co2e_per_kwh_low is null) and (n_statements = 1) = (kg_co2e_per_kwh_high is null)",
    ) == one(warehouse, "select count(*) filter (n_statements = 1) from dim_grid")


def test_every_record_of_the_bundled_grids_is_in_the_table_or_rejected(warehouse):
    read, kept = one(
        warehouse,
        "select sum(records_in), sum(rows_out) from ops_reconciliation where source = 'codecarbon'",
    )
    rejected = warehouse.execute(
        "select payload_record, problem from ops_reject where source = 'codecarbon' and severity = 'reject'"
    ).fetchall()
    published = one(warehouse, "select count(*) from dim_grid where source = 'codecarbon'")
    # 213 countries, 51 states with the whole country and two lines about the file, 40 regions
    assert (read, kept, published) == (213 + 54 + 40, 304, 304)
    assert rejected == [
        ("CAF", "the carbon intensity is 0 g/kWh: every way of generation emits over its life cycle")
    ]


def test_a_grid_can_be_traced_to_its_record(warehouse):
    (row,) = warehouse.execute(
        "select g.kg_co2e_per_kwh, s.intensity_published, s.unit_published, g.payload_record, s.payload_sha256 = g.payload_sha256 "
        "from dim_grid as g inner join staging.stg_grids__intensities as s using (payload_record, us_state) "
        "where g.grid_id = 'codecarbon/us-states/VA'"
    ).fetchall()
    assert row == (pytest.approx(539.599 * POUND / 1000), "539.599", "lb/MWh", "virginia", True)


class TestRankByCarbon:
    def ranked(self, accelmart, home, *options):
        options = ("--carbon", "--limit", "0", "--json", *options)
        done = accelmart(home, "rank", "--model", "llama3.1-405b", "--pricing", "on_demand", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def test_lowest_carbon_first_within_the_limit_of_cost(self, accelmart, built_home):
        offers = self.ranked(accelmart, built_home, "--max-extra-cost-pct", "50")
        ranked = [r for r in offers if r["carbon_rank"] is not None]
        assert offers[: len(ranked)] == ranked and len(ranked) >= 3
        kg = [r["kg_co2e_per_output_mtok"] for r in ranked]
        assert kg == sorted(kg) and [r["carbon_rank"] for r in ranked] == list(range(1, len(kg) + 1))
        cheapest = min(r["usd_per_output_mtok"] for r in ranked)
        for r in ranked:
            assert r["usd_per_output_mtok"] <= cheapest * 1.5 and r["grid_id"] and r["region"]
            assert r["extra_cost_pct"] == pytest.approx((r["usd_per_output_mtok"] / cheapest - 1) * 100)
        more = [r for r in offers if r["carbon_rank_reason"] == "costs more than 50 % above the cheapest"]
        assert more and all(r["usd_per_output_mtok"] > cheapest * 1.5 for r in more)
        assert all(r["carbon_rank_reason"] for r in offers[len(ranked) :])

    def test_the_default_limit_is_ten_per_cent(self, accelmart, built_home):
        assert self.ranked(accelmart, built_home) == self.ranked(
            accelmart, built_home, "--max-extra-cost-pct", "10"
        )

    def test_regions_of_a_seller_are_compared(self, accelmart, built_home):
        offers = self.ranked(accelmart, built_home, "--provider", "azure", "--max-extra-cost-pct", "1000")
        regions = {r["region"]: r for r in offers if r["accelerator_id"] == "nvidia-h100-sxm-80gb"}
        assert {"swedencentral", "polandcentral"} <= regions.keys()
        sweden, poland = regions["swedencentral"], regions["polandcentral"]
        assert sweden["kg_co2e_per_output_mtok"] < poland["kg_co2e_per_output_mtok"] / 10
        assert sweden["carbon_rank"] < poland["carbon_rank"]

    def test_it_agrees_with_the_mart(self, accelmart, built_home, warehouse):
        figures = {r["offer_id"]: r["kg_co2e_per_output_mtok"] for r in self.ranked(accelmart, built_home)}
        mart = warehouse.execute(
            "select offer_id, kg_co2e_per_output_mtok from mart_cost_per_mtok where benchmark_id = 'llama3.1-405b' "
            "and scenario = 'Server' and pricing_model = 'on_demand' and is_representative"
        ).fetchall()
        assert len(mart) > 20
        for offer, kg in mart:
            assert figures[offer] == (None if kg is None else pytest.approx(kg)), offer

    def test_the_table_shows_cost_carbon_and_grid(self, accelmart, built_home):
        done = accelmart(built_home, "rank", "--model", "llama3.1-405b", "--pricing", "on_demand", "--carbon")
        assert done.returncode == 0
        for word in ("kg CO2e/Mtok", "$/Mtok", "region", "grid of", "grid year", "us_state"):
            assert word in done.stdout
        assert "the seller states no region" in done.stdout and "average grid of a year" in done.stdout

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--max-extra-cost-pct", "5"), "max_extra_cost_pct narrows an order by carbon"),
            (("--carbon", "--max-extra-cost-pct", "-1"), "max_extra_cost_pct is -1: it must be 0 or more"),
        ],
    )
    def test_a_limit_that_means_nothing_is_refused(self, accelmart, built_home, options, message):
        done = accelmart(built_home, "rank", "--model", "llama3.1-405b", *options)
        assert done.returncode != 0 and message in done.stderr
