"""`accelmart estimate` on the warehouse built from real data."""

import json

import pytest
from serving_frontiers import frontiers, points_of, read


@pytest.fixture
def estimate(accelmart, built_home):
    def run(words):
        done = accelmart(built_home, *words.split(), "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.mark.parametrize(
    ("words", "problem", "code"),
    [
        (
            "estimate serving --model llama-3.1-70b --tokens-per-s-per-user 25 --weights fp4",
            "Measured: bf16",
            2,
        ),
        ("estimate serving --model qwen3-8b --tokens-per-s-per-user 25", "gpqa, lm-arena-chat", 1),
    ],
)
def test_what_cannot_be_answered_is_one_clear_error(accelmart, built_home, words, problem, code):
    done = accelmart(built_home, *words.split())
    assert done.returncode == code and done.stdout == "" and problem in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


# --- serving at a speed of one user: frontiers measured outside of MLPerf ---------------------------------------------

MEASURED = "estimate serving --model llama3.1-405b"
H100 = ("mlenergy", "llama-3.1-405b", "nvidia-h100-sxm-80gb", "fp8", None, "lm-arena-chat")


def frontier_of(warehouse, group):
    """Return (tokens/s per user, tokens/s per accelerator) of a frontier, by comparison of every pair of points."""
    names = frontiers(warehouse)["tokens_per_s_per_user", group]
    return {name: (x, y) for name, x, _, y in points_of(warehouse)[group] if name in names}


def test_a_speed_between_points_is_read_on_the_line_between_them(estimate, warehouse):
    done = estimate(
        f"{MEASURED} --tokens-per-s-per-user 25.7 --accelerator nvidia-h100-sxm-80gb --weights fp8"
    )
    points, figures = frontier_of(warehouse, H100), done["figures"]
    speed = figures["output_tokens_per_s_per_accelerator"]
    assert speed == pytest.approx(read(list(points.values()), 25.7)) and figures["basis"] == "interpolated"
    below, above = done["points"]
    assert points[below][0] < 25.7 < points[above][0] and done["rests_on"] == done["results"] == []
    measured = warehouse.execute(
        "select tokens_per_s_per_user, j_per_output_token_measured from fct_serving_point where point_id in (?, ?)",
        [below, above],
    ).fetchall()
    assert figures["j_per_output_token_measured"] == pytest.approx(read(measured, 25.7))
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


def test_an_interactive_result_of_mlperf_comes_first(estimate, warehouse):
    """Interactive of DeepSeek-R1: 1,500 ms to the first token, 15 ms per token, so 1,000 ÷ 15 tokens/s and more."""
    done = estimate(
        "estimate serving --model deepseek-r1 --tokens-per-s-per-user 50 --accelerator nvidia-gb300-288gb"
    )
    figures, (result,) = done["figures"], done["rests_on"]
    assert result.endswith("deepseek-r1/Interactive") and done["points"] == []
    assert (figures["ttft_limit_ms"], figures["tpot_limit_ms"]) == (1500, 15)
    assert figures["guaranteed_tokens_per_s_per_user"] == pytest.approx(1000 / 15)
    # NVIDIA's own result of v6.1, or a better one
    speed = figures["output_tokens_per_s_per_accelerator"]
    assert speed >= 3520.9
    assert warehouse.execute(
        "select output_tokens_per_s_per_accelerator, coalesce(tpot_ms_p99, 0) <= 15 from fct_inference_result where result_id = ?",
        [result],
    ).fetchall() == [(speed, True)]
    ((rent,),) = warehouse.execute(
        "select usd_per_accelerator_hour from price_level('nvidia-gb300-288gb')"
    ).fetchall()
    assert figures["rent_usd_per_output_mtok"] == pytest.approx(rent / speed / 3600 * 1e6)


def test_a_part_without_a_fit_measurement_has_no_dollar_figure(estimate):
    """The frontier of B200 ends at 54.5 tokens/s per user with one request per accelerator: 67 tokens/s, no price."""
    done = estimate(
        "estimate serving --model deepseek-r1 --tokens-per-s-per-user 50 --accelerator nvidia-b200-sxm-180gb"
    )
    figures = done["figures"]
    bound = "output_tokens_per_s_per_accelerator_high"
    assert set(figures) == {"reason", bound, "uncertainty_basis"}
    assert figures[bound] >= 7015.1  # Server: 80 ms per token, 12.5 tokens/s per user
    (frontier,) = done["apart"]
    assert frontier["output_tokens_per_s_per_accelerator"] == pytest.approx(67.0, abs=0.1)
    assert "usd" not in str(frontier.keys())
    beyond = estimate(f"{MEASURED} --tokens-per-s-per-user 50")
    assert "rent_usd_per_output_mtok" not in beyond["figures"]
    assert beyond["rests_on"] == beyond["points"] == [] and "30.1" in beyond["figures"]["reason"]


def test_mlperf_and_other_measurements_are_never_ranked_together(estimate):
    """gpt-oss-120b has both on B200: MLPerf's stands first although the other's token is far cheaper."""
    words = (
        "estimate serving --model gpt-oss-120b --tokens-per-s-per-user 50 --accelerator nvidia-b200-sxm-180gb"
    )
    done = estimate(words)
    assert done["figures"]["basis"] == "MLPerf Interactive" and len(done["rests_on"]) == 1
    (apart,) = done["apart"]
    assert apart["standing"] == "Measured outside of MLPerf, not verified by MLCommons."
    assert apart["rent_usd_per_output_mtok"] < done["figures"]["rent_usd_per_output_mtok"]
    asked_for = estimate(f"{words} --workload gpqa")
    assert asked_for["rests_on"] == [] and len(asked_for["points"]) == 2


def test_the_cheapest_of_those_that_reach_a_speed_is_taken(estimate, warehouse):
    inputs = estimate(f"{MEASURED} --tokens-per-s-per-user 25")["inputs"]
    assert (inputs["accelerator"], inputs["number_format"]) == warehouse.execute(
        "select accelerator_id, number_format from serving_frontier_at(25) where model_id = 'llama-3.1-405b' "
        "and reason is null order by rent_usd_per_output_mtok limit 1"
    ).fetchone()
