"""Specifications of the warehouse built from the bundled snapshot: what sources say, made equal, and what that is worth."""

import json
from pathlib import Path

import jinja2
import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[2] / "dbt_project"

REQUIRED = ("bf16_dense_tflops", "memory_gb", "memory_bandwidth_gb_s", "tdp_w")


def rows(warehouse, query, *values):
    return warehouse.execute(query, list(values)).fetchall()


def agreement(warehouse, accelerator_id, attribute):
    ((found, low, high, values),) = rows(
        warehouse,
        "select agreement, source_low, source_high, values_by_source from mart_spec_agreement "
        "where accelerator_id = ? and attribute = ?",
        accelerator_id,
        attribute,
    )
    return found, low, high, {v["source"]: v["value"] for v in json.loads(values or "[]")}


def test_every_accelerator_has_every_attribute_once(warehouse):
    ((n_rows, n_accelerators, n_attributes),) = rows(
        warehouse,
        "select count(*), count(distinct accelerator_id), count(distinct attribute) from mart_spec_agreement",
    )
    assert n_rows == n_accelerators * n_attributes
    assert n_accelerators == rows(warehouse, "select count(*) from dim_accelerator")[0][0]


def test_epoch_and_the_data_sheet_agree_on_the_h100(warehouse):
    for attribute, value in zip(REQUIRED, (989.4, 80, 3350, 700), strict=True):
        found, _, _, values = agreement(warehouse, "nvidia-h100-sxm-80gb", attribute)
        assert found == "agree"
        assert values["curated"] == values["epoch"] == value


@pytest.mark.parametrize(
    ("accelerator_id", "attribute", "low", "high"),
    [
        # differences the curation had met before there was this check
        ("intel-gaudi2", "bf16_dense_tflops", ("curated", 432), ("epoch", 450)),
        ("amd-mi355x", "fp4_dense_tflops", ("epoch", 9200), ("curated", 10066.3)),
        ("amd-mi300a", "tdp_w", ("curated", 550), ("epoch", 760)),
        ("nvidia-a100-pcie-80gb", "memory_gb", ("epoch", 40), ("curated", 80)),
    ],
)
def test_a_conflict_names_both_sources(warehouse, accelerator_id, attribute, low, high):
    found, source_low, source_high, values = agreement(warehouse, accelerator_id, attribute)
    assert (found, source_low, source_high) == ("conflict", low[0], high[0])
    assert (values[low[0]], values[high[0]]) == (low[1], high[1])


def test_figures_of_no_datacenter_product_have_not_slipped_in(warehouse):
    """Kunlun R200 is no Rubin, Gaudi HL-205 no Gaudi 2, Ascend 910A no 910B, BI-V100 no V100: general aliases say so."""
    _, _, _, values = agreement(warehouse, "nvidia-vr200-288gb", "tdp_w")
    assert "epoch" not in values
    _, _, _, values = agreement(warehouse, "intel-gaudi2", "tdp_w")
    assert values["epoch"] == 600


def test_a_part_without_bf16_has_no_bf16_figure(warehouse):
    for accelerator_id in ("nvidia-v100-sxm2-32gb", "nvidia-t4", "nvidia-p100-pcie-16gb"):
        found, _, _, values = agreement(warehouse, accelerator_id, "bf16_dense_tflops")
        assert (found, values) == ("not applicable", {})


def test_a_curated_figure_that_rests_on_epoch_is_no_second_source(warehouse):
    ((n_sources, found),) = rows(
        warehouse,
        "select n_sources, agreement from mart_spec_agreement where accelerator_id = 'google-tpu-v5e' and attribute = 'tdp_w'",
    )
    assert (n_sources, found) == (1, "single source")


def check(warehouse, name, **variables):
    """Rows of a check of the project, with other variables than its own."""
    words = (PROJECT / "tests" / f"{name}.sql").read_text()
    given = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())["vars"] | variables
    query = jinja2.Template(words).render(
        var=lambda v: given[v],
        ref=lambda model: f"staging.{model}" if model.startswith("stg_") else model,
        config=lambda **_: "",
    )
    return {row[0] for row in rows(warehouse, query)}


def test_what_has_two_sources_stays_so(warehouse):
    assert not check(warehouse, "spec_coverage_is_kept")
    assert check(
        warehouse, "spec_coverage_is_kept", spec_two_sources_floor_pct=dict.fromkeys(REQUIRED, 101)
    ) == set(REQUIRED)
    # an attribute nobody counts is not kept
    assert check(warehouse, "spec_coverage_is_kept", spec_two_sources_floor_pct={"weight_kg": 1}) == {
        "weight_kg"
    }


def test_what_is_wanted_is_a_warning_until_it_is_reached(warehouse):
    assert check(warehouse, "spec_coverage_is_reached", spec_two_sources_pct=101) == set(REQUIRED)
    assert not check(warehouse, "spec_coverage_is_reached", spec_two_sources_pct=50)


def test_the_share_is_that_of_the_parts(warehouse):
    for attribute in REQUIRED:
        ((n, two, gaps),) = rows(
            warehouse,
            "select count(*), count(*) filter (n_sources >= 2), list(accelerator_id order by accelerator_id) filter "
            "(n_sources < 2) from mart_spec_agreement "
            "where is_datacenter and attribute = ? and agreement <> 'not applicable'",
            attribute,
        )
        ((parts, with_two, pct, names),) = rows(
            warehouse,
            "select n_parts, n_two_sources, two_sources_pct, gaps from mart_spec_coverage where attribute = ?",
            attribute,
        )
        assert (parts, with_two, names) == (n, two, gaps) and parts >= 55
        assert pct == pytest.approx(100 * two / n)


def test_a_submitter_of_mlperf_is_a_source(warehouse):
    _, _, _, values = agreement(warehouse, "nvidia-b200-sxm-180gb", "memory_gb")
    assert values["mlperf-systems"] == 180
    _, _, _, values = agreement(warehouse, "amd-mi355x", "memory_gb")
    assert values["mlperf-systems"] == 288


def test_every_published_figure_leads_to_its_bytes(warehouse):
    missing = rows(
        warehouse,
        "select source, product_published from intermediate.int_specs__published "
        "where payload_sha256 is null or payload_record = '' or source_url not like 'http%'",
    )
    assert not missing


def test_what_an_hour_of_h100_buys(warehouse):
    ((price, per_pflop, per_gb, per_tb, watts, balance, before, ratio),) = rows(
        warehouse,
        "select usd_per_accelerator_hour, usd_per_hour_per_bf16_pflop_s, usd_per_hour_per_gb, usd_per_hour_per_tb_s, "
        "w_per_bf16_tflop_s, bytes_per_bf16_flop, previous_accelerator_id, bf16_ratio "
        "from mart_spec_value where accelerator_id = 'nvidia-h100-sxm-80gb'",
    )
    assert per_pflop == pytest.approx(price / 0.9894)
    assert per_gb == pytest.approx(price / 80) and per_tb == pytest.approx(price / 3.35)
    assert watts == pytest.approx(700 / 989.4) and balance == pytest.approx(3.35 / 989.4)
    assert before == "nvidia-a100-sxm-80gb" and ratio == pytest.approx(989.4 / 312)


def test_lines_of_generations_have_no_gaps(warehouse):
    gaps = rows(
        warehouse,
        "select product_line, count(*), min(generation), max(generation), count(distinct generation) from mart_spec_value "
        "where product_line is not null group by all "
        "having min(generation) <> 1 or max(generation) <> count(*) or count(*) <> count(distinct generation)",
    )
    assert not gaps
