"""The SQL people call: comments in the file, macros against SQL written out by hand."""

import duckdb
import pytest

H100, B200 = "nvidia-h100-sxm-80gb", "nvidia-b200-sxm-180gb"


def test_cost_per_mtok_by_hand(warehouse):
    """Throughput ÷ price from the facts alone: one accelerator, one seller, one day."""
    (tokens_per_s,) = warehouse.execute(
        """
        select max(result / accelerator_count) from fct_inference_result
        where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and release = 'v5.1' and division = 'closed'
            and suite = 'datacenter' and variant = 'standard' and accelerator_id = $id and not is_derived
            and is_per_accelerator_valid
        """,
        {"id": H100},
    ).fetchone()
    (usd_per_hour,) = warehouse.execute(
        """
        select min(usd_per_instance_hour / accelerator_count) from fct_price_interval
        where provider = 'aws' and accelerator_id = $id and pricing_model = 'on_demand' and is_comparable
            and valid_from < '2025-12-02' and (valid_to is null or valid_to >= '2025-12-02')
        """,
        {"id": H100},
    ).fetchone()
    rows = warehouse.execute(
        """
        select usd_per_output_mtok, release from cost_per_mtok(
            'llama3.1-405b', 'Server', pricing := 'on_demand', provider := 'aws', day := '2025-12-01'
        ) where accelerator_id = $id
        """,
        {"id": H100},
    ).fetchall()
    assert rows == [(pytest.approx(usd_per_hour * 1e6 / 3600 / tokens_per_s), "v5.1")]


def test_cost_per_mtok_narrows(warehouse):
    everything = warehouse.execute("from cost_per_mtok('llama3.1-405b', 'Server')").fetchall()
    names = [c[0] for c in warehouse.description]
    place = dict(zip(names, range(len(names)), strict=True))

    def narrowed(words):
        return warehouse.execute(f"from cost_per_mtok('llama3.1-405b', 'Server', {words})").fetchall()

    for words, column, value in (
        ("pricing := 'spot'", "pricing_model", "spot"),
        ("provider := 'aws'", "provider", "aws"),
        ("region := 'us'", "country", "US"),
        ("release := 'v5.1'", "release", "v5.1"),
    ):
        rows = narrowed(words)
        assert {row[place[column]] for row in rows} == {value}, words
    # what may not be ranked stands last, before it what has a price that is no longer current
    order = [
        (row[place["rank_reason"]] is not None, row[place["price_standing"]] != "current", row[0])
        for row in everything
    ]
    assert order == sorted(order) and len({groups[:2] for groups in order}) >= 3
    costs = sorted(row[0] for row in everything)
    # the mart has the same for every round; it holds the prices in force when it was built
    marts = warehouse.execute(
        "select usd_per_output_mtok from mart_cost_per_mtok where benchmark_id = 'llama3.1-405b' "
        "and scenario = 'Server' and is_representative order by 1"
    ).fetchall()
    assert costs == pytest.approx([c for (c,) in marts])


def test_best_result_by_hand(warehouse):
    by_hand = warehouse.execute(
        """
        select accelerator_id, max(result / accelerator_count), arg_max(submission_id, result / accelerator_count)
        from fct_inference_result
        where benchmark_id = 'deepseek-r1' and scenario = 'Offline' and division = 'closed' and suite = 'datacenter'
            and variant = 'standard' and is_derived is not true and availability = 'available'
        group by accelerator_id order by 2 desc
        """
    ).fetchall()
    by_macro = warehouse.execute(
        "select accelerator_id, throughput_per_accelerator, submission_id from best_result('deepseek-r1', 'Offline')"
    ).fetchall()
    # of VR200 there is a preview system alone: no figure, and the reason
    assert by_macro == [*by_hand, ("nvidia-vr200-288gb", None, None)] and len(by_hand) == 5


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


@pytest.mark.parametrize(
    ("query", "near"),
    [
        ("from compare('h100x', 'nvidia-b200-sxm-180gb')", H100),
        ("from tco('nvidia-h100-sxm-80gb', scenario := 'hyper')", "hyperscaler"),
        ("from best_result('lama3.1-405b', 'Offline')", "llama3.1-405b"),
        ("from cost_per_mtok('deepseek-r2', 'Offline')", "deepseek-r1"),
    ],
)  # fmt: skip
def test_an_unknown_key_is_an_error_with_a_hint(warehouse, query, near):
    with pytest.raises(duckdb.Error, match=r"no .* matches .*; near: .*" + near):
        warehouse.execute(query).fetchall()


def test_the_file_names_no_path_of_the_build(warehouse):
    views = warehouse.execute("select sql from duckdb_views() where not internal").fetchall()
    assert views and not [sql for (sql,) in views if "/" in sql or "read_parquet" in sql]


def test_public_relations_stand_in_both_schemas(warehouse):
    tables, views = (
        {name for (name,) in warehouse.execute(query).fetchall()}
        for query in (
            "select table_name from duckdb_tables() where schema_name = 'main'",
            "select view_name from duckdb_views() where schema_name = 'accelmart'",
        )
    )
    assert tables == views and "mart_cost_per_mtok" in tables
