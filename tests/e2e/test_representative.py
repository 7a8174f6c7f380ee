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
        f"select distinct {tokens}, release, n_results from cost_per_mtok($m, $s, pricing := null) where accelerator_id = $a",
        f"select distinct {tokens}, release, {n} from mart_owned_cost_per_mtok where {of_part} and is_representative",
        f"select distinct {tokens}, release, {n} from choose($m, 1e8, 1e9, scenario := $s) where accelerator_id = $a",
        f"select value_a, release_a, {n} from compare($a, '{H100 if accelerator == B200 else B200}') "
        "where topic = 'inference' and item = $m || ' ' || $s",
    ):
        used = {name: value for name, value in values.items() if f"${name}" in query}
        assert rows(warehouse, query, used) == [(pytest.approx(figure), release, n)], query


def test_preview_and_research_systems_are_in_no_ranking_and_listed_apart(warehouse):
    ranked = {
        row
        for query in (
            "best_result('deepseek-r1', 'Server') where reason is null",
            "cost_per_mtok('llama3.1-8b', 'Server', pricing := null) where rank_reason is null",
            "cost_headline() where usd_per_output_mtok_at_level > 0 or n_sellers > 0",
            "mart_cost_per_mtok where rank_in_round > 0",
            "mart_inference_throughput where is_representative",
            "choose('deepseek-r1', 1e9, 1e9) where rank > 0",
        )
        for row in rows(warehouse, f"select availability from {query}")
    }
    assert ranked == {("available",)}
    # a part of no available result has a row with the reason, in words that name what was measured
    apart = rows(
        warehouse,
        "select throughput_per_accelerator, reason from best_result('deepseek-r1', 'Server') where reason is not null",
    )
    assert apart and all(
        figure is None and reason.startswith("no available result; ") for figure, reason in apart
    )
    # in the round that was asked for they come last, marked
    *others, last = rows(
        warehouse,
        "select accelerator_id, availability, reason from best_result('llama3.1-8b', 'Server', release := 'v6.1')",
    )
    assert last == (H200, "research", "research system") and {row[1] for row in others} == {"available"}


NUMBER = "string_split(ltrim({}, 'v'), '.')::integer[]"
# a mart with a benchmark, and what its rows are of
VERSIONED = """
    select table_name, bool_or(column_name = 'benchmark_id'),
        case when bool_or(column_name = 'suite_kind') then 'm.suite_kind'
            when contains(table_name, 'train') then '''training''' else '''inference''' end
    from duckdb_columns() where schema_name = 'main' group by 1
    having bool_or(column_name = 'benchmark_version') and bool_or(column_name = 'release')
"""


def test_no_row_of_a_mart_mixes_versions_of_a_task(warehouse):
    marts = rows(warehouse, VERSIONED)
    assert len(marts) >= 14
    for mart, has_benchmark, kind in marts:
        key = "m.benchmark_id = v.benchmark_id" if has_benchmark else "m.benchmark_family = regexp_replace(v.benchmark_id, '-99(\\.9)?$', '')"  # fmt: skip
        wrong = f"""
            select m.* from {mart} as m inner join seeds.mlperf_benchmark_versions as v on v.suite_kind = {kind} and {key}
                and {NUMBER.format("m.release")} >= {NUMBER.format("v.first_release")}
                and (v.last_release is null or {NUMBER.format("m.release")} <= {NUMBER.format("v.last_release")})
            where m.benchmark_version <> v.benchmark_version
        """
        assert rows(warehouse, wrong) == [], mart
    # what is compared with the round before is of the same version
    for mart, previous in (
        ("mart_best_of_round", "previous_best_result_id"),
        ("mart_software_progress", "previous_result_id"),
    ):
        ((n_others, n_rows),) = rows(
            warehouse,
            f"select count(*) filter (f.benchmark_version <> m.benchmark_version), count(*) from {mart} as m inner join ("
            "select result_id, benchmark_version from fct_inference_result union all "
            f"select result_id, benchmark_version from fct_training_result) as f on m.{previous} = f.result_id",
        )
        assert n_others == 0 and n_rows > 50, mart
