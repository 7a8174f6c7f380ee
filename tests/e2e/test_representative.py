"""Which result stands for an accelerator, and that a benchmark whose task changed is two, on the real warehouse."""

import pytest

B200, H200, H100 = "nvidia-b200-sxm-180gb", "nvidia-h200-sxm-141gb", "nvidia-h100-sxm-80gb"
# by hand from the rounds' summaries: the best available result, its round, and how many there are in that round
BY_HAND = [
    ("llama3.1-8b", "Server", H200, 8114.325, "v5.1", 3),  # v6.1 has a research system alone: 7,376.6
    ("llama3.1-405b", "Server", B200, 159.94125, "v5.1", 12),  # v6.0 has one result: 122.95
]


def rows(db, query, parameters=None):
    return db.execute(query, parameters).fetchall()


@pytest.mark.parametrize(("benchmark", "scenario", "accelerator", "figure", "release", "n"), BY_HAND)
def test_every_answer_rests_on_the_same_result(
    warehouse, benchmark, scenario, accelerator, figure, release, n
):
    values = {"m": benchmark, "s": scenario, "a": accelerator}
    tokens, where = "output_tokens_per_s_per_accelerator", "benchmark_id = $m and scenario = $s"
    of_part = f"{where} and accelerator_id = $a"
    for query in (
        "select throughput_per_accelerator, release, n_results from best_result($m, $s, accelerator := $a)",
        f"select {tokens}, release, n_results from mart_token_throughput where {of_part} and is_representative",
        f"select distinct {tokens}, release, n_results from mart_cost_headline where {of_part} and is_representative",
        f"select distinct {tokens}, release, n_results from cost_headline() where {of_part} and is_representative",
        f"select distinct {tokens}, release, n_results from cost_per_mtok($m, $s) where accelerator_id = $a",
        f"select distinct {tokens}, release, {n} from mart_owned_cost_per_mtok where {of_part} and is_representative",
        f"select distinct {tokens}, release, {n} from choose($m, 1e8, 1e9, scenario := $s) where accelerator_id = $a",
        f"select value_a, release_a, {n} from compare($a, '{H100 if accelerator == B200 else B200}') "
        "where topic = 'inference' and item = $m || ' ' || $s",
    ):
        used = {name: value for name, value in values.items() if f"${name}" in query}
        assert rows(warehouse, query, used) == [(pytest.approx(figure), release, n)], query


def test_the_commands_rest_on_it_and_say_what_the_newest_round_has(accelmart, built_home):
    shown = accelmart(built_home, "rank", "--model", "llama3.1-405b")
    assert f"{B200}: 159.9 tokens/s, v5.1; the median of v6.0 is 123.0 (n 1)" in shown.stdout, shown.stderr
    done = accelmart(
        built_home,
        "estimate",
        "serving",
        "--model",
        "llama3.1-8b",
        "--tokens-per-day",
        "1e9",
        "--accelerator",
        H200,
    )
    assert "8,114.3 output tokens/s" in done.stdout and "v5.1" in done.stdout, done.stderr


def test_preview_and_research_systems_are_in_no_ranking_and_listed_apart(warehouse, accelmart, built_home):
    cells = rows(
        warehouse,
        "select distinct benchmark_id, scenario from mart_inference_throughput where suite = 'datacenter' "
        "and division = 'closed' and result_unit = 'tokens/s' and scenario in ('Server', 'Offline', 'Interactive')",
    )
    assert len(cells) > 20
    ranked = set()
    for values in cells:
        ranked |= set(
            rows(warehouse, "select availability from best_result(?, ?) where reason is null", values)
        )
        ranked |= set(
            rows(warehouse, "select availability from cost_per_mtok(?, ?) where rank_reason is null", values)
        )
    ranked |= set(
        rows(
            warehouse,
            "select availability from cost_headline() where usd_per_output_mtok_at_level > 0 or n_sellers > 0 union "
            "select availability from mart_cost_per_mtok where rank_in_round > 0 union "
            "select availability from mart_inference_throughput where is_representative union "
            "select availability from choose('deepseek-r1', 1e9, 1e9) where rank > 0",
        )
    )
    assert ranked == {("available",)}
    # those of no available result have a row with the reason, in words that name what was measured
    apart = rows(
        warehouse,
        "select accelerator_id, throughput_per_accelerator, reason from best_result('deepseek-r1', 'Server') where reason is not null",
    )
    assert apart and all(
        figure is None and reason.startswith("no available result; ") for _, figure, reason in apart
    )
    shown = accelmart(built_home, "rank", "--model", "deepseek-r1").stdout
    assert "apart, without rank: nvidia-vr200-288gb, preview system: " in shown
    # in the round that was asked for they come last, marked
    asked = rows(
        warehouse,
        "select accelerator_id, availability, reason from best_result('llama3.1-8b', 'Server', release := 'v6.1')",
    )
    assert asked[-1] == (H200, "research", "research system")
    assert {availability for _, availability, reason in asked if reason is None} == {"available"}


def test_two_parts_have_the_ratio_of_medians_beside_that_of_their_best(warehouse):
    """By hand: 159.94 ÷ 35.22 of v5.1; the medians of v5.1, the newest round with both, are 155.62 and 35.21."""
    ((ratio, of_medians, release, note),) = rows(
        warehouse,
        "select a_to_b, a_to_b_of_medians, release_of_medians, medians_note from compare(?, ?) "
        "where topic = 'inference' and item = 'llama3.1-405b Server'",
        [B200, H100],
    )
    assert (ratio, of_medians, release) == (
        pytest.approx(4.542, abs=0.001),
        pytest.approx(4.42, abs=0.01),
        "v5.1",
    )
    assert note is None
    differing = rows(
        warehouse,
        "select a_to_b, a_to_b_of_medians, medians_note from compare(?, 'nvidia-b300-sxm-270gb') "
        "where a_to_b_of_medians is not null",
        [B200],
    )
    assert len(differing) > 10
    for ratio, of_medians, note in differing:
        assert (note is not None) == (abs(ratio / of_medians - 1) > 0.1), (ratio, of_medians)
    assert any(note for *_, note in differing)


def test_3d_unet_of_brats_and_of_kits19_are_two_benchmarks(warehouse):
    best = rows(
        warehouse,
        "select accelerator_id, release, throughput_per_accelerator from best_result('3d-unet-99', 'Offline')",
    )
    assert best[0][0] == H100 and all(float(release[1:]) >= 2.0 for _, release, _ in best)
    assert max(figure for *_, figure in best) < 10
    (before,) = rows(
        warehouse,
        "select release, benchmark_version, throughput_per_accelerator from best_result('3d-unet-99', 'Offline', "
        "accelerator := 'nvidia-a100-sxm-80gb', release := 'v1.1')",
    )
    assert before == ("v1.1", 1, pytest.approx(62.25, abs=0.01))


def test_no_row_of_a_mart_mixes_versions_of_a_task(warehouse):
    versions = "mlperf_benchmark_versions"
    assert len(rows(warehouse, f"select * from seeds.{versions} where benchmark_version = 2")) >= 7
    # two names of one task are one benchmark, and the SSD of two tasks is two
    names = dict(
        rows(
            warehouse,
            "select benchmark_published, list(distinct benchmark_id) from fct_training_result group by 1",
        )
    )
    assert names["gnn"] == names["rgat"] == ["rgat"] and sorted(names["ssd"]) == ["retinanet", "ssd"]
    marts = rows(
        warehouse,
        "select table_name from duckdb_columns() where schema_name = 'main' group by 1 "
        "having count(*) filter (column_name = 'benchmark_version') > 0 and count(*) filter (column_name = 'release') > 0",
    )
    assert len(marts) >= 14
    number = "string_split(ltrim({}, 'v'), '.')::integer[]"
    for (mart,) in marts:
        columns = {
            c
            for (c,) in rows(
                warehouse, "select column_name from duckdb_columns() where table_name = ?", [mart]
            )
        }
        key = "benchmark_id" if "benchmark_id" in columns else "benchmark_family"
        kind = (
            "m.suite_kind" if "suite_kind" in columns
            else "'training'" if "train" in mart else "'inference'"
        )  # fmt: skip
        of_key = (
            "v.benchmark_id" if key == "benchmark_id" else "regexp_replace(v.benchmark_id, '-99(\\.9)?$', '')"
        )
        wrong = rows(
            warehouse,
            f"select m.* from {mart} as m inner join seeds.{versions} as v on v.suite_kind = {kind} and m.{key} = {of_key} "
            f"and {number.format('m.release')} >= {number.format('v.first_release')} "
            f"and (v.last_release is null or {number.format('m.release')} <= {number.format('v.last_release')}) "
            "where m.benchmark_version <> v.benchmark_version limit 1",
        )
        assert not wrong, mart
    # what is compared with the round before is of the same version
    for mart, previous in (
        ("mart_best_of_round", "previous_best_result_id"),
        ("mart_software_progress", "previous_result_id"),
    ):
        (count,) = rows(
            warehouse,
            f"select count(*) filter (f.benchmark_version <> m.benchmark_version), count(*) from {mart} as m inner join ("
            "select result_id, benchmark_version from fct_inference_result union all "
            f"select result_id, benchmark_version from fct_training_result) as f on m.{previous} = f.result_id",
        )
        assert count[0] == 0 and count[1] > 50, mart
