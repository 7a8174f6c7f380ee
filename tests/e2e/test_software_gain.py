"""Number formats of inference rounds without published ones, by a second method, and what software gained in them."""

from __future__ import annotations

import pytest
from queries import rows

BETWEEN = "release in ('v2.0', 'v2.1', 'v3.0', 'v3.1', 'v4.0', 'v4.1')"


def test_number_formats_of_v20_to_v41_by_basis(warehouse):
    known = {
        (release, basis): n
        for release, basis, n in rows(
            warehouse,
            f"select release, number_format_basis, count(*) from fct_inference_result where {BETWEEN} group by all",
        )
    }
    configured = {release: n for (release, basis), n in known.items() if basis == "configuration"}
    assert configured == {"v2.0": 37, "v2.1": 14, "v3.0": 23, "v3.1": 59, "v4.0": 87, "v4.1": 100}
    # Intel's and its partners' words of v4.0 and v4.1 name two formats: INT4 for GPT-J, INT8 for the rest
    assert {key: n for key, n in known.items() if key[1] == "ambiguous"} == {
        ("v4.0", "ambiguous"): 13,
        ("v4.1", "ambiguous"): 11,
    }
    assert rows(
        warehouse,
        f"select count(*) from fct_inference_result where {BETWEEN} and (number_format is null) <> "
        "(number_format_basis in ('ambiguous', 'unknown'))",
    ) == [(0,)]


def test_every_configuration_read_applies_to_a_result(warehouse):
    assert rows(
        warehouse,
        """
        select release, submitter, model, platform_pattern from seeds.inference_format_settings as settings
        where not exists (
            from fct_inference_result
            where number_format_basis = 'configuration' and number_format = settings.number_format
                and contains(number_format_witness, settings.source_url || ': ' || settings.setting)
        )
        """,
    ) == []  # fmt: skip


def test_accuracy_tells_the_configured_formats_apart(warehouse):
    """The accuracy script saw the quantised model: FP16 scores as in rounds with published formats, FP8 otherwise."""
    scored = rows(
        warehouse,
        r"""
        select benchmark_id, number_format, number_format_basis,
            coalesce(try_cast(accuracy_published as double), regexp_extract(accuracy_published, '"f1": ([0-9.]+)', 1)::double)
        from fct_inference_result
        where division = 'closed' and accelerator_id like 'nvidia-%' and submitter in ('NVIDIA', 'Dell', 'Supermicro')
            and ((number_format_basis = 'configuration' and (benchmark_id = 'bert-99.9' or benchmark_id like 'gptj-99%'))
                or (number_format_basis = 'published' and benchmark_id = 'bert-99.9' and release in ('v1.0', 'v1.1')))
        """,
    )

    def scores(benchmark, number_format, basis):
        return [s for b, f, k, s in scored if b.startswith(benchmark) and (f, k) == (number_format, basis)]

    published = scores("bert", "fp16", "published")
    bert16, bert8 = scores("bert", "fp16", "configuration"), scores("bert", "fp8", "configuration")
    assert len(published) > 80 and len(bert16) == 70 and len(bert8) == 39
    lowest, highest = min(published) - 0.002, max(published) + 0.002
    assert all(lowest <= score <= highest for score in bert16)
    assert not any(lowest <= score <= highest for score in bert8)
    gptj16, gptj8 = scores("gptj", "fp16", "configuration"), scores("gptj", "fp8", "configuration")
    assert len(gptj16) == 4 and len(gptj8) == 125
    assert max(gptj16) < min(gptj8)


def test_names_agree_with_published_formats(warehouse):
    """Where both exist: of 451 results 443 agree; six are mixed, and one model named fp8 is published as fp16."""
    families = {"uint8": "int8", "nvfp4": "fp4", "mxfp4": "fp4", "bfloat16": "bf16"}
    named = rows(
        warehouse,
        """
        select number_format, list_distinct(regexp_extract_all(
            lower(concat_ws(' ', platform, system_name, notes, model_published)),
            '(?:mx|nv)?fp4|fp8|u?int8|bfloat16|bf16|fp16|tf32|fp32|int4'
        )) as named
        from fct_inference_result where number_format_basis = 'published' and len(named) > 0
        """,
    )
    agreeing = [{families.get(n, n) for n in names} == {published} for published, names in named]
    assert len(agreeing) == 451 and sum(agreeing) == 443


# results of eight accelerators in the first and the newest round, read in MLCommons' collection and summary of v5.1
BY_HAND = {
    ("nvidia", "nvidia-h100-sxm-80gb", "gptj-99", "Server", "v3.1", "v4.0"): (82.2623, 229.69),
    ("dell", "nvidia-h100-sxm-80gb", "gptj-99", "Server", "v3.1", "v4.0"): (81.2791, 233.278),
    ("supermicro", "nvidia-h100-sxm-80gb", "gptj-99", "Server", "v3.1", "v4.0"): (85.5682, 239.898),
    ("nvidia", "nvidia-h100-sxm-80gb", "llama2-70b-99.9", "Offline", "v4.0", "v4.1"): (21805.8, 24524.9),
    ("dell", "nvidia-h100-sxm-80gb", "llama2-70b-99.9", "Offline", "v4.0", "v4.1"): (21884.2, 24086.7),
    ("hpe", "nvidia-h100-sxm-80gb", "llama2-70b-99.9", "Offline", "v4.0", "v4.1"): (20973.2, 24424.7),
    ("dell", "nvidia-h100-sxm-80gb", "bert-99.9", "Server", "v3.0", "v4.1"): (49500.9, 49611.8),
    ("dell", "nvidia-h200-sxm-141gb", "llama2-70b-99.9", "Offline", "v4.1", "v5.1"): (32124.3, 35316.7),
}


def test_gain_since_the_first_round_by_hand(warehouse):
    gains = {
        tuple(key): rest
        for *key, rest in rows(
            warehouse,
            """
            select submitter_id, accelerator_id, benchmark_id, scenario, first_release, newest_release,
                [gain_ratio, gain_ratio_low, gain_ratio_high, n_submitters]
            from mart_software_gain where suite_kind = 'inference' and accelerator_count = 8
            """,
        )
    }
    of_one_span: dict[tuple[str, ...], list[float]] = {}
    for key, (first, newest) in BY_HAND.items():
        of_one_span.setdefault(key[1:], []).append(newest / first)
    for key, (first, newest) in BY_HAND.items():
        spread = of_one_span[key[1:]]
        low, high = (min(spread), max(spread)) if len(spread) > 1 else (None, None)
        assert gains[key] == [pytest.approx(newest / first), *map(pytest.approx, (low, high)), len(spread)], (
            key
        )


def test_progress_reaches_back_before_v51(warehouse):
    reached = dict(
        rows(
            warehouse,
            """
            select accelerator_id, list(distinct release order by release) from mart_software_progress
            where suite_kind = 'inference' and accelerator_id in
                ('nvidia-a100-sxm-80gb', 'nvidia-h100-sxm-80gb', 'nvidia-h200-sxm-141gb') and release > 'v1.1'
            group by 1
            """,
        )
    )
    assert reached == {
        "nvidia-a100-sxm-80gb": ["v2.0", "v2.1", "v3.0"],
        "nvidia-h100-sxm-80gb": ["v3.1", "v4.0", "v4.1"],
        "nvidia-h200-sxm-141gb": ["v5.1"],
    }
