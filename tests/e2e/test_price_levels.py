"""Price levels: the fit by hand and by a second method, and one level of an accelerator wherever a rent is shown."""

import importlib.util
import math
from collections import defaultdict
from pathlib import Path

import pytest

MODEL = (
    Path(__file__).resolve().parents[2] / "dbt_project/models/intermediate/prices/int_price__level_fits.py"
)

# Levels, sellers' factors and ranges worked out apart from this project on the collected prices and price lists of
# 2026-10-24, the newest observation of a seller and accelerator within 90 days, resellers left out
COLLECTED = (
    "gpu-pricing-curated",
    "collected-price-points",
    "skypilot-catalog",
    "hyperscaler-price-points",
    "aws-price-list",
)
LEVELS = {
    "nvidia-b200-sxm-180gb": (6.82, 5.88, 7.92), "nvidia-h100-sxm-80gb": (3.81, 3.14, 4.63),
    "nvidia-h200-sxm-141gb": (4.25, 3.59, 5.03), "amd-mi355x": (3.90, 3.20, 4.76), "nvidia-b300-sxm-270gb": (7.79, 6.35, 9.56),
    "nvidia-gb300-288gb": (7.97, 5.98, 10.61), "nvidia-gb200-186gb": (7.62, 5.80, 10.00), "amd-mi300x": (2.46, 1.99, 3.05),
    "nvidia-a100-sxm-80gb": (1.74, 1.47, 2.08),
}  # fmt: skip
FACTORS = {
    "vultr": 0.68, "lambda": 0.74, "nebius": 1.23, "coreweave": 1.50, "aws": 1.99, "oci": 2.26, "azure": 3.03,
}  # fmt: skip


@pytest.fixture(scope="module")
def fit():
    spec = importlib.util.spec_from_file_location("level_fits", MODEL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def run(observations):
        """From (accelerator, seller, US$, whether the seller is a neocloud): {(kind, key): row}."""
        names = [name for name in module.COLUMNS if name not in ("pricing_model", "memory_group", "as_of")]
        fitted = [dict(zip(names, row, strict=True)) for row in module.fit(*zip(*observations, strict=True))]
        return {(row["kind"], row["key"]): row for row in fitted}

    return run


def alternating_means(observations):
    """The same least squares by another method: means over rows and columns in turn, until nothing moves."""
    prices = {(a, s): math.log(usd) for a, s, usd, _ in observations}
    neoclouds = {s for _, s, _, is_neocloud in observations if is_neocloud}
    levels, factors = defaultdict(float), defaultdict(float)
    for _ in range(20_000):
        before = dict(factors)
        for one, other, place in ((levels, factors, 0), (factors, levels, 1)):
            terms = defaultdict(list)
            for pair, y in prices.items():
                terms[pair[place]].append(y - other[pair[1 - place]])
            for key, values in terms.items():
                one[key] = sum(values) / len(values)
        if before and max(abs(factors[s] - before[s]) for s in factors) < 1e-12:
            break
    shift = sum(factors[s] for s in neoclouds) / len(neoclouds)
    return {a: math.exp(v + shift) for a, v in levels.items()}, {
        s: math.exp(v - shift) for s, v in factors.items()
    }


def test_two_sellers_and_three_accelerators_by_hand(fit):
    """X sells A 2 and B 4; Y sells A 3, B 6, C 9: Y is 1.5 times X, so X is sqrt(1/1.5) and Y sqrt(1.5) of the mean."""
    pairs = [("A", "X", 2), ("B", "X", 4), ("A", "Y", 3), ("B", "Y", 6), ("C", "Y", 9)]
    rows = fit([(*pair, True) for pair in pairs])
    levels = {key: round(math.exp(row["ln_level"]), 3) for (_, key), row in rows.items()}
    assert levels == {"A": 2.449, "B": 4.899, "C": 7.348, "X": 0.816, "Y": 1.225}
    assert rows["accelerator", "C"]["n"] == 1 and rows["accelerator", "A"]["others"] == "X, Y"
    assert rows["accelerator", "A"]["df"] == 1


def test_sellers_that_hang_on_nothing_say_nothing(fit):
    """Z sells one accelerator; P and Q sell two that nobody else does: a smaller component; no neocloud: no scale."""
    rest = [("A", "X", 2), ("B", "X", 4), ("A", "Y", 3), ("B", "Y", 6), ("A", "W", 3), ("B", "W", 5)]
    apart = [("A", "Z", 9), ("M", "P", 1), ("N", "P", 2), ("M", "Q", 1), ("N", "Q", 2)]
    rows = fit([(*pair, True) for pair in rest + apart])
    assert {key for _, key in rows} == {"A", "B", "X", "Y", "W"}
    assert fit([("A", "Z", 9, True)]) == {} == fit([(*pair, False) for pair in rest])


def test_levels_of_collected_prices_are_those_worked_out_apart(warehouse, fit):
    observations = warehouse.execute(
        """
        select accelerator_id, provider, usd_per_accelerator_hour, segment = 'neocloud'
        from fct_price_interval
        inner join dim_provider using (provider)
        inner join dim_accelerator using (accelerator_id)
        where source in (select unnest(?)) and is_comparable and pricing_model = 'on_demand' and observed_precision <> 'year'
            and memory_type like 'HBM%' and variant is distinct from 'community' and resells is null
            and segment in ('neocloud', 'hyperscaler')
            and cast(fct_price_interval.last_seen_at as date) between date '2026-10-24' - 90 and date '2026-10-24'
        qualify row_number() over (
            partition by accelerator_id, provider order by cast(fct_price_interval.last_seen_at as date) desc, usd_per_accelerator_hour
        ) = 1
        """,
        [list(COLLECTED)],
    ).fetchall()
    rows = fit(observations)
    one = rows["accelerator", "nvidia-h100-sxm-80gb"]
    counted = (one["n_observations"], one["n_sellers"], len([k for k, _ in rows if k == "accelerator"]))
    assert counted == (60, 13, 17) and one["residual_spread"] == pytest.approx(0.131, abs=5e-4)
    for key, (level, low, high) in LEVELS.items():
        row = rows["accelerator", key]
        ends = (0, -row["ln_margin"], row["ln_margin"])
        assert [math.exp(row["ln_level"] + end) for end in ends] == pytest.approx(
            [level, low, high], rel=0.005
        )
    for key, factor in FACTORS.items():
        assert math.exp(rows["seller", key]["ln_level"]) == pytest.approx(factor, rel=0.01)


def test_the_newest_levels_are_the_alternating_means_of_their_prices(warehouse):
    day = warehouse.execute("select max(as_of) from mart_rental_price_level").fetchone()[0]
    levels = warehouse.execute(
        """
        select accelerator_id, sellers, usd_per_accelerator_hour from mart_rental_price_level
        inner join dim_accelerator using (accelerator_id)
        where as_of = ? and pricing_model = 'on_demand' and reason is null and memory_type like 'HBM%'
        """,
        [day],
    ).fetchall()
    used = {(a, s) for a, sellers, _ in levels for s in sellers.split(", ")}
    prices = warehouse.execute(
        """
        select accelerator_id, provider, usd_per_accelerator_hour, segment = 'neocloud'
        from intermediate.int_price__level_observations where as_of = ? and pricing_model = 'on_demand'
        """,
        [day],
    ).fetchall()
    observations = [row for row in prices if row[:2] in used]
    assert len(observations) == len(used) > 50
    second, factors = alternating_means(observations)
    assert {a: usd for a, _, usd in levels} == pytest.approx(second, rel=1e-6)
    stored = warehouse.execute(
        """
        select provider, factor from mart_seller_price_level
        where as_of = ? and pricing_model = 'on_demand' and memory_group = 'hbm'
        """,
        [day],
    ).fetchall()
    assert dict(stored) == pytest.approx(factors, rel=1e-6)


LEVEL = "select accelerator_id, pricing_model, usd_per_accelerator_hour from mart_rental_price_level where as_of = newest_price_day()"
# where a rent of an accelerator is shown: pricing model, US$ per accelerator-hour at its level, rows
SHOWN = {
    "mart_cost_headline": ("pricing_model", "usd_per_accelerator_hour_at_level", "true"),
    "cost_headline()": ("pricing_model", "usd_per_accelerator_hour_at_level", "true"),
    "mart_cost_to_train": ("price_terms", "usd_per_accelerator_hour", "price_basis = 'rent' and rent_basis like 'price level%'"),
    "mart_trained_tokens": ("'on_demand'", "rented_usd_per_accelerator_hour", "rent_basis like 'price level%'"),
    "mart_serving_frontier": ("'on_demand'", "rent_usd_per_accelerator_hour", "rent_basis like 'price level%'"),
    "mart_build_vs_rent": ("pricing_model", "level_usd_per_accelerator_hour", "true"),
}  # fmt: skip


@pytest.mark.parametrize("where", SHOWN)
def test_an_accelerator_has_one_level_wherever_a_rent_is_shown(warehouse, where):
    model, usd, condition = SHOWN[where]
    shown = f"select accelerator_id, {model}, {usd} from {where} where {condition} and {usd} is not null"
    assert warehouse.execute(f"select count(*) from ({shown})").fetchone()[0]
    assert warehouse.execute(f"{shown} except {LEVEL}").fetchall() == []


def test_a_level_of_an_earlier_day_is_the_stored_one(warehouse):
    of_h100 = "accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'"
    stored = warehouse.execute(
        f"select as_of, usd_per_accelerator_hour from mart_rental_price_level where {of_h100} and as_of < newest_price_day() "
        "order by as_of desc limit 1"
    ).fetchall()
    as_of = "price_level('nvidia-h100-sxm-80gb', as_of := newest_price_day() - 1)"
    assert stored == warehouse.execute(f"select as_of, usd_per_accelerator_hour from {as_of}").fetchall()
