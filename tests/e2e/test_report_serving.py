"""The page of serving measured outside of MLPerf, in a headless browser, compared with SQL on the warehouse."""
# ruff: noqa: F811  fixtures of the other module are arguments here

import csv
import io
import xml.etree.ElementTree as ET

import pytest
from test_report import CHROMIUM, address, browser, downloaded, go, read, report, show  # noqa: F401

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")

SPEEDS = (20, 30, 50, 75, 100)
READS = "#fig-serving-reads tbody [data-key], #view > .scroll tbody [data-key]"
FIGURES = (
    "output_tokens_per_s_per_accelerator",
    "rent_usd_per_output_mtok",
    "owned_usd_per_output_mtok",
    "j_per_output_token_measured",
)


def test_every_read_of_every_model_equals_the_warehouse(show, warehouse):
    chosen, expected = [], []
    for model, workload in warehouse.execute(
        "select distinct model_id, workload from mart_serving_frontier order by all"
    ).fetchall():
        for speed in SPEEDS:
            chosen.append(address("serving", model=model, workload=workload, speed=speed))
            expected.append(
                warehouse.execute(
                    f"select {', '.join(FIGURES)} from mart_serving_frontier where row_kind = 'read' "
                    "and model_id = ? and workload = ? and tokens_per_s_per_user = ?",
                    [model, workload, speed],
                ).fetchall()
            )
    assert len(chosen) > 150
    page = show(settle=False)
    for where, observed, rows in zip(chosen, read(page, chosen, READS), expected, strict=True):
        shown = [tuple(row[name] for name in FIGURES) for row in observed.values()]
        assert sorted(map(str, shown)) == sorted(map(str, rows)), where


def test_the_slider_selects_the_reads_and_stands_in_the_address(show):
    page = show("#/serving")
    slider = page.locator("#choose-speed")
    assert slider.get_attribute("aria-valuetext") == "20"
    slider.focus()
    for place, speed in enumerate(SPEEDS[1:], start=1):
        page.keyboard.press("ArrowRight")
        # `page.url` follows a moment later
        page.wait_for_function("hash => location.hash === hash", arg=f"#/serving?speed={speed}")
        assert slider.input_value() == str(place)
        assert (
            slider.get_attribute("aria-valuetext") == page.inner_text("#control-speed output") == str(speed)
        )
        assert f"at {speed} tokens/s per user" in page.inner_text("#fig-serving-reads h2")
        assert slider.evaluate("(element) => element === document.activeElement")
    for _ in SPEEDS[1:]:
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("hash => location.hash === hash", arg="#/serving")
    other = show("#/serving?model=qwen3-8b&workload=lm-arena-chat&speed=75")
    assert other.locator("#choose-speed").input_value() == "3"
    assert other.locator("#choose-workload").input_value() == "lm-arena-chat"


def test_an_unknown_speed_is_stated(show):
    page = show("#/serving?speed=60")
    assert "there is no “60” here" in page.inner_text("#notices")


def test_every_view_states_who_measured_and_that_it_is_no_result_of_mlperf(show):
    page = show("#/serving")
    for where in ("#/serving", "#/serving?speed=100", "#/serving?model=qwen3-8b"):
        go(page, where)
        stated = page.inner_text("#measured-by")
        for words in (
            "ML.ENERGY",
            "own workloads",
            "GPU power only",
            "No MLPerf result",
            "never ranked with MLPerf",
        ):
            assert words in stated
        assert "They are no MLPerf results" in page.inner_text(".provenance")
    go(page, "#/progress")
    assert "They are no MLPerf results" not in page.inner_text(".provenance")


def test_carbon_is_the_measured_joules_on_the_chosen_grid(show, warehouse):
    page = show("#/serving")
    names = ("kg_co2e_per_output_mtok", "kg_co2e_per_output_mtok_low", "kg_co2e_per_output_mtok_high")
    for grid, condition in {
        "US": "country = 'US' and grid_level = 'country'",
        "US-WA": "us_state = 'WA'",
        "FR": "country = 'FR' and grid_level = 'country'",
        "world": "grid_level = 'world'",
    }.items():
        (observed,) = read(page, [address("serving", grid=grid, speed=20)], READS)
        expected = warehouse.execute(
            "select j_per_output_token_measured / 3.6 * kg_co2e_per_kwh, "
            "j_per_output_token_measured / 3.6 * kg_co2e_per_kwh_low, "
            "j_per_output_token_measured / 3.6 * kg_co2e_per_kwh_high "
            "from mart_serving_frontier, dim_grid where row_kind = 'read' and model_id = 'llama-3.1-405b' "
            f"and tokens_per_s_per_user = 20 and is_in_force and {condition}"
        ).fetchall()
        shown = sorted(tuple(row[name] for name in names) for row in observed.values() if row[names[0]])
        wanted = sorted(row for row in expected if row[0] is not None)
        assert wanted and len(shown) == len(wanted)
        for ours, theirs in zip(shown, wanted, strict=True):
            assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_read_without_measured_energy_has_a_reason_for_no_carbon(show, warehouse):
    page = show("#/serving?model=llama-3.1-405b&speed=100")
    ((n,),) = warehouse.execute(
        "select count(*) from mart_serving_frontier where row_kind = 'read' and model_id = 'llama-3.1-405b' "
        "and tokens_per_s_per_user = 100 and reason is not null"
    ).fetchall()
    reasons, figures = (
        page.locator(f"tbody [data-key={key}]").all_inner_texts()
        for key in ("carbon_reason", "kg_co2e_per_output_mtok")
    )
    assert len(reasons) == n > 0 and all(len(reason) > 10 for reason in reasons)
    assert figures == ["–"] * n


def test_the_cross_check_has_both_sides_in_columns_of_their_own(show, warehouse):
    page = show("#/cross-check")
    rows = warehouse.execute(
        "select count(*), count(distinct quantity) from mart_measurement_check"
    ).fetchall()
    tables = page.locator("#view section")
    assert [(page.locator("#view tbody tr").count(), tables.count())] == rows
    heads = tables.first.locator("th").all_inner_texts()
    assert heads.index("MLPerf, best result") < heads.index("Other figure, best")
    # Llama 3.1 405B in FP8 on B200: 1.15 J per token of GPU power, as ML.ENERGY prints it
    energy = page.get_by_role("region", name="measured J per output token, before PUE")
    row = energy.locator("tr", has_text="llama-3.1-405b").filter(has_text="fp8").first.inner_text()
    assert "1.15" in row and "GPU" in row and "wall" in row
    assert page.locator(".chart").count() == 0


def test_a_speed_that_no_frontier_reaches_shows_reasons_and_no_figure(show, warehouse):
    page = show("#/serving?model=llama-3.1-405b&speed=100")
    reasons = warehouse.execute(
        "select reason from mart_serving_frontier where row_kind = 'read' and model_id = 'llama-3.1-405b' "
        "and tokens_per_s_per_user = 100"
    ).fetchall()
    listed = page.inner_text("#view > .scroll")
    assert len(reasons) == 3 and all(reason in listed for (reason,) in reasons)
    assert page.locator("#fig-serving-reads .chart").count() == 0


def test_a_frontier_has_a_series_for_each_part_and_number_format(show, warehouse):
    page = show("#/serving?model=llama-3.1-405b")
    names = page.evaluate(
        "[...document.querySelectorAll('#fig-serving-frontier .role-legend-label text')].map((text) => text.textContent)"
    )
    ((series, points),) = warehouse.execute(
        "select count(distinct (accelerator_id, number_format)), count(*) from mart_serving_frontier "
        "where row_kind = 'point' and axis = 'tokens_per_s_per_user' and model_id = 'llama-3.1-405b'"
    ).fetchall()
    assert len(names) == series == 3 and any("FP8" in name for name in names)
    assert page.locator("#fig-serving-frontier svg .mark-symbol.layer_1_marks path").count() == points
    # a series has the same colour in both charts
    frontier, bars = page.evaluate(
        """['frontier', 'reads'].map((name) => [...document.querySelectorAll(`#fig-serving-${name} .role-legend-symbol path`)]
            .map((path) => path.getAttribute('fill') === 'transparent' ? path.getAttribute('stroke') : path.getAttribute('fill')))"""
    )
    assert frontier == bars and len(set(bars)) == 3


def test_points_and_reads_are_downloaded_with_their_source(show, warehouse):
    page = show("#/serving?model=llama-3.1-405b")
    name, raw = downloaded(page, "#fig-serving-frontier", "csv")
    rows = {row["point_id"]: row for row in csv.DictReader(io.StringIO(raw.decode("utf-8-sig")))}
    expected = dict(
        warehouse.execute(
            "select point_id, output_tokens_per_s_per_accelerator from mart_serving_frontier "
            "where row_kind = 'point' and axis = 'tokens_per_s_per_user' and model_id = 'llama-3.1-405b'"
        ).fetchall()
    )
    assert name == "accelmart-serving-frontier.csv"
    assert {key: float(row["output_tokens_per_s_per_accelerator"]) for key, row in rows.items()} == expected
    assert all(row["source_url"] and row["workload"] for row in rows.values())
    _, raw = downloaded(page, "#fig-serving-reads", "csv")
    assert {row["energy_scope"] for row in csv.DictReader(io.StringIO(raw.decode("utf-8-sig")))} == {"GPU"}
    _, svg = downloaded(page, "#fig-serving-frontier", "svg")
    words = " ".join(ET.fromstring(svg).itertext())
    assert "measurements of ML.ENERGY (no MLPerf results)" in words and "Derived from MLPerf" not in words


def test_the_printed_page_has_its_tables_and_its_speed(show):
    page = show("#/serving?speed=30", scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("details.data:not([open])").count() == 0 and page.locator("#controls").is_hidden()
    assert "at 30 tokens/s per user" in page.inner_text("#fig-serving-reads h2")
    assert page.locator("#measured-by").is_visible()
