"""Price statistics on the observations of 2026-10-24, kept as a file, against figures worked out by hand and with pandas."""

import math
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

ROOT = Path(__file__).resolve().parents[2]
# comparable prices of hyperscalers and neoclouds as c311035a published them: on demand all, of terms those seen since 2026-04
PRICES = ROOT / "tests/fixtures/prices_2026_10_24.parquet"
MODELS = (
    "int_price__seller_prices", "int_price__level_fits", "int_price__term_cases", "int_price__term_discounts",
    "int_price__monthly", "int_price__index_panel", "int_price__index_moves", "int_price__index_months",
    "int_price__index_replicates", "int_price__index_check",
    "mart_rental_price_level", "mart_seller_price_level", "mart_price_index",
    "int_price__monthly_change", "int_calibration__prices",
)  # fmt: skip
PROFILE = """
accelmart:
  target: fixture
  outputs: {fixture: {type: duckdb, path: %s, threads: 2, settings: {file_search_path: ../warehouse/snapshot}}}
"""
A100, B200, B300 = "nvidia-a100-sxm-80gb", "nvidia-b200-sxm-180gb", "nvidia-b300-sxm-270gb"
H100, H200, MI300X = "nvidia-h100-sxm-80gb", "nvidia-h200-sxm-141gb", "amd-mi300x"

# one worker builds the models of prices once for all tests
pytestmark = pytest.mark.xdist_group("price_rules")


@pytest.fixture(scope="module")
def prices(tmp_path_factory):
    """The price models over those observations: a connection."""
    folder = tmp_path_factory.mktemp("prices")
    file = folder / "prices.duckdb"
    with duckdb.connect(file) as db:
        db.execute(
            "set timezone = 'UTC'; create schema staging; create schema seeds; create table observed as from read_parquet(?)",
            [str(PRICES)],
        )
        db.execute(
            "create table fct_price_interval as select * exclude (segment, resells, memory_type) from observed"
        )
        db.execute(
            "create table dim_provider as select distinct provider, segment, resells, true as is_mapped from observed"
        )
        sellers = "select s.* replace (o.segment as segment, o.resells as resells) from read_csv(?, all_varchar = true) as s"
        seed = str(ROOT / "dbt_project/seeds/cloud_providers.csv")
        db.execute(
            f"create table seeds.cloud_providers as {sellers} inner join dim_provider as o using (provider)",
            [seed],
        )
        db.execute(
            "create table staging.stg_reference__accelerator_specs as select distinct accelerator_id, memory_type from observed"
        )
    (folder / "profiles.yml").write_text(PROFILE % file)
    command = [Path(sys.executable).with_name("dbt"), "run", "--quiet", "--profiles-dir", folder, "--target-path", folder / "target",
               "--log-path", folder, "--select", *MODELS]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT / "dbt_project", capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect(file, read_only=True) as db:
        db.execute("set timezone = 'UTC'")
        yield db


@pytest.fixture(scope="module")
def levels(prices):
    """Levels of the newest day, by pricing model and accelerator."""
    rows = prices.execute("select * from mart_rental_price_level where as_of = '2026-10-24'").df()
    return rows.set_index(["pricing_model", "accelerator_id"])


def within(expected, rel=0.01):
    return pytest.approx(expected, rel=rel, nan_ok=True)


def test_levels_of_parts_without_hbm_take_the_factors_of_the_others(levels):
    expected = {
        H100: (3.93, 3.37, 4.57, 12), H200: (4.41, 3.85, 5.06, 11), B200: (6.71, 5.90, 7.62, 8), "nvidia-l40s": (1.48, 1.17, 1.89, 6),
        "nvidia-rtx-pro-6000-server": (1.84, 1.45, 2.34, 6), "nvidia-l4": (0.33, 0.22, 0.51, 2),
    }  # fmt: skip
    for part, figures in expected.items():
        row = levels.loc["on_demand", part]
        found = (
            row.usd_per_accelerator_hour,
            row.usd_per_accelerator_hour_low,
            row.usd_per_accelerator_hour_high,
            row.n_sellers,
        )
        assert found == within(figures, 0.015 if part == "nvidia-l4" else 0.01), part
    assert levels.loc["on_demand", "nvidia-l4"].sellers == "aws, gcp"
    assert levels.loc["on_demand", "nvidia-l40s"].residual_spread == within(0.267)
    assert levels.loc["on_demand", H100].residual_spread == within(0.155)


def test_one_neocloud_more_would_charge_within_a_wider_range(levels, prices):
    expected = {
        H100: (2.09, 7.39),
        H200: (2.36, 8.27),
        B200: (3.59, 12.54),
        B300: (4.37, 15.46),
        MI300X: (1.40, 4.96),
    }
    for part, figures in expected.items():
        row = levels.loc["on_demand", part]
        assert (row.seller_price_low, row.seller_price_high) == within(figures), part
    # by hand: t of 11 degrees, deviation of the 12 factors
    factors = (
        prices.execute(
            "select ln(factor) as f from mart_seller_price_level where as_of = '2026-10-24' and segment = 'neocloud'"
        )
        .df()
        .f
    )
    row = levels.loc["on_demand", H100]
    margin = math.log(row.usd_per_accelerator_hour_high / row.usd_per_accelerator_hour)
    wider = math.hypot(margin, student.ppf(0.975, 11) * math.hypot(factors.std(), row.residual_spread))
    assert len(factors) == 12 and row.seller_price_high == within(
        row.usd_per_accelerator_hour * math.exp(wider), 1e-6
    )


def test_no_level_has_a_reason_that_the_data_bear_out(prices, levels):
    reasons = {
        "nvidia-gh200-96gb": "too_uncertain", "nvidia-v100-sxm2-16gb": "too_uncertain", "nvidia-a100-pcie-40gb": "one_seller",
        "nvidia-h200-nvl-141gb": "one_seller", "aws-trainium1": "one_seller", "aws-inferentia2": "one_seller",
    }  # fmt: skip
    on_demand = levels.loc["on_demand"]
    assert {part: on_demand.reason_code[part] for part in reasons} == reasons
    assert on_demand.usd_per_accelerator_hour[list(reasons)].isna().all()
    listed = prices.execute(
        """
        select accelerator_id, count(distinct provider) from fct_price_interval inner join dim_provider using (provider)
        where pricing_model = 'on_demand' and resells is null and last_seen_at::date between date '2026-10-24' - 90 and '2026-10-24'
            and (valid_to is null or valid_to > '2026-10-24') and variant is distinct from 'community'
        group by accelerator_id
        """
    ).fetchall()
    sellers = dict(listed)
    for part, code in on_demand.reason_code.dropna().items():
        count = sellers.get(part, 0)
        assert count == {"no_recent_price": 0, "one_seller": 1}.get(code, max(count, 2)), (part, code)


TERMS = {  # US$ an hour with its range
    "reserved_1y": {H100: (2.87, 2.34, 3.57), H200: (3.23, 2.66, 3.97), B200: (4.91, 4.06, 5.99), A100: (1.36, 1.08, 1.74)},
    "reserved_3y": {H100: (1.81, 1.49, 2.26), H200: (2.04, 1.69, 2.52), B200: (3.10, 2.59, 3.80), A100: (0.86, 0.69, 1.10)},
    "spot": {H100: (1.66, 0.72, 3.20), H200: (1.87, 0.81, 3.58), B200: (2.84, 1.23, 5.43), A100: (0.79, 0.34, 1.53)},
}  # fmt: skip
DISCOUNTS = {
    "reserved_1y": (4, 0.732, 0.64, 0.85),
    "reserved_3y": (3, 0.462, 0.41, 0.54),
    "spot": (5, 0.423, 0.18, 0.80),
}


def test_terms_are_discounts_of_the_level_on_demand(levels):
    for term, parts in TERMS.items():
        for part, figures in parts.items():
            row = levels.loc[term, part]
            found = (
                row.usd_per_accelerator_hour,
                row.usd_per_accelerator_hour_low,
                row.usd_per_accelerator_hour_high,
            )
            assert found == within(figures), (term, part)
            found = (row.n_sellers, row.discount, row.discount_low, row.discount_high)
            assert found == pytest.approx(DISCOUNTS[term], abs=0.006), term
    assert levels.loc["reserved_3y", H100].uncertainty_basis.endswith(
        "3 hyperscalers; no neocloud publishes it"
    )


def test_discounts_are_those_of_the_same_offers(prices, levels):
    """By pandas: the newest price of each term against the price on demand of that offer on the day."""
    observed = prices.execute(
        "from observed where segment in ('neocloud', 'hyperscaler') and resells is null"
    ).df()
    observed = observed[observed.memory_type.str.startswith("HBM")].fillna({"region": "", "variant": ""})
    observed = observed.groupby("accelerator_id").filter(lambda of: of.provider.nunique() > 1)
    day = pd.Timestamp("2026-10-24", tz="UTC")
    line = ["provider", "accelerator_id", "instance_type", "region", "variant"]
    on_demand = observed[observed.pricing_model == "on_demand"]
    for term in TERMS:
        of_term = observed[
            (observed.pricing_model == term) & (observed.last_seen_at >= day - pd.Timedelta(days=180))
        ]
        newest = of_term.sort_values(
            ["last_seen_at", "usd_per_accelerator_hour"], ascending=[False, True]
        ).drop_duplicates(line)
        pairs = newest.merge(on_demand, on=line, suffixes=("", "_od"))
        after, before = pairs.valid_from_od - pairs.last_seen_at, pairs.last_seen_at - pairs.last_seen_at_od
        pairs["apart"] = np.maximum(np.maximum(after, before).dt.days, 0)
        pairs = (
            pairs[(pairs.apart <= 45) & ~(pairs.valid_to_od < pairs.last_seen_at)]
            .sort_values("apart")
            .drop_duplicates(line)
        )
        ratio = pairs.usd_per_accelerator_hour / pairs.usd_per_accelerator_hour_od
        by_part = np.log(ratio.groupby([pairs.provider, pairs.accelerator_id]).median())
        assert math.exp(by_part.groupby("provider").mean().mean()) == within(
            levels.loc[term, H100].discount, 0.001
        ), term


def test_a_change_has_the_range_of_leaving_out_one_seller(prices):
    changes = """
        select accelerator_id, change_12m_pct, change_12m_pct_low, change_12m_pct_high, change_12m_n_sellers
        from mart_price_index where month = '2026-10-01' and pricing_model = 'on_demand'
    """
    found = {part: figures for part, *figures in prices.execute(changes).fetchall()}
    assert found[H100] == pytest.approx([14.1, -3.0, 34.2, 12], abs=0.3)
    assert found[H200] == pytest.approx([23.2, 1.9, 48.9, 8], abs=0.3)
    since_base = "select base_month::varchar, index, low, high from mart_price_index where month = '2026-10-01' and accelerator_id = ?"
    base, *figures = prices.execute(f"{since_base} and pricing_model = 'on_demand'", [B200]).fetchone()
    assert base == "2026-04-01" and figures == pytest.approx([123.2, 99.8, 152.2], rel=0.003)


def test_the_cheapest_is_recent_and_from_a_seller_that_counts(levels):
    cheapest = {
        H100: (3.49, "runpod"),
        H200: (3.99, "hyperstack"),
        B200: (6.00, "hyperstack"),
        MI300X: (1.71, "tensorwave"),
    }
    for part, (usd, seller) in cheapest.items():
        row = levels.loc["on_demand", part]
        assert (round(row.usd_cheapest, 2), row.cheapest_provider) == (usd, seller)


def test_rents_move_by_3_percent_a_month(prices):
    change, parts = prices.execute("from intermediate.int_price__monthly_change").fetchone()
    assert (change, parts) == within((0.031, 5))


def test_held_out_prices_are_those_of_fits_without_them(prices):
    """Each price of an accelerator at a seller, by a fit without it; ranges hold most of them, and a neocloud never seen."""
    day = prices.execute(
        "from intermediate.int_price__seller_prices where as_of = '2026-10-24' and pricing_model = 'on_demand' and is_in_level "
        "and memory_group = 'hbm'"
    ).df()
    day = day[day.groupby("provider").accelerator_id.transform("size") > 1].reset_index(drop=True)
    design = pd.get_dummies(day[["accelerator_id", "provider"]], dtype=float).to_numpy()
    y = np.log(day.usd_per_accelerator_hour.to_numpy())
    errors = []
    for i in range(len(day)):
        rest = np.delete(design, i, axis=0)
        if (rest[:, design[i] > 0].sum(axis=0) > 0).all():
            effects = np.linalg.lstsq(rest, np.delete(y, i), rcond=None)[0]
            errors.append(math.expm1(y[i] - design[i] @ effects))
    rows = prices.execute(
        "select case_kind, n_cases, n_groups, median_error_pct, inside_pct from intermediate.int_calibration__prices"
    )
    found = {kind: figures for kind, *figures in rows.fetchall()}
    cases, sellers, error, inside = found["level × seller factor, accelerators with HBM"]
    assert (cases, sellers, error) == within((len(errors), 16, 100 * np.median(np.abs(errors))), 1e-6)
    assert len(errors) == 81 and np.median(np.abs(np.log1p(errors))) == pytest.approx(
        math.log(1.101), abs=0.003
    )
    assert inside == pytest.approx(91, abs=0.5)
    assert found["level × seller factor, other accelerators"][2] == pytest.approx(18.1, abs=0.2)
    newcomers = found["a neocloud never seen"]
    assert newcomers[0] > 300 and newcomers[3] > 90
