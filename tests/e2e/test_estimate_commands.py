"""`accelmart estimate` on the warehouse built from real data."""

import json

import pytest
from serving_frontiers import GROUP, frontiers, points_of, read

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


def test_70b_rests_on_the_published_mfu_of_its_size_and_format(estimate):
    """Llama 3 70B in FP8 on 64 to 2,048 H100: 38.1 to 35.5 %; a token takes 4.88e11 FLOPs with sequences of 8,192."""
    for gpus, mfu in ((64, 38.1), (2048, 35.5)):
        done = estimate(
            f"estimate training --params 70e9 --tokens 15e12 --accelerator nvidia-h100-sxm-80gb --gpus {gpus} --price 2"
        )
        figures = done["figures"]
        assert figures["flops_per_token"] == pytest.approx(4.88e11, rel=1e-3)
        assert (done["inputs"]["mfu_pct"], done["inputs"]["number_format"]) == (mfu, "fp8")
        speed = mfu / 100 * 1979e12 / 4.877e11
        assert figures["trained_tokens_per_s_per_accelerator"] == pytest.approx(speed, rel=1e-3)
        assert figures["days_low"] < figures["days"] < figures["days_high"] <= 2.5 * figures["days_low"]
        assert done["rests_on"] == [] and any("no MLPerf result (https://" in s for s in done["basis"])


def test_671b_takes_as_long_as_its_developer_says(estimate):
    # arXiv 2412.19437: 14.8e12 tokens in 2.664e6 hours of H800, which has the peaks of H100, on 2,048
    done = estimate(
        "estimate training --params 671B --tokens 14.8T --accelerator nvidia-h100-sxm-80gb --gpus 2048 --price 2"
    )
    assert done["figures"]["days"] == pytest.approx(2.664e6 / 2048 / 24, rel=1e-3)
    assert done["inputs"]["params"] == 37e9 and done["inputs"]["total_params"] == 671e9
    assert done["figures"]["days_low"] is done["figures"]["days_high"] is None
    assert done["figures"]["uncertainty_basis"].startswith("one figure of MFU")


def test_serving_takes_the_best_measured_throughput(estimate, warehouse):
    done = estimate(f"{SERVING} --accelerator nvidia-b200-sxm-180gb --price 3")
    best = warehouse.execute(
        "select output_tokens_per_s_per_accelerator from mart_token_throughput where is_representative "
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
    # 1,710 W all-in ÷ 1.45, the median error over three metered systems
    assert figures["j_per_output_token_before_pue_at_full_use"] == pytest.approx(1710 / 1.45 / best, rel=0.01)
    assert any("1,710 W" in sentence and "n = 3" in sentence for sentence in done["basis"])
    assert done["inputs"]["pue"] == 1.54
    owned = estimate(f"{SERVING} --accelerator nvidia-b200-sxm-180gb --scenario hyperscaler")
    assert owned["inputs"]["pue"] == 1.15 and owned["figures"][
        "j_per_output_token_at_full_use"
    ] == pytest.approx(1.15 * figures["j_per_output_token_before_pue_at_full_use"])


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (f"{TRAINING} --price -1", "price is -1"),
        (f"{TRAINING} --price 1.42 --accelerator nvidia-h1000", 'no accelerator matches "nvidia-h1000"'),
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
            405.85e9, 15e12, 2304, 54, 989.4, layer_count := 126, hidden := 16384, sequence_len := 8192,
            usd_per_hour := 1.42, hardware_usd_each := 31250, watts_each := $watts, facility_pue := 1.25,
            memory_each_gb := 80)
        """,
        {"watts": inputs["watts_per_accelerator"]},
    ).fetchone()
    assert ours == pytest.approx(
        tuple(done["figures"][k] for k in ("rental_usd", "outlay_usd", "kwh", "fewest_accelerators"))
    )


# --- serving at a speed of one user: frontiers measured outside of MLPerf ---------------------------------------------

MEASURED = "estimate serving --model llama3.1-405b"
H100 = ("mlenergy", "llama-3.1-405b", "nvidia-h100-sxm-80gb", "fp8", None, "lm-arena-chat")


def frontier_of(warehouse, group):
    """Return (tokens/s per user, tokens/s per accelerator) of a frontier, by comparison of every pair of points."""
    names = frontiers(warehouse)["tokens_per_s_per_user", group]
    return {name: (x, y) for name, x, _, y in points_of(warehouse)[group] if name in names}


def between(warehouse, column, below, above, speed):
    """Return a column of fct_serving_point on the straight line between two points at a speed."""
    found = {
        name: (x, y)
        for name, x, y in warehouse.execute(
            f"select point_id, tokens_per_s_per_user, {column} from fct_serving_point where point_id in (?, ?)",
            [below, above],
        ).fetchall()
    }
    return read([found[below], found[above]], speed)


def test_a_speed_between_points_is_read_on_the_line_between_them(estimate, warehouse):
    done = estimate(
        f"{MEASURED} --tokens-per-s-per-user 25.7 --accelerator nvidia-h100-sxm-80gb --weights fp8"
    )
    points, figures = frontier_of(warehouse, H100), done["figures"]
    speed = figures["output_tokens_per_s_per_accelerator"]
    assert speed == pytest.approx(read(list(points.values()), 25.7)) and figures["basis"] == "interpolated"
    below, above = done["points"]
    assert points[below][0] < 25.7 < points[above][0] and done["rests_on"] == done["results"] == []
    joules = between(warehouse, "j_per_output_token_measured", below, above, 25.7)
    assert (
        figures["j_per_output_token_measured"] == pytest.approx(joules) and figures["energy_scope"] == "GPU"
    )
    rent, owned = warehouse.execute(
        "select distinct rent_usd_per_accelerator_hour, owned_usd_per_accelerator_hour from mart_serving_frontier "
        "where accelerator_id = 'nvidia-h100-sxm-80gb'"
    ).fetchone()
    assert figures["rent_usd_per_output_mtok"] == pytest.approx(rent / speed / 3600 * 1e6)
    assert figures["owned_usd_per_output_mtok"] == pytest.approx(owned / speed / 3600 * 1e6)


def test_a_speed_of_a_measured_point_is_that_point(estimate, warehouse):
    name, (speed, tokens) = sorted(frontier_of(warehouse, H100).items(), key=lambda point: point[1])[2]
    done = estimate(
        f"{MEASURED} --tokens-per-s-per-user {speed!r} --accelerator nvidia-h100-sxm-80gb --weights fp8"
    )
    assert done["points"] == [name] and done["figures"]["basis"] == "measured"
    assert done["figures"]["output_tokens_per_s_per_accelerator"] == tokens
    assert any("a measured point" in sentence for sentence in done["basis"])


@pytest.mark.parametrize(
    ("accelerator", "rival"),
    [("nvidia-gb200-186gb", 3337.1), ("nvidia-gb300-288gb", 3520.9)],
)
def test_an_interactive_result_of_mlperf_comes_first(estimate, warehouse, accelerator, rival):
    """Interactive of DeepSeek-R1: 1,500 ms to the first token, 15 ms per token, so 1,000 ÷ 15 tokens/s and more."""
    done = estimate(
        f"estimate serving --model deepseek-r1 --tokens-per-s-per-user 50 --accelerator {accelerator}"
    )
    figures, (result,) = done["figures"], done["rests_on"]
    assert result.endswith("deepseek-r1/Interactive") and done["points"] == []
    assert (figures["ttft_limit_ms"], figures["tpot_limit_ms"]) == (1500, 15)
    assert figures["guaranteed_tokens_per_s_per_user"] == pytest.approx(1000 / 15)
    # NVIDIA's own result of v6.1, or a better one
    assert figures["output_tokens_per_s_per_accelerator"] >= rival
    speed, p99 = warehouse.execute(
        "select output_tokens_per_s_per_accelerator, tpot_ms_p99 from fct_inference_result where result_id = ?",
        [result],
    ).fetchone()
    assert figures["output_tokens_per_s_per_accelerator"] == speed and (p99 is None or p99 <= 15)
    rent = warehouse.execute("select usd_per_accelerator_hour from price_level(?)", [accelerator]).fetchone()[
        0
    ]
    assert figures["rent_usd_per_output_mtok"] == pytest.approx(rent / speed / 3600 * 1e6)
    assert any("99th percentile, MLCommons' limits" in s for s in done["basis"])


@pytest.mark.parametrize(
    ("accelerator", "bound"), [("nvidia-b200-sxm-180gb", 7015.2), ("amd-mi355x", 4697.9)]
)
def test_a_part_without_a_fit_measurement_has_no_dollar_figure(estimate, accelerator, bound):
    """The frontier of B200 ends at 54.5 tokens/s per user with one request per accelerator: 67 tokens/s, no price."""
    done = estimate(
        f"estimate serving --model deepseek-r1 --tokens-per-s-per-user 50 --accelerator {accelerator}"
    )
    figures = done["figures"]
    assert {name for name, value in figures.items() if value is not None} == {
        "reason",
        "output_tokens_per_s_per_accelerator_high",
        "uncertainty_basis",
    }
    assert "no MLPerf result of the accelerator guarantees 50" in figures["reason"]
    # Server: 80 ms per token, 12.5 tokens/s per user
    assert figures["output_tokens_per_s_per_accelerator_high"] >= bound - 0.1
    assert any("80 ms per output token" in s and "at least 12.5 tokens/s" in s for s in done["basis"])
    assert any(
        s.endswith("nvidia-gb200-186gb, nvidia-gb300-288gb.") or "nvidia-gb300" in s for s in done["basis"]
    )
    if accelerator == "nvidia-b200-sxm-180gb":
        (frontier,) = done["apart"]
        assert frontier["output_tokens_per_s_per_accelerator"] == pytest.approx(67.0, abs=0.1)
        assert "at the edge of the frontier" in frontier["reason"] and "usd" not in str(frontier.keys())


def test_mlperf_and_other_measurements_are_never_ranked_together(estimate, warehouse):
    """gpt-oss-120b has both on B200: MLPerf's stands first although the other's token is far cheaper."""
    done = estimate(
        "estimate serving --model gpt-oss-120b --tokens-per-s-per-user 50 --accelerator nvidia-b200-sxm-180gb"
    )
    assert done["figures"]["basis"] == "MLPerf Interactive" and len(done["rests_on"]) == 1
    (apart,) = done["apart"]
    assert apart["standing"] == "Measured outside of MLPerf, not verified by MLCommons."
    assert apart["rent_usd_per_output_mtok"] < done["figures"]["rent_usd_per_output_mtok"]
    asked_for = estimate(
        "estimate serving --model gpt-oss-120b --tokens-per-s-per-user 50 --accelerator nvidia-b200-sxm-180gb "
        "--workload gpqa"
    )
    assert asked_for["rests_on"] == [] and len(asked_for["points"]) == 2
    # no valid run of MLPerf exceeds the limits that the seed names
    assert (
        warehouse.execute(
            "select count(*), count(*) filter (tpot_ms_p99 > tpot_limit_ms or ttft_ms_p99 > ttft_limit_ms) "
            "from fct_inference_result inner join seeds.mlperf_latency_limits using (benchmark_family, scenario) "
            "where division = 'closed' and suite = 'datacenter' and tpot_ms_p99 is not null"
        ).fetchone()[1]
        == 0
    )


def test_the_answer_states_its_source_lengths_and_standing(estimate, warehouse):
    done = estimate(f"{MEASURED} --tokens-per-s-per-user 25")
    said = " ".join(done["basis"])
    for words in (
        "Measured outside of MLPerf, not verified by MLCommons",
        "mlenergy",
        "interpolated",
        "lm-arena-chat",
        "framework not stated by the source",
        "output tokens",
        "power scope: GPU",
    ):
        assert words in said
    # the cheapest by rent of those that reach the speed
    cheapest = warehouse.execute(
        "select accelerator_id, number_format from serving_frontier_at(25) where model_id = 'llama-3.1-405b' "
        "and reason is null order by rent_usd_per_output_mtok limit 1"
    ).fetchone()
    assert (done["inputs"]["accelerator_id"], done["inputs"]["number_format"]) == cheapest


def test_a_given_price_and_load_are_answered_beside_rent_and_ownership(estimate):
    done = estimate(
        f"{MEASURED} --tokens-per-s-per-user 25 --accelerator nvidia-h100-sxm-80gb --price 2 --tokens-per-day 1B"
    )
    figures = done["figures"]
    speed = figures["output_tokens_per_s_per_accelerator"]
    assert figures["usd_per_output_mtok_at_full_use"] == pytest.approx(2 / (speed * 3600) * 1e6)
    assert figures["accelerators_busy"] == pytest.approx(1e9 / (86400 * speed * 0.6))


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("--model llama405 --tokens-per-s-per-user 25", ["model is llama405", "llama-3.1-405b", "deepseek-r1"]),
        ("--model llama-3.1-70b --tokens-per-s-per-user 25 --weights fp4", ["weights is fp4", "Measured: bf16"]),
        ("--model llama-3.1-70b --tokens-per-s-per-user 25 --accelerator amd-mi300x", ["accelerator is amd-mi300x", "Measured: nvidia-b200-sxm-180gb, nvidia-h100-sxm-80gb"]),
        ("--model llama3.1-405b --tokens-per-s-per-user 25 --accelerator h1000", ["no accelerator matches"]),
        ("--model qwen3-8b --tokens-per-s-per-user 25", ["workload must be named", "gpqa, lm-arena-chat"]),
    ],
)  # fmt: skip
def test_what_was_not_measured_is_refused_with_what_was(accelmart, built_home, words, parts):
    done = accelmart(built_home, "estimate", "serving", *words.split())
    assert done.returncode == 1 and done.stdout == "" and len(done.stderr.strip().splitlines()) == 1
    assert all(part in done.stderr for part in parts)


def test_outside_of_every_range_the_answer_is_null_with_the_ranges(estimate):
    done = estimate(f"{MEASURED} --tokens-per-s-per-user 50")
    assert done["figures"]["rent_usd_per_output_mtok"] is None and done["rests_on"] == done["points"] == []
    assert "no MLPerf result guarantees 50" in done["figures"]["reason"]
    assert (
        "nvidia-h100-sxm-80gb fp8 lm-arena-chat is above the measured range, which ends at 30.1"
        in done["figures"]["reason"]
    )


def test_a_table_names_points_and_shows_mlperf_apart(accelmart, built_home):
    done = accelmart(built_home, *f"{MEASURED} --tokens-per-s-per-user 25".split())
    assert done.returncode == 0 and "Rests on: point " in done.stdout
    assert "measured apart" in done.stdout and "guarantees less than the speed asked for" in done.stdout


def test_the_macro_reads_every_frontier_as_the_table_does(warehouse):
    """At round speeds the rows are those of mart_serving_frontier; elsewhere those of a second method."""
    columns = (
        f"{', '.join(GROUP)}, tokens_per_s_per_user, output_tokens_per_s_per_accelerator, ttft_ms, "
        "j_per_output_token_measured, energy_scope, basis, reason, n_frontier_points, rent_usd_per_output_mtok, "
        "rent_usd_per_output_mtok_low, rent_usd_per_output_mtok_high, owned_usd_per_output_mtok, "
        "owned_usd_per_output_mtok_low, owned_usd_per_output_mtok_high, point_id_below, point_id_above"
    )
    for speed in (20, 30, 50, 75, 100):
        rows = f"select {columns} from mart_serving_frontier where row_kind = 'read' and tokens_per_s_per_user = {speed}"
        macro = f"select {columns} from serving_frontier_at({speed})"
        assert (
            warehouse.execute(f"({rows} except {macro}) union all ({macro} except {rows})").fetchall() == []
        )
    for *group, tokens in warehouse.execute(
        f"select {', '.join(GROUP)}, output_tokens_per_s_per_accelerator from serving_frontier_at(41.3)"
    ).fetchall():
        expected = read(list(frontier_of(warehouse, tuple(group)).values()), 41.3)
        assert tokens == (None if expected is None else pytest.approx(expected))


def test_the_macro_names_models_near_an_unknown_one(warehouse):
    with pytest.raises(Exception, match=r'no serving model matches "llama405".*llama-3\.1-405b'):
        warehouse.execute("from serving_frontier_at(50, model := 'llama405')").fetchall()
