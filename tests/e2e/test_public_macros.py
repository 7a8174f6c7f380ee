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
        assert (rows and len(rows) < len(everything)) or words.startswith("release"), words
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
        with results as (
            from fct_inference_result
            where benchmark_id = 'deepseek-r1' and scenario = 'Offline' and division = 'closed' and suite = 'datacenter'
                and variant = 'standard' and is_derived is not true and accelerator_id is not null
        )
        select accelerator_id, max(result / accelerator_count), arg_max(submission_id, result / accelerator_count)
        from results where availability = 'available' group by accelerator_id order by 2 desc
        """
    ).fetchall()
    by_macro = warehouse.execute(
        "select accelerator_id, throughput_per_accelerator, submission_id from best_result('deepseek-r1', 'Offline')"
    ).fetchall()
    # of VR200 there is a preview system alone: no figure, and the reason
    assert (
        len(by_macro) == 6 and by_macro[:5] == by_hand and by_macro[5] == ("nvidia-vr200-288gb", None, None)
    )
    # as published: 289,712 tokens/s on 72 GPUs
    gb200 = warehouse.execute(
        "select throughput_per_accelerator from best_result('deepseek-r1', 'Offline', accelerator := 'nvidia-gb200-186gb', release := 'v5.1')"
    ).fetchall()
    assert gb200 == [(pytest.approx(289_712 / 72),)]
    rounds = warehouse.execute(
        "select distinct release from best_result('llama2-70b-99', 'Offline', release := 'v4.1')"
    ).fetchall()
    assert rounds == [("v4.1",)]


def test_tco_is_the_mart_and_follows_what_is_replaced(warehouse):
    columns = "accelerator_id, scenario_id, usd_per_accelerator_hour, usd_per_useful_accelerator_hour, electricity_usd_per_accelerator_hour"
    by_macro = warehouse.execute(f"select {columns} from tco('{H100}') order by all").fetchall()
    mart = warehouse.execute(
        f"select {columns} from mart_tco where accelerator_id = '{H100}' and is_default order by all"
    ).fetchall()
    assert len(by_macro) == 3 and by_macro == mart

    # $250,000 for 8, 6 %, 4 years, 1,370 W, PUE 1.15, $0.05/kWh, $108 a kW and month, 3 % maintenance, 99.5 %
    i, n, capex, kw = 0.06, 4, 31_250, 1.37
    crf = i * (1 + i) ** n / ((1 + i) ** n - 1)
    by_hand = (capex * crf / 8760 + kw * (1.15 * 0.05 + 108 / 730) + capex * 0.03 / 8760) / 0.995
    (usd,) = warehouse.execute(
        f"select usd_per_accelerator_hour from tco('{H100}', scenario := 'hyperscaler', price_level := '2025-08', electricity_usd_per_kwh := 0.05)"
    ).fetchone()
    assert usd == pytest.approx(by_hand)
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


def test_compare_by_hand(warehouse):
    rows = {
        (topic, item): (a, b, ratio, release, left, right)
        for topic, item, a, b, ratio, release, left, right in warehouse.execute(
            f"select topic, item, value_a, value_b, a_to_b, release_a, evidence_a, evidence_b from compare('{B200}', '{H100}')"
        ).fetchall()
    }
    assert rows["specification", "memory_gb"][:3] == (180, 80, 2.25)
    a, b, ratio, release, left, right = rows["inference", "llama3.1-405b Server"]
    assert ratio == pytest.approx(a / b) and release == "v5.1"
    for value, evidence in ((a, left), (b, right)):
        (per_accelerator,) = warehouse.execute(
            "select result / accelerator_count from fct_inference_result where result_id = ?", [evidence]
        ).fetchone()
        assert per_accelerator == pytest.approx(value)
    assert {"specification", "inference", "training", "rented, on demand", "rent", "ownership"} <= {
        t for t, _ in rows
    }
    # the other way round every ratio is the inverse; of sellers the lowest and the highest, as a median of two is their mean
    columns = "topic, item, a_to_b, a_to_b_low, a_to_b_high"
    there = warehouse.execute(f"select {columns} from compare('{B200}', '{H100}')").fetchall()
    back = {
        row[:2]: row[2:]
        for row in warehouse.execute(f"select {columns} from compare('{H100}', '{B200}')").fetchall()
    }
    assert back.keys() == rows.keys()
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


PROMISED = {
    "fct_inference_result": "release, submission_id, submitter, division, suite, availability, system_name, benchmark_id, scenario, "
    "accelerator_name_published, accelerator_id, accelerator_count, accelerator_count_basis, result, result_unit, "
    "throughput_per_accelerator, result_unit_published, is_per_accelerator_valid, invalid_reason, is_derived, "
    "is_inferred_published, model_published, power_w, software, source_url, payload_sha256",
    "mart_inference_throughput": "release, benchmark_id, scenario, division, accelerator_id, result_unit, n_results, "
    "throughput_per_accelerator_min, throughput_per_accelerator_median, throughput_per_accelerator_max, best_submission_id",
    "mart_source_health": "source, last_success_at, age_days, payloads, rows, rejects, status",
    "fct_training_run": "release, submitter, system_name, benchmark_id, run_index, converged, minutes, samples, global_batch_size, "
    "energy_j",
    "fct_training_result": "release, submitter, division, system_name, benchmark_id, accelerator_id, accelerator_count, n_runs, "
    "n_converged, score_minutes, rcp_scaling_factor, energy_j, samples_per_s, trained_tokens_per_s_per_accelerator, mfu_pct, "
    "number_format, accelerator_hours, source_url",
    "mart_training_scaling": "release, submitter, benchmark_id, accelerator_id, accelerator_count, base_accelerator_count, "
    "scaling_efficiency",
    "ops_reconciliation": "source, payload_sha256, records_in, rows_out, rejects",
}


@pytest.mark.parametrize("table", PROMISED)
def test_public_names_are_unchanged(warehouse, table):
    """With the public schema's name, and without a schema."""
    for name in (f"accelmart.accelmart.{table}", table):
        warehouse.execute(f"select {PROMISED[table]} from {name} limit 0")


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
