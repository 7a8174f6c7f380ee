"""Energy in the warehouse built from real data; expected figures are published or computed by hand from published ones."""

from statistics import median

import pytest
from queries import one

import accelmart as package

HOUSEHOLD_J = 38_847_600_000  # 10,791 kWh


LENOVO = """
from mart_energy where release = 'v5.1' and submitter = 'Lenovo' and system_name like '%SR780a V3%'
    and benchmark_id = 'llama3.1-405b' and scenario = 'Offline'
"""


def test_lenovo_measured_before_and_after_pue(warehouse):
    # 9,891.76 W / 1,637.11 tokens/s = 6.04 J
    before, after, pue, tokens, scope = one(
        warehouse,
        "select j_per_output_token_before_pue, j_per_output_token_measured, pue, output_tokens_per_household_year, power_scope "
        f"{LENOVO} and power_basis = 'measured'",
    )
    assert before == pytest.approx(6.04, abs=0.005)
    assert pue > 1 and after == pytest.approx(before * pue, rel=1e-12)
    assert tokens == pytest.approx(HOUSEHOLD_J / after, rel=1e-12)
    assert "wall" in scope


def test_measured_and_modelled_energy_have_separate_rows_and_columns(warehouse):
    rows = warehouse.execute(
        "select power_basis, j_per_output_token_measured is null, j_per_output_token_modelled is null, "
        f"watts_per_accelerator, all_in_watts_per_accelerator {LENOVO} order by power_basis"
    ).fetchall()
    # 1,710 W is the published all-in power of a B200; its metered systems draw 1 / 1.45 of it
    assert rows == [
        ("measured", False, True, pytest.approx(9891.7644 / 8, rel=1e-6), None),
        ("modelled", True, False, pytest.approx(1710 / 1.45, rel=0.01), 1710),
    ]


SERVER_405B = """
from mart_energy where release = 'v5.1' and benchmark_id = 'llama3.1-405b' and scenario = 'Server' and division = 'closed'
    and suite = 'datacenter' and variant = 'standard' and not is_derived and pue = 1.54
"""


def test_405b_server_modelled_range_contains_what_was_measured(warehouse):
    """Published B200 watts of 1,710 gave 16.5 J, outside of the measured 11.8 J, before division by the model's error."""
    modelled, low, high, all_in, measured, measured_low, basis = one(
        warehouse,
        f"""
        select min(j_per_output_token_modelled), min(j_per_output_token_modelled_low), max(j_per_output_token_modelled_high),
            min(all_in_watts_per_accelerator / output_tokens_per_s_per_accelerator * pue),
            min(j_per_output_token_measured), min(j_per_output_token_measured_low),
            min(uncertainty_basis) filter (where power_basis = 'measured')
        {SERVER_405B} and accelerator_id = 'nvidia-b200-sxm-180gb'
        """,
    )
    assert (all_in, measured) == (pytest.approx(16.5, rel=0.01), pytest.approx(11.8, rel=0.01))
    assert modelled == pytest.approx(16.5 / 1.45, rel=0.01)
    assert low < measured < high < all_in
    # one measured result has no range
    assert measured_low is None and basis == "one result"
    columns = {name for name, *_ in warehouse.execute("describe mart_energy").fetchall()}
    assert not columns & {"j_per_output_token", "kg_co2e_per_output_mtok", "kg_co2e_per_trained_mtok"}


# systems of mart_energy_model_check by key; their errors are recomputed from watts
METERED = """
select accelerator_id, system_id as system, watts_per_accelerator_modelled / watts_per_accelerator_measured as ratio
from mart_energy_model_check
where power_model = 'published_all_in' and caveat is null and division = 'closed' and suite is distinct from 'edge'
    and not is_derived and not is_same_run_as_99_9
"""


@pytest.fixture
def metered(warehouse):
    """Ratios of all-in to measured watts by accelerator and system."""
    systems = {}
    for part, system, ratio in warehouse.execute(METERED).fetchall():
        systems.setdefault((part, system), []).append(ratio)
    return systems


def factor(systems, part):
    """Median of the systems' medians: of the part's own from three on, else of all."""
    own = [median(ratios) for (other, _), ratios in systems.items() if other == part]
    return median(own if len(own) >= 3 else [median(ratios) for ratios in systems.values()])


def test_the_model_is_divided_by_its_median_error_over_metered_systems(warehouse, metered):
    assert len(metered) == 7 and {part for part, _ in metered} == {
        "nvidia-b200-sxm-180gb",
        "nvidia-h100-sxm-80gb",
    }
    assert {
        part: factor(metered, part) for part in ("nvidia-b200-sxm-180gb", "nvidia-h100-sxm-80gb", "")
    } == {
        "nvidia-b200-sxm-180gb": pytest.approx(1.45, rel=0.01),
        "nvidia-h100-sxm-80gb": pytest.approx(1.60, rel=0.01),
        "": pytest.approx(1.51, rel=0.01),
    }
    rows = warehouse.execute(
        "select distinct accelerator_id, all_in_watts_per_accelerator / watts_per_accelerator, n_model_systems, "
        "1 + model_error_pct_low / 100, 1 + model_error_pct_high / 100 "
        "from mart_energy where power_model = 'published_all_in'"
    ).fetchall()
    assert len(rows) >= 10
    for part, divisor, n, lowest, highest in rows:
        own = [ratios for (other, _), ratios in metered.items() if other == part]
        ratios = [ratio for system in own or metered.values() for ratio in system]
        assert divisor == pytest.approx(factor(metered, part)) and n == (len(own) or 7)
        assert (lowest, highest) == (pytest.approx(min(ratios)), pytest.approx(max(ratios)))
        if not own:
            assert (lowest, highest) == (pytest.approx(1.31, rel=0.01), pytest.approx(1.85, rel=0.01))


def test_each_metered_system_is_modelled_within_20_per_cent_without_itself(warehouse, metered):
    rows = warehouse.execute(
        "select distinct accelerator_id, system_id, system_error_pct, n_other_systems, "
        "n_results_of_system from mart_energy_model_check where is_counted and power_model = 'published_all_in'"
    ).fetchall()
    assert {(part, system) for part, system, *_ in rows} == metered.keys() and len(rows) == 7
    for part, system, error, n_others, n_results in rows:
        others = {key: ratios for key, ratios in metered.items() if key != (part, system)}
        assert error == pytest.approx((median(metered[part, system]) / factor(others, part) - 1) * 100)
        # B200 has two other systems, so those of both parts count; H100 has three
        assert abs(error) < 20 and n_others == (6 if "b200" in part else 3)
        assert n_results == len(metered[part, system])


def test_rank_keeps_a_limit_on_energy_and_names_its_basis(built_home, accelmart):
    database = built_home / "accelmart.duckdb"
    offers = package.rank("llama3.1-405b", max_j_per_token=11, database=database).records()
    # 11.8 J were measured on B200, whatever is modelled for the offer's result; the rest is modelled
    assert {r["rank_reason"] for r in offers if r["accelerator_id"] == "nvidia-b200-sxm-180gb"} == {
        "a token takes 11.8 J, measured"
    }
    ranked = [r for r in offers if r["rank_reason"] is None]
    assert ranked and all(r["j_per_output_token"] <= 11 and r["energy_basis"] == "modelled" for r in ranked)
    free = package.rank("llama3.1-405b", database=database).records()
    assert any(r["accelerator_id"] == "nvidia-b200-sxm-180gb" for r in free if r["rank_reason"] is None)
    done = accelmart(built_home, *["rank", "--model", "llama3.1-405b", "--max-j-per-token", "11"])
    assert done.returncode == 0 and "a token takes 11.8 J, measured" in done.stdout
    for words, message in (("0", "must be above 0"), ("9 --carbon", "no option of --carbon")):
        done = accelmart(built_home, *f"rank --model llama3.1-405b --max-j-per-token {words}".split())
        assert done.returncode == 1 and message in done.stderr


def test_no_modelled_value_is_its_own_bound(warehouse):
    for kind in ("output", "trained"):
        value = f"j_per_{kind}_token_modelled"
        inside, n = one(
            warehouse,
            f"select count(*) filter ({value}_low < {value} and {value} < {value}_high), count({value}) from mart_energy",
        )
        assert inside == n > 30
    assert not one(
        warehouse,
        "select count(*) from mart_energy where n_results = 1 and "
        "coalesce(j_per_output_token_measured_low, j_per_trained_token_measured_low) is not null",
    )


def test_every_measured_result_of_a_known_accelerator_is_published_and_checked(warehouse):
    metered = one(
        warehouse,
        """
        select (select count(*) from fct_inference_result
                where power_w is not null and accelerator_id is not null and is_per_accelerator_valid and not is_peer_outlier)
            + (select count(*) from fct_training_result where energy_j is not null and accelerator_id is not null)
        """,
    )
    assert metered > 600
    assert one(warehouse, "select count(*) from mart_energy where power_basis = 'measured'") == metered
    assert one(warehouse, "select count(distinct result_id) from mart_energy_model_check") == metered


def test_the_error_of_a_model_by_hand(warehouse):
    error = one(
        warehouse,
        """
        select error_pct from mart_energy_model_check
        where release = 'v5.1' and submitter = 'Lenovo' and system_name like '%SR780a V3%'
            and benchmark_id = 'llama3.1-405b' and scenario = 'Offline' and power_model = 'published_all_in'
        """,
    )
    assert error == pytest.approx((1710 * 8 / 9891.76 - 1) * 100, abs=0.01)


def test_training_energy_equals_the_energy_of_its_runs(warehouse):
    # 16.384 MJ a run on 64 accelerators (the official summarizer's figure for Dell, training v4.1)
    joules, watts, per_token, modelled = one(
        warehouse,
        """
        select t.energy_j, e.watts_per_accelerator, e.j_per_trained_token_before_pue, e.j_per_trained_token_modelled
        from mart_energy as e inner join fct_training_result as t using (result_id)
        where e.power_basis = 'measured' and e.suite_kind = 'training' and t.submitter = 'Dell' and t.release = 'v4.1'
        """,
    )
    assert joules == pytest.approx(16.384e6, rel=1e-4)
    assert 700 < watts < 1000 and per_token > 0 and modelled is None


def test_every_row_has_a_pue_of_at_least_one_and_one_basis(warehouse):
    assert (
        one(
            warehouse,
            "select count(*) from mart_energy where pue < 1 or power_basis not in ('measured', 'modelled')",
        )
        == 0
    )


@pytest.mark.parametrize(
    ("sql", "published"),
    [
        ("tokens_per_household_year(2.46)", 15.8e9),
        ("household_years(300e9, 2.46)", 19.0),
        ("household_years(300e9, 3.63)", 28.0),
        ("tokens_per_household_year(8.8)", 4.4e9),
        ("household_years(15e12, 8.8)", 3400),
        ("trained_tokens_per_s(39.5, training_flops_per_token(175e9, 96, 12288, 2048), 1979)", 724.5),
        ("trained_tokens_per_s(54, training_flops_per_token(405.85e9, 126, 16384, 8192), 989.4)", 202.5),
        ("usd_per_trained_mtok(1.42, 724.5)", 0.544),
        ("usd_per_trained_mtok(1.42, 202.5)", 1.948),
        ("1.42 * training_accelerator_hours(15e12, 202.5)", 29.2e6),
        ("j_per_token(1000, 1.2, 600)", 2),
        ("tokens_per_kwh(3.6)", 1e6),
        ("kg_co2e_per_mtok(3.6, 0.5)", 0.5),
        ("training_state_bytes(405e9)", 6.48e12),
        ("kv_cache_bytes_per_token(126, 8, 128, 2)", 516_096),
        ("accelerators_that_hold(6.48e12, 80)", 81),
        ("creation_outlay_usd(72e6)", 90e6),
        ("amortised_usd(72e6, 8760, 4)", 18e6),
        ("accelerators_for_load(86.4e6, 10, 50)", 200),
        ("training_hours(3.6e9, 100, 10)", 1000),
    ],
)
def test_macros_of_the_published_file_give_published_figures(warehouse, sql, published):
    assert one(warehouse, f"select {sql}") == pytest.approx(published, rel=0.01)
