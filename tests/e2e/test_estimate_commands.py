"""`accelmart estimate` on the warehouse built from real data."""

import json

import pytest

TRAINING = "estimate training --params 405e9 --tokens 15e12 --accelerator nvidia-h100-sxm-80gb --gpus 2304"
SERVING = "estimate serving --model llama3.1-405b --tokens-per-day 1e9"


@pytest.fixture
def estimate(accelmart, built_home):
    def run(words):
        done = accelmart(built_home, *words.split(), "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_405b_as_published(estimate):
    # MFU 54 % BF16 at $1.42: 202.5 tokens/s/GPU, $1.948 a million, 15e12 tokens = $29.2M
    figures = estimate(f"{TRAINING} --price 1.42 --mfu 54")["figures"]
    assert figures["trained_tokens_per_s_per_accelerator"] == pytest.approx(202.5, rel=0.01)
    assert figures["usd_per_trained_mtok"] == pytest.approx(1.948, rel=0.01)
    assert figures["rental_usd"] == pytest.approx(29.2e6, rel=0.01)
    # the same measured in the joules of the article, 8.8 a token: 3,400 household-years
    assert figures["household_years"] * 8.8 / figures["j_per_trained_token"] == pytest.approx(3400, rel=0.01)


def test_gpt3_as_published(estimate):
    figures = estimate(
        "estimate training --params 175e9 --tokens 300e9 --accelerator nvidia-h100-sxm-80gb --gpus 128 --price 1.42 "
        "--mfu 39.5 --precision fp8"
    )["figures"]
    assert figures["trained_tokens_per_s_per_accelerator"] == pytest.approx(724.5, rel=0.01)
    assert figures["usd_per_trained_mtok"] == pytest.approx(0.544, rel=0.01)


def test_training_rests_on_the_nearest_measured_result(estimate, warehouse):
    done = estimate(f"{TRAINING} --price 1.42")
    ((benchmark, accelerator, mfu, count),) = warehouse.execute(
        "select benchmark_id, accelerator_id, mfu_pct, accelerator_count from fct_training_result where result_id = ?",
        [done["results"][0]],
    ).fetchall()
    assert (benchmark, accelerator) == ("llama31_405b", "nvidia-h100-sxm-80gb")
    assert done["inputs"]["mfu_pct"] == mfu and done["inputs"]["number_format"] == "fp8"
    assert done["rests_on"] == done["results"][:1] and done["extrapolated"] == []
    nearest = warehouse.execute(
        "select min(abs(ln(accelerator_count / 2304))) from fct_training_result where division = 'closed' "
        "and benchmark_id = 'llama31_405b' and accelerator_id = 'nvidia-h100-sxm-80gb'"
    ).fetchone()[0]
    assert warehouse.execute("select abs(ln(? / 2304))", [count]).fetchone()[0] == pytest.approx(nearest)
    assert any(done["results"][0] in sentence for sentence in done["basis"])
    assert done["extrapolations"] == []


def test_8b_on_8_a100_rests_on_no_fp8_run(estimate):
    # a published guide's case: 56.5 days at 50 % MFU; no round has a language model trained on A100 with tokens/s
    done = estimate(
        "estimate training --params 8B --tokens 100e9 --accelerator nvidia-a100-sxm-80gb --gpus 8 --price 2"
    )
    low, high = done["figures"]["days_low"], done["figures"]["days_high"]
    assert low <= 56.5 <= high and high / low <= 2.5
    assert done["rests_on"] == [] and done["inputs"]["number_format"] == "bf16"


def test_extrapolation_is_said(estimate):
    done = estimate(
        "estimate training --params 1T --tokens 10T --accelerator amd-mi325x --gpus 50000 --price 2"
    )
    said = " ".join(done["extrapolations"])
    assert "another accelerator" in said and "another model" in said and "another scale" in said


def test_serving_takes_the_best_measured_throughput(estimate, warehouse):
    done = estimate(f"{SERVING} --accelerator nvidia-b200-sxm-180gb --price 3")
    best = warehouse.execute(
        "select output_tokens_per_s_per_accelerator from mart_token_throughput where is_latest_of_accelerator "
        "and benchmark_id = 'llama3.1-405b' and scenario = 'Server' and accelerator_id = 'nvidia-b200-sxm-180gb'"
    ).fetchone()[0]
    figures = done["figures"]
    assert figures["output_tokens_per_s_per_accelerator"] == pytest.approx(best)
    assert figures["usd_per_output_mtok_at_full_use"] == pytest.approx(3 / (best * 3600) * 1e6)
    assert (
        figures["accelerators"] >= figures["accelerators_busy"] == pytest.approx(1e9 / (86400 * best * 0.6))
    )
    # measured by Lenovo on this part, scenario and model: 7.66 J before PUE, in a figure of its own
    assert figures["measured_j_per_output_token_before_pue"] == pytest.approx(7.66, abs=0.005)
    assert figures["j_per_output_token_before_pue_at_full_use"] == pytest.approx(1710 / best)


def test_serving_at_a_sellers_price_cites_its_offer(estimate, warehouse):
    provider, accelerator = warehouse.execute(
        "select provider, accelerator_id from mart_price_current inner join mart_token_throughput using (accelerator_id) "
        "where pricing_model = 'on_demand' and benchmark_id = 'llama3.1-405b' and scenario = 'Server' order by all limit 1"
    ).fetchone()
    done = estimate(f"{SERVING} --accelerator {accelerator} --provider {provider}")
    offer, price = warehouse.execute(
        "select best_offer_id, usd_per_accelerator_hour_min from mart_price_current "
        "where provider = ? and accelerator_id = ? and pricing_model = 'on_demand'",
        [provider, accelerator],
    ).fetchone()
    assert done["inputs"]["usd_per_accelerator_hour"] == price
    assert any(offer in sentence for sentence in done["basis"])


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (f"{TRAINING}", "--price"),
        (f"{TRAINING} --price -1", "--price"),
        (f"{TRAINING} --price 1.42 --pue 0.9", "--pue"),
        (f"{TRAINING} --price 1.42 --mfu 120", "--mfu"),
        (f"{TRAINING} --price 1.42 --accelerator nvidia-h1000", "--accelerator"),
        (f"{SERVING} --accelerator nvidia-b200-sxm-180gb --price 3 --utilisation 101", "--utilisation"),
    ],
)
def test_bad_input_is_one_clear_error(accelmart, built_home, words, option):
    done = accelmart(built_home, *words.split())
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("accelmart: ") and option in done.stderr and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_table_names_every_figure_and_its_basis(accelmart, built_home):
    done = accelmart(built_home, *f"{TRAINING} --price 1.42".split())
    assert done.returncode == 0
    for word in (
        "accelerator_hours",
        "rental_usd",
        "outlay_usd",
        "household_years",
        "fewest_accelerators",
        "Basis:",
    ):
        assert word in done.stdout
    assert "Extrapolated: nothing" in done.stdout


def test_the_command_is_the_macro(estimate, warehouse):
    done = estimate(f"{TRAINING} --price 1.42 --mfu 54 --pue 1.25 --capex 31250")
    inputs = done["inputs"]
    ours = warehouse.execute(
        """
        select rental_usd, outlay_usd, kwh, fewest_accelerators from estimate_training(
            405e9, 15e12, 2304, 54, 989.4, layer_count := 126, hidden := 16384, sequence_len := 8192,
            usd_per_hour := 1.42, hardware_usd_each := 31250, watts_each := $watts, facility_pue := 1.25,
            memory_each_gb := 80)
        """,
        {"watts": inputs["watts_per_accelerator"]},
    ).fetchone()
    assert ours == pytest.approx(
        tuple(done["figures"][k] for k in ("rental_usd", "outlay_usd", "kwh", "fewest_accelerators"))
    )
