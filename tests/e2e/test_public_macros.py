"""The SQL people call: macros against the marts, and what a published file names."""

import pytest

H100, B200 = "nvidia-h100-sxm-80gb", "nvidia-b200-sxm-180gb"


def test_tco_is_the_mart_and_follows_what_is_replaced(warehouse):
    columns = "accelerator_id, scenario_id, usd_per_accelerator_hour, usd_per_useful_accelerator_hour, electricity_usd_per_accelerator_hour"
    by_macro = warehouse.execute(f"select {columns} from tco('{H100}') order by all").fetchall()
    mart = warehouse.execute(
        f"select {columns} from mart_tco where accelerator_id = '{H100}' and is_default order by all"
    ).fetchall()
    assert len(by_macro) == 3 and by_macro == mart

    # every argument reaches the figure, and the row shows it
    for argument in (
        "capex_usd", "it_power_w", "cost_of_capital_pct", "depreciation_years", "electricity_usd_per_kwh", "pue",
        "colocation_usd_per_kw_month", "maintenance_pct_of_capex_per_year", "staff_usd_per_accelerator_year",
        "availability_pct", "utilisation_pct", "goodput_pct",
    ):  # fmt: skip
        shown = {"capex_usd": "capex_usd_per_accelerator"}.get(argument, argument)
        value, useful = warehouse.execute(
            f"select {shown}, usd_per_useful_accelerator_hour from tco('{H100}', scenario := 'hyperscaler', {argument} := 7.5)"
        ).fetchone()
        assert value == 7.5
        assert useful != pytest.approx(mart[[m[1] for m in mart].index("hyperscaler")][3]), argument


def test_the_other_way_round_every_ratio_is_the_inverse(warehouse):
    """Of sellers the lowest and the highest, as a median of two is their mean."""
    columns = "topic, item, a_to_b, a_to_b_low, a_to_b_high"
    there = warehouse.execute(f"select {columns} from compare('{B200}', '{H100}')").fetchall()
    back = {
        row[:2]: row[2:]
        for row in warehouse.execute(f"select {columns} from compare('{H100}', '{B200}')").fetchall()
    }
    assert back.keys() == {row[:2] for row in there}
    assert {topic for topic, _ in back} >= {
        "specification", "inference", "training", "rented, on demand", "rent", "ownership"
    }  # fmt: skip
    for topic, item, ratio, low, high in there:
        other, other_low, other_high = back[topic, item]
        if topic == "at the same sellers":
            assert low is None or [low * other_high, high * other_low] == pytest.approx([1, 1]), item
        else:
            assert ratio * other == pytest.approx(1), item


def test_days_of_prices_are_those_of_utc_whatever_the_time_zone_of_the_reader(warehouse):
    """In Los Angeles midnight of UTC is the day before."""
    days = """
        select newest_price_day()::varchar, max(last_seen_at)::timestamp::date::varchar from fct_price_interval
        where is_comparable and valid_from <= now()
    """
    warehouse.execute("set timezone = 'UTC'")
    ((newest, expected),) = warehouse.execute(days).fetchall()
    statements = [
        f"from {offers} as o order by o::varchar"
        for offers in (
            "cost_per_mtok('llama3.1-405b', 'Server')",
            "price_on('2025-12-01')",
            f"seller_offers('{H100}')",
        )
    ]
    answers = [warehouse.execute(statement).fetchall() for statement in statements]
    warehouse.execute("set timezone = 'America/Los_Angeles'")
    assert warehouse.execute(days).fetchone()[0] == newest == expected
    assert [sorted(warehouse.execute(s).fetchall(), key=str) for s in statements] == [
        sorted(rows, key=str) for rows in answers
    ]


def test_the_file_names_no_path_of_the_build(warehouse):
    views = warehouse.execute("select sql from duckdb_views() where not internal").fetchall()
    assert views and not [sql for (sql,) in views if "/" in sql or "read_parquet" in sql]
