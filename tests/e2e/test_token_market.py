"""Market prices of tokens against the lists they were extracted from, next to the cost of tokens; electricity by place."""

import csv
import json
import re
from statistics import median

import pytest

FILES = {
    "genai-prices": "genai_prices_2025-06_2026-08.csv",
    "tokencost": "tokencost_litellm_2024-01_2025-09.csv",
}


def test_every_listed_price_of_a_model_is_there_and_no_price_of_zero(warehouse, token_data):
    """The models' patterns, tried by Python's engine on both whole files: the same rows, names and prices."""
    patterns = [
        p for (p,) in warehouse.execute("select name_regex from seeds.token_market_models").fetchall()
    ]
    expected = {
        (source, r["provider"] or None, r["model"], r["first_seen"], r["last_seen"]): (
            pytest.approx(float(r["usd_per_input_mtok"])),
            pytest.approx(float(r["usd_per_output_mtok"])),
        )
        for source, name in FILES.items()
        for r in csv.DictReader((token_data / name).read_text(encoding="utf-8").splitlines())
        if any(re.fullmatch(p, r["model"], re.IGNORECASE) for p in patterns)
        and float(r["usd_per_input_mtok"] or 0) > 0
        and float(r["usd_per_output_mtok"] or 0) > 0
    }
    shipped = warehouse.execute(
        "select distinct source, provider_published, model_published, first_seen::varchar, last_seen::varchar, "
        "usd_per_input_mtok, usd_per_output_mtok from mart_token_market_price where series = source"
    ).fetchall()
    assert {row[:5]: row[5:] for row in shipped} == expected and len(expected) == len(shipped) == 220


# providers whose own list or whose place in a shop has the model, read off the list of 2026-07-25 by a person
COUNTED = {
    "deepseek-r1": {"aws": (1.35, 5.4), "hyperbolic": (2, 2), "novita": (0.7, 2.5), "together": (3, 7)},
    "llama2-70b-99": {"groq": (0.7, 0.8), "together": (0.9, 0.9)},
    "mixtral-8x7b": {
        "aws": (0.45, 0.7), "groq": (0.24, 0.24), "mistral": (0.7, 0.7), "ovhcloud": (0.7, 0.7), "together": (0.9, 0.9),
    },
}  # fmt: skip


@pytest.mark.parametrize("benchmark", COUNTED)
def test_one_price_of_each_provider_counts(warehouse, benchmark):
    counted = warehouse.execute(
        "select provider, usd_per_input_mtok, usd_per_output_mtok, last_seen "
        "from mart_token_market_price where benchmark_id = $1 and is_same_model and uncounted_reason is null",
        [benchmark],
    ).fetchall()
    assert {provider: (i, o) for provider, i, o, *_ in counted} == COUNTED[benchmark]
    assert len(counted) == len(COUNTED[benchmark])
    assert {seen.isoformat() for *_, seen in counted} == {"2026-07-25"}


def test_prices_of_the_landed_lists_are_all_there_and_apart(warehouse):
    """As many as the parser gives (tests/ingest/prices/test_token_lists.py); the two collectors of a list share no interval."""
    held = warehouse.execute(
        "select source, count(distinct (series, provider_published, model_published, terms, price_kind, first_seen, last_seen, "
        "usd_per_input_mtok, usd_per_output_mtok, usd_per_cached_input_mtok)), count(distinct series) "
        "from mart_token_market_price where series <> source or source in ('models-dev', 'openrouter-endpoints') group by 1 order by 1"
    ).fetchall()
    assert held == [
        ("genai-prices", 11, 1),
        ("model-price-hub", 1425, 2),
        ("models-dev", 2082, 1),
        ("openrouter-endpoints", 972, 1),
    ]
    assert warehouse.execute(
        "select distinct price_kind from mart_token_market_price where uncounted_reason is null"
    ).fetchall() == [("list",)]
    flash = warehouse.execute(
        "select price_kind, usd_per_input_mtok, usd_per_output_mtok, uncounted_reason from mart_token_market_price "
        "where model = 'deepseek-v4-flash' and provider = 'deepseek' and price_kind <> 'list' order by 1"
    ).fetchall()
    assert flash == [
        ("off_peak", 0.22, 0.66, "a price of some hours of the day"),
        ("peak", 0.44, 1.32, "a price of some hours of the day"),
    ]


# mean lengths of a request: that MLCommons states, and the mean of its data set's samples
LENGTHS = {"llama3.1-405b": (9400, 684.68), "deepseek-r1": (803.79, 3886.2274)}


def test_cost_and_price_are_of_the_same_mix_of_tokens(warehouse):
    """By hand from official throughput and price levels: cost of output tokens times their share, and at 30 % of the time."""
    for model, (tokens_in, tokens_out) in LENGTHS.items():
        rows = warehouse.execute("from token_cost_and_price($1)", [model]).df()
        costs = rows[rows.row_kind == "cost"].set_index("accelerator_id")
        speeds = warehouse.execute(
            "select accelerator_id, output_tokens_per_s_per_accelerator, usd_per_accelerator_hour from fct_inference_result "
            "inner join price_level(null) using (accelerator_id) where result_id in (select unnest($1))",
            [costs.result_id.tolist()],
        ).fetchall()
        assert len(speeds) == len(costs) >= 5 and costs.usd_per_output_mtok.isna().all()
        for part, speed, level in speeds:
            full = level / (speed * 3600) * 1e6 * tokens_out / (tokens_in + tokens_out)
            row = costs.loc[part]
            found = (row.usd_per_total_mtok_at_full_use, row.usd_per_total_mtok_at_low_use)
            assert found == pytest.approx((full, full / 0.3))
        if model in COUNTED:
            mixed = [
                (i * tokens_in + o * tokens_out) / (tokens_in + tokens_out)
                for i, o in COUNTED[model].values()
            ]
            assert costs.usd_per_total_mtok_charged.tolist() == pytest.approx([median(mixed)] * len(costs))
            prices = rows[rows.row_kind == "price"]
            assert sorted(prices.usd_per_total_mtok_charged) == pytest.approx(sorted(mixed))
    # on the levels of 2026-10-24 in tests/fixtures, where a B300 costs 8.22 $ an hour
    row = (
        warehouse.execute("from token_cost_and_price('405b') where accelerator_id = 'nvidia-b300-sxm-270gb'")
        .df()
        .iloc[0]
    )
    per_dollar = 8.22 / row.usd_per_accelerator_hour
    assert row.release == "v6.0" and row.usd_per_total_mtok_at_full_use * per_dollar == pytest.approx(
        0.83, rel=0.01
    )
    assert row.usd_per_total_mtok_at_low_use * per_dollar == pytest.approx(2.78, rel=0.01)
    assert (row.usd_per_total_mtok_charged, row.n_providers, row.n_providers_unchanged_for_a_year) == (
        2.5,
        2,
        2,
    )
    assert str(row.charged_as_of.date()) == "2026-07-25" and row.providers == "avian, together"


def test_discounts_hours_and_related_models_are_apart(warehouse):
    rows = warehouse.execute(
        "select market_model, price_kind, apart_reason from token_cost_and_price('deepseek-r1') where row_kind = 'price apart'"
    ).fetchall()
    assert {kind for _, kind, _ in rows} == {"list", "discounted"} and all(reason for *_, reason in rows)
    assert {model for model, kind, _ in rows if kind == "list"} == {"DeepSeek-R1-0528"}


def test_germany_or_sweden(warehouse, energy_data, electricity_data):
    """By hand from the collectors' files: g CO2e and US$ of a kilowatt-hour, times the modelled joules of the result."""
    grams = json.loads((energy_data / "codecarbon/global_energy_mix.json").read_text(encoding="utf-8"))
    with (electricity_data / "eurostat_large_industry_ex_tax.csv").open(encoding="utf-8") as file:
        usd = {row["iso3"]: float(row["usd_per_kwh"]) for row in csv.DictReader(file)}
    rows = warehouse.execute("from electricity_per_mtok('deepseek-r1', 'Germany, SE')").df()
    assert warehouse.execute("from electricity_per_mtok('deepseek-r1', ['Germany', 'SE'])").df().equals(rows)
    joules = dict(
        warehouse.execute(
            "select result_id, j_per_output_token_modelled from mart_energy where power_basis = 'modelled'"
        ).fetchall()
    )
    assert set(rows.place) == {"Germany", "SE"} and len(rows) >= 10
    for row in rows.itertuples():
        code = "DEU" if row.place == "Germany" else "SWE"
        kwh = joules[row.result_id] * 1e6 / 3.6e6
        grid = grams[code]["carbon_intensity"] / 1000
        found = (row.kwh_per_output_mtok, row.kg_co2e_per_output_mtok, row.electricity_usd_per_output_mtok)
        assert found == pytest.approx((kwh, kwh * grid, kwh * usd[code]))
    ratio = grams["DEU"]["carbon_intensity"] / grams["SWE"]["carbon_intensity"]
    more = rows.set_index("place").carbon_to_lowest_place
    assert more["SE"].to_numpy() == pytest.approx(1) and more["Germany"].to_numpy() == pytest.approx(ratio)
    # the rent is that of the first offer of the region
    for part, rent in (
        rows[rows.place == "Germany"].set_index("accelerator_id").usd_per_output_mtok.dropna().items()
    ):
        first = warehouse.execute(
            "select usd_per_output_mtok from cost_per_mtok('deepseek-r1', 'Server', region := 'DE') "
            "where accelerator_id = $1 and rank_reason is null limit 1",
            [part],
        ).fetchone()
        assert first == (pytest.approx(rent),)
