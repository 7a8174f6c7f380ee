"""Number formats, MFU and cost of training in the warehouse built from real data."""

import re
import shutil

import duckdb
import jinja2
import pytest

from warehouse.home import DBT_PROJECT_DIR

LANGUAGE_MODELS = ("gpt3", "llama31_405b", "llama31_8b")


def test_formats_of_language_models_are_known_or_listed(warehouse):
    # 74 results of v4.1 to v5.1; a separate count gave about 38 with one matching configuration
    n, known, ambiguous, unlisted = warehouse.execute(
        """
        select count(*), count(number_format), count(*) filter (number_format_basis = 'ambiguous'),
            count(*) filter (number_format_basis = 'ambiguous' and mfu_reason not like '%' || mfu_candidates)
        from fct_training_result
        where list_contains($models, benchmark_id) and release in ('v4.1', 'v5.0', 'v5.1')
        """,
        {"models": LANGUAGE_MODELS},
    ).fetchone()
    assert n == 74 and known >= 35 and ambiguous >= 1 and unlisted == 0


@pytest.mark.parametrize(
    ("release", "system", "benchmark", "number_format", "why"),
    [
        ("v5.1", "hsg_ngpu5120_ngc25.09_nemo", "llama31_405b", "fp4", "1,280 x 4 exists as _fp4 alone"),
        ("v5.1", "hsg_ngpu2560_ngc25.09_nemo", "llama31_405b", "fp4", "640 x 4 exists as _fp4 alone"),
        (
            "v5.1",
            "theia_ngpu512_ngc25.09_nemo",
            "llama31_8b",
            "fp8",
            "128 x 4 of 8B has one file, without fp4",
        ),
        ("v5.1", "1xXE9680Lx8B200-SXM-180GB", "llama31_8b", "fp4", "its file sources config_common_fp4.sh"),
        ("v5.1", "2xXE9680Lx8B200-SXM-180GB", "llama31_8b", "fp8", "its file does not source it"),
        ("v5.0", "eos-dfw_n1024_ngc25.01_nemo", "llama31_405b", "fp8", "FP8=True in config_common.sh"),
        ("v5.1", "theia_ngpu512_ngc25.09_nemo", "llama31_405b", None, "_cg.sh and _cg_fp4.sh both fit"),
    ],
)
def test_formats_read_by_hand(warehouse, release, system, benchmark, number_format, why):
    (actual,) = warehouse.execute(
        "select number_format from fct_training_result where release = ? and platform = ? and benchmark_id = ?",
        [release, system, benchmark],
    ).fetchone()
    assert actual == number_format, why


def test_512_gb300_reach_24_pct_of_fp4_or_72_pct_of_fp8(warehouse):
    candidates, witness = warehouse.execute(
        """
        select mfu_candidates, number_format_witness from fct_training_result
        where release = 'v5.1' and platform = 'theia_ngpu512_ngc25.09_nemo' and benchmark_id = 'llama31_405b'
        """
    ).fetchone()
    assert re.fullmatch(r"24\.\d % of FP4 or 72\.\d % of FP8", candidates)
    assert "config_GB300_128x4x72xtp2pp8cp2_cg.sh" in witness
    assert "config_GB300_128x4x72xtp2pp8cp2_cg_fp4.sh" in witness


def test_model_flops_agree_with_the_submitted_count(warehouse):
    # MODEL_TFLOP_PER_SAMPLE of the configurations: 21,508 for 405B
    ((published, ours),) = warehouse.execute(
        """
        select distinct f.model_tflop_per_sample, m.flops_per_token * 8192 / 1e12
        from intermediate.int_training__number_formats as f
        inner join intermediate.int_training__mfu as m using (result_id)
        where result_id like '%/llama31_405b' and f.model_tflop_per_sample is not null
        """
    ).fetchall()
    assert published == 21508
    assert ours == pytest.approx(published, rel=0.005)


def test_an_impossible_mfu_fails_the_check(built_home, tmp_path):
    check = (DBT_PROJECT_DIR / "tests/mfu_is_possible.sql").read_text()
    assert "severity" not in check  # dbt's default is error
    statement = jinja2.Environment(autoescape=False).from_string(check).render(ref=lambda name: name)
    path = tmp_path / "planted.duckdb"
    shutil.copy(built_home / "accelmart.duckdb", path)
    with duckdb.connect(str(path)) as db:
        assert db.execute(statement).fetchall() == []
        db.execute(
            "update main.fct_training_result set mfu_pct = 100.1 where result_id = "
            "(select min(result_id) from main.fct_training_result where number_format = 'fp8' and mfu_pct > 0)"
        )
        assert len(db.execute(statement).fetchall()) == 1


def test_cost_to_train_is_hours_times_price(warehouse):
    # the official minutes of 512 GB300 times 512, at the ownership cost of the scenario
    hours, owned, usd, low, high = warehouse.execute(
        """
        select c.accelerator_hours, t.usd_per_accelerator_hour, c.usd_to_train, c.usd_to_train_low, c.usd_to_train_high
        from mart_cost_to_train as c
        inner join mart_tco as t on c.accelerator_id = t.accelerator_id and c.price_terms = t.scenario_id
            and t.is_default
        where c.release = 'v5.1' and c.benchmark_id = 'llama31_405b' and c.accelerator_id = 'nvidia-gb300-288gb'
            and c.price_terms = 'hyperscaler'
        """
    ).fetchone()
    assert usd == pytest.approx(hours * owned) and low < usd < high
    (missing,) = warehouse.execute(
        "select count(*) from mart_cost_to_train where (usd_to_train is null) <> (reason is not null)"
    ).fetchone()
    assert missing == 0


def test_cost_of_known_models_is_that_of_epoch_but_for_the_rate(warehouse):
    rows = warehouse.execute(
        "select model, price_basis, usd_to_train / epoch_usd, usd_per_accelerator_hour / epoch_usd_per_accelerator_hour, "
        "is_within_range, cause from mart_frontier_cost_check where usd_to_train is not null"
    ).fetchall()
    assert len(rows) >= 8 and all(cause for *_, cause in rows)
    assert all(cost == pytest.approx(rate) for _, _, cost, rate, *_ in rows)
    # three models of 2022 and 2023 were trained on A100 at about the rate that is their price level now
    assert sum(inside for _, basis, *_, inside, _ in rows if basis == "rent") >= 3
