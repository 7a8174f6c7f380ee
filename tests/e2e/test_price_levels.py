"""Price levels: the fit by hand and as worked out apart, and one level of an accelerator wherever a rent is shown."""

import importlib.util
import math
from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


H100 = "nvidia-h100-sxm-80gb"


@pytest.fixture(scope="module")
def model_file():
    spec = importlib.util.spec_from_file_location("level_fits", MODEL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def fit(model_file):
    def run(observations):
        """From (accelerator, seller, US$, whether the seller is a neocloud): {(kind, key): row}."""
        a, s, usd, neo = (np.array(column) for column in zip(*observations, strict=True))
        rows = model_file.fit(model_file.Prices(a, s, np.log(usd), neo, np.ones(len(a), bool)))
        return {(row["kind"], row["key"]): row for row in rows}

    return run


def test_sellers_that_hang_on_nothing_say_nothing(fit):
    """Z sells one accelerator; P and Q sell two that nobody else does: a smaller component; no neocloud: no scale."""
    rest = [("A", "X", 2), ("B", "X", 4), ("A", "Y", 3), ("B", "Y", 6), ("A", "W", 3), ("B", "W", 5)]
    apart = [("A", "Z", 9), ("M", "P", 1), ("N", "P", 2), ("M", "Q", 1), ("N", "Q", 2)]
    rows = fit([(*pair, True) for pair in rest + apart])
    assert {key for _, key in rows} == {"A", "B", "X", "Y", "W"}
    assert fit([("A", "Z", 9, True)]) == {} == fit([(*pair, False) for pair in rest])


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("ABCD"), st.sampled_from("pqrst")), st.integers(1, 40), min_size=5
    ),
    st.sets(st.sampled_from("pqrst"), min_size=1),
    st.permutations("pqrst"),
    st.sampled_from([1, 0.01, 7.5]),
)
def test_a_level_depends_on_the_prices_of_sellers_and_not_on_their_names(
    fit, prices, neoclouds, names, factor
):
    """Sellers by other names have the same levels, and prices in another currency the same levels in it."""
    other = dict(zip("pqrst", names, strict=True))
    renamed = {(a, other[s]): usd * factor for (a, s), usd in prices.items()}
    rows = fit([(a, s, usd, s in neoclouds) for (a, s), usd in prices.items()])
    others = fit([(a, s, usd, s in {other[n] for n in neoclouds}) for (a, s), usd in renamed.items()])
    assert {(kind, other.get(key, key)) for kind, key in rows} == others.keys()
    for (kind, key), row in rows.items():
        found = others[kind, other.get(key, key)]
        shift = math.log(factor) if kind == "accelerator" else 0
        assert found["ln_level"] == pytest.approx(row["ln_level"] + shift, abs=1e-6), (kind, key)
        for name in ("ln_margin", "residual_spread", "n", "df"):
            assert found[name] == pytest.approx(row[name], abs=1e-6, nan_ok=True), (kind, key, name)


def test_a_day_is_fitted_by_its_own_prices(model_file):
    """The H100 costs 2 and 3, B twice as much; on the third day Y asks twice as much for all, on the fourth 6 times for B.

    G, without HBM, costs 1 and 3. The newest day is preceded by one eleven months before.
    """
    days = {-333: (1, 1), 0: (1, 1), 1: (1, 1), 2: (2, 2), 3: (1, 6)}
    start = pd.Timestamp("2026-09-30")
    prices = pd.DataFrame(
        [
            ("on_demand", "other" if part == "G" else "hbm", start + pd.Timedelta(days=day), part, seller, "neocloud", usd,
             f"{part} {seller} {usd}")
            for day, (of_h100, of_b) in days.items()
            for part, seller, usd in [
                (H100, "X", 2), ("B", "X", 4), (H100, "Y", 3 * of_h100), ("B", "Y", 6 * of_b), (H100, "Z", 2), ("B", "Z", 4),
                ("G", "X", 1), ("G", "Y", 3),
            ]
        ],
        columns=["pricing_model", "memory_group", "as_of", "accelerator_id", "provider", "segment",
                 "usd_per_accelerator_hour", "offer_id"],
    )  # fmt: skip
    prices["is_in_level"] = True
    with duckdb.connect() as db:
        of_sellers = db.from_df(prices)
        rows = model_file.model(SimpleNamespace(ref=lambda _: of_sellers), None)
    rows["as_of"] = (rows.as_of - start).dt.days
    levels = rows[rows.kind == "accelerator"].set_index(["as_of", "key"])
    assert {day: round(math.exp(levels.ln_level[day, H100]), 3) for day in (0, 1, 2)} == {
        0: 2.289,
        1: 2.289,
        2: 2.884,
    }
    for part, ratio in (("B", 2), (H100, 1)):
        assert {round(math.exp(levels.ln_relative[day, part]), 3) for day in (0, 1, 2)} == {ratio}
    # of ln 6 in one of 2 × 3 cells (1 - 1/2) · (1 - 1/3) is left there, and its negative in the seller's other cell
    assert dict(levels.far.dropna()) == {(3, "B"): "Y +0.60", (3, H100): "Y -0.60"}
    # without a residual the jackknife has a standard error of d = ln 1.5 over 3, and d² / 3 is the variance of sellers: with t of two
    # degrees another neocloud is within t · d · √(1/9 + 1/3)
    assert levels.ln_seller_margin[0, H100] == pytest.approx(4.302653 * math.log(1.5) * 2 / 3)
    # less the factors of sellers G costs 1.5^(1/3) and twice that: t of one degree, residuals of ln 2 over 2 with one degree, two prices
    assert math.exp(levels.ln_level[0, "G"]) == pytest.approx(1.5 ** (1 / 3) * 2**0.5)
    assert levels.ln_margin[0, "G"] == pytest.approx(12.706205 * math.log(2) / 2)
    # held out: prices of the newest day; neoclouds on it and on each first of a month of the last twelve
    held_out = {
        kind: of.set_index(["as_of", "key", "other_names"]).ln_error for kind, of in rows.groupby("kind")
    }
    assert {day for day, *_ in held_out["pair"].index} == {3}
    assert {day for day, *_ in held_out["newcomer"].index} == {-333, 1, 3}
    assert held_out["pair"][3, "B", "Y"] == pytest.approx(math.log(6))
    assert held_out["newcomer"][1, "B", "Y"] == pytest.approx(math.log(1.5))


def test_levels_of_collected_prices_are_those_worked_out_apart(warehouse, fit):
    observations = warehouse.execute(
        """
        select accelerator_id, provider, usd_per_accelerator_hour, segment = 'neocloud'
        from fct_price_interval
        inner join dim_provider using (provider)
        inner join dim_accelerator using (accelerator_id)
        where source in (select unnest(?)) and pricing_model = 'on_demand' and observed_precision <> 'year'
            -- in these collections alone no price contradicts another in kind, or lies far from the others
            and (is_comparable or exclusion_reason like 'on demand in one source%' or exclusion_reason like 'far from the others%')
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


# one price a seller and accelerator on the newest day, from the public price intervals
NEWEST_PRICES = """
with offers as (
    select p.accelerator_id, p.provider, p.offer_id, p.usd_per_accelerator_hour as usd, coalesce(p.region, '') as place,
        s.segment, s.resells, a.memory_type, least(p.last_seen_at::date, newest_price_day()) as seen_on
    from fct_price_interval as p
    inner join dim_provider as s using (provider)
    inner join dim_accelerator as a using (accelerator_id)
    where p.is_comparable and p.pricing_model = 'on_demand' and p.observed_precision <> 'year'
        and p.variant is distinct from 'community' and s.segment <> 'aggregate'
        and p.valid_from::date <= newest_price_day() and p.last_seen_at::date >= newest_price_day() - 180
        and coalesce((p.valid_to - interval 1 microsecond)::date >= newest_price_day(), true)
    qualify seen_on = max(seen_on) over (partition by p.provider, p.accelerator_id)
),

-- a seller is taken where it lists most accelerators, at the lowest mean
places as (
    select provider, place
    from offers
    group by provider, place
    qualify row_number() over (
        partition by provider order by count(distinct accelerator_id) desc, round(avg(ln(usd)), 9), place
    ) = 1
)

select accelerator_id, provider, usd, segment = 'neocloud'
from offers inner join places as p using (provider)
where newest_price_day() - seen_on <= 90 and segment in ('hyperscaler', 'neocloud') and resells is null and memory_type like 'HBM%'
qualify row_number() over (partition by accelerator_id, provider order by offers.place <> p.place, usd, offer_id) = 1
"""


def test_the_newest_levels_are_the_fit_of_their_prices(warehouse, fit):
    newest = "pricing_model = 'on_demand' and as_of = newest_price_day()"
    hbm = "accelerator_id in (select accelerator_id from dim_accelerator where memory_type like 'HBM%')"
    fitted = fit(warehouse.execute(NEWEST_PRICES).fetchall())
    levels = warehouse.execute(
        f"select accelerator_id, usd_per_accelerator_hour from mart_rental_price_level where {newest} and {hbm} and reason is null"
    ).fetchall()
    factors = warehouse.execute(
        f"select provider, factor from mart_seller_price_level where {newest}"
    ).fetchall()
    for kind, published in (("accelerator", dict(levels)), ("seller", dict(factors))):
        expected = {key: math.exp(row["ln_level"]) for (of, key), row in fitted.items() if of == kind}
        assert len(published) > 5 and published == pytest.approx(
            {key: expected[key] for key in published}, rel=1e-9
        )


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


def test_an_accelerator_has_one_level_wherever_a_rent_is_shown(warehouse):
    for where, (model, usd, condition) in SHOWN.items():
        shown = f"select accelerator_id, {model}, {usd} from {where} where {condition} and {usd} is not null"
        assert warehouse.execute(f"select count(*) from ({shown})").fetchone()[0], where
        assert warehouse.execute(f"{shown} except {LEVEL}").fetchall() == [], where


def test_a_level_of_an_earlier_day_is_the_stored_one(warehouse):
    of_h100 = "accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'"
    stored = warehouse.execute(
        f"select as_of, usd_per_accelerator_hour from mart_rental_price_level where {of_h100} and as_of < newest_price_day() "
        "order by as_of desc limit 1"
    ).fetchall()
    as_of = "price_level('nvidia-h100-sxm-80gb', as_of := newest_price_day() - 1)"
    assert stored == warehouse.execute(f"select as_of, usd_per_accelerator_hour from {as_of}").fetchall()
