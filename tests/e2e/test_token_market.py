"""Market prices of tokens against the two public lists they were extracted from, and beside the cost of tokens."""

import csv
import re

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
        ("genai-prices", 11, 1), ("model-price-hub", 1425, 2), ("models-dev", 2082, 1), ("openrouter-endpoints", 972, 1),
    ]  # fmt: skip
    assert warehouse.execute(
        "select distinct price_kind from mart_token_market_price where uncounted_reason is null"
    ).fetchall() == [("list",)]
    flash = warehouse.execute(
        "select price_kind, usd_per_input_mtok, usd_per_output_mtok, uncounted_reason from mart_token_market_price "
        "where model = 'deepseek-v4-flash' and provider = 'deepseek' and price_kind <> 'list' order by 1"
    ).fetchall()
    assert flash == [
        ("off_peak", 0.22, 0.66, "a price of some hours of the day"), ("peak", 0.44, 1.32, "a price of some hours of the day"),
    ]  # fmt: skip
