"""Figures of the report: each is that of the warehouse, or of a second implementation of the published definitions."""
# ruff: noqa: F811  fixtures of the other module are arguments here

import csv
import io
import random
import xml.etree.ElementTree as ET

import pytest
from report_pages import (  # noqa: F401
    address,
    assert_same,
    browser,
    download,
    go,
    read,
    report,
    show,
    table,
    table_of,
)  # fmt: skip

from accelmart import headlines

H100 = "nvidia-h100-sxm-80gb"

RANKING = """
with energy as (
    select benchmark_id, scenario, release, accelerator_id, min(j_per_output_token_measured) as j_measured_min,
        min(j_per_output_token_modelled) as j_modelled_min
    from mart_energy semi join fct_inference_result as r on mart_energy.result_id = r.result_id and r.apart_reason is null
    where mart_energy.division = 'closed' and mart_energy.suite = 'datacenter' and mart_energy.variant = 'standard'
        and not mart_energy.is_derived
    group by all
)

select
    t.accelerator_id, t.output_tokens_per_s_per_accelerator as throughput_max,
    t.output_tokens_per_s_per_accelerator_median as throughput_median, t.n_results,
    usd_per_output_mtok_at_level, usd_per_output_mtok_at_level_low, usd_per_output_mtok_at_level_high,
    usd_per_output_mtok_cheapest, usd_per_output_mtok_median,
    coalesce(h.n_sellers, 0) as n_sellers, j_measured_min, j_modelled_min,
    o.usd_per_output_mtok as owned_usd_per_output_mtok, o.usd_per_output_mtok_low as owned_usd_per_output_mtok_low
from mart_token_throughput as t
left join mart_cost_headline as h
    on t.benchmark_id = h.benchmark_id and t.scenario = h.scenario and t.release = h.release
    and t.accelerator_id = h.accelerator_id and h.pricing_model = $pricing
left join energy as e
    on t.benchmark_id = e.benchmark_id and t.scenario = e.scenario and t.release = e.release
    and t.accelerator_id = e.accelerator_id
left join mart_owned_cost_per_mtok as o
    on t.benchmark_id = o.benchmark_id and t.scenario = o.scenario and t.release = o.release
    and t.accelerator_id = o.accelerator_id and t.availability = o.availability and o.is_default
    and o.scenario_id = 'emerging_neocloud'
where t.benchmark_id = $benchmark and t.scenario = $scenario and t.apart_reason is null
    and (t.release = $round or ($round = 'best' and t.is_representative))
"""


def test_the_first_page_equals_sql_for_60_random_choices(show, warehouse):
    chance = random.Random(20261121)
    cells = warehouse.execute(
        "select distinct benchmark_id, scenario, release from mart_token_throughput order by all"
    ).fetchall()
    pricings = warehouse.execute(
        "select distinct pricing_model from mart_price_current order by 1"
    ).fetchall()
    choices = []
    for benchmark, scenario, release in chance.sample(cells, 60):
        pricing = chance.choice(["on_demand", *(value for (value,) in pricings)])
        choices.append({"benchmark": benchmark, "scenario": scenario, "round": chance.choice([release, "best"]), "pricing": pricing})  # fmt: skip
    page = show()
    observed = read(page, [address("accelerators", **c) for c in choices], "#fig-answer tbody [data-key]")
    compared = 0
    for choice, rows in zip(choices, observed, strict=True):
        assert_same(rows, table_of(warehouse.execute(RANKING, choice)), choice)
        # those with a price level come first, by it
        levels = [row["usd_per_output_mtok_at_level"] for row in rows.values()]
        ranked = [usd for usd in levels if usd is not None]
        assert levels[: len(ranked)] == sorted(ranked), choice
        compared += len(ranked)
    assert compared > 60


def test_all_charts_of_the_first_page_have_one_order_and_preview_last(show):
    page = show("#/accelerators?benchmark=deepseek-r1&scenario=Offline")
    rows = page.evaluate(
        """() => [...document.querySelectorAll("#fig-answer tbody tr")].map((row) => row.dataset.row)"""
    )
    names = page.locator("#fig-answer svg .mark-text text").all_text_contents()
    labels = [name for name in names if " · v" in name]
    assert len(labels) > len(rows)  # one row for all three charts, and those of preview
    assert all("(" in label for label in labels[len(rows) :])
    assert not any("(" in label.partition("·")[2] for label in labels[: len(rows)])


def test_the_lowest_is_called_cheapest_only_where_no_range_overlaps(show, warehouse):
    page = show("#/accelerators?benchmark=llama3.1-405b&scenario=Server")
    for tile, relation, condition, suffix in (
        ("Rent, lowest price level", "mart_cost_headline", "pricing_model = 'on_demand'", "_at_level"),
        ("Own, lowest", "mart_owned_cost_per_mtok", "is_default and scenario_id = 'emerging_neocloud'", ""),
    ):
        first, *others = warehouse.execute(
            f"""
            select regexp_replace(product_name, ' \\([^)]*\\)', '', 'g') as part, usd_per_output_mtok{suffix} as usd,
                usd_per_output_mtok{suffix}_low as low, usd_per_output_mtok{suffix}_high as high
            from {relation} inner join dim_accelerator using (accelerator_id)
            where benchmark_id = 'llama3.1-405b' and scenario = 'Server' and is_representative and {condition}
                and usd is not null
            order by usd
            """
        ).fetchall()
        shown = page.locator(".tiles > div", has_text=tile).inner_text()
        overlapping = [part for part, _, low, _ in others if low is None or low <= first[3]]
        assert overlapping and "cheapest" not in shown.lower()
        words = shown.partition("not separable from ")[2]
        assert f"${first[1]:.2f}" in shown and all(part in words for part in overlapping)
        assert not any(part in words for part, *_ in others if part not in overlapping)
        if suffix == "":  # the date, basis and number of prices of the capital
            assert "prices of 20" in shown and "n = " in shown and ("implied" in shown or "observed" in shown)


def test_accelerators_are_compared_at_the_sellers_of_both_as_in_the_command(show, built_home):
    page = show()
    compared = 0
    for benchmark in ("deepseek-r1", "llama3.1-405b"):
        (rows,) = read(page, [address("accelerators", benchmark=benchmark, scenario="Server")], "#fig-answer tbody [data-key]")  # fmt: skip
        for record in headlines(benchmark, "Server", database=built_home / "accelmart.duckdb").records():
            if record["apart_reason"]:  # in preview or research: apart on the page, without rank
                assert record["accelerator_id"] not in rows
                continue
            mine = rows[record["accelerator_id"]]
            assert mine["n_same_sellers"] == record["n_same_sellers"], (benchmark, record["accelerator_id"])
            assert mine["same_seller_ratio"] == pytest.approx(record["same_seller_ratio"], rel=1e-9)
            compared += record["n_same_sellers"] is not None
    assert compared > 5


def test_the_evidence_lists_all_results_of_a_figure(show, warehouse):
    cells = warehouse.execute(
        """
        select benchmark_id, scenario, accelerator_id, n_results, throughput_per_accelerator_min, throughput_per_accelerator_max
        from mart_inference_throughput
        where division = 'closed' and suite = 'datacenter' and variant = 'standard' and release = 'v5.1'
            and result_unit = 'tokens/s' and accelerator_id is not null and apart_reason is null
        order by hash(benchmark_id || scenario || accelerator_id) limit 12
        """
    ).fetchall()
    page = show()
    places = [
        address("accelerators", benchmark=b, scenario=s, round="v5.1", evidence=a) for b, s, a, *_ in cells
    ]
    shown = read(page, places, "#evidence [data-key=throughput_per_accelerator]")
    for (*_, n, low, high), rows in zip(cells, shown, strict=True):
        measured = sorted(row["throughput_per_accelerator"] for row in rows.values())
        assert len(measured) == n and (measured[0], measured[-1]) == pytest.approx((low, high))


def test_accelerators_without_a_recent_fitting_price_are_listed_with_a_reason(show, warehouse):
    # the cell with most of them among those with prices at all
    *where, reasons = warehouse.execute(
        """
        select benchmark_id, scenario, release, pricing_model, map(list(accelerator_id), list(reason))
        from mart_cost_headline
        where n_sellers = 0 and usd_per_output_mtok_at_level is null and apart_reason is null and not starts_with(reason, 'no price')
        group by all order by count(*) desc, 1, 2, 3, 4 limit 1
        """
    ).fetchone()
    page = show(address("accelerators", **dict(zip(("benchmark", "scenario", "round", "pricing"), where, strict=True))))  # fmt: skip
    listed = {
        row.get_attribute("data-row"): row.inner_text() for row in page.locator("#unranked tbody tr").all()
    }
    assert reasons and listed.keys() >= reasons.keys()
    assert all(reason in listed[accelerator] for accelerator, reason in reasons.items())


def test_every_page_with_prices_shows_their_day(show, warehouse):
    ((day,),) = warehouse.execute("select newest_price_day()").fetchall()
    page = show()
    for name in ("accelerators", "choose", "my-numbers", "side-by-side", "prices", "price-levels", "offers", "build-or-rent", "serving"):  # fmt: skip
        go(page, f"#/{name}")
        assert f"Prices as of {day}" in page.inner_text("#prices-as-of"), name


# --- offers -----------------------------------------------------------------------------------------------------------


LAST = """(
    select o.*, lower(concat_ws(
            ' ', accelerator_id, a.product_name, accelerator_published, provider, p.provider_name, instance_type, variant,
            region, o.country, pricing_model, operating_system, exclusion_reason, o.source, offer_id
        )) as words
    from fct_price_interval as o
    left join dim_accelerator as a using (accelerator_id) left join dim_provider as p using (provider)
    qualify row_number() over (partition by o.offer_id order by o.valid_from desc) = 1
)"""
EVERYTHING = {"pricing": "all", "age": "all", "comparable": "all"}


def test_offers_are_filtered_sorted_and_downloaded(show, warehouse):
    page = show(address("offers", **EVERYTHING))
    _, raw = download(page, "#fig-offers", "csv")
    listed = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    ((offers, comparable),) = warehouse.execute(
        f"select count(*), count(*) filter (is_comparable) from {LAST}"
    ).fetchall()
    assert len(listed) == offers and sum(row["is_comparable"] == "true" for row in listed) == comparable
    assert all(row["exclusion_reason"] for row in listed if row["is_comparable"] == "false")
    for chosen, condition in (
        ({"accelerator": H100, "pricing": "on_demand"}, f"accelerator_id = '{H100}' and pricing_model = 'on_demand'"),
        ({"seller": "aws", "place": "US"}, "provider = 'aws' and country = 'US'"),
        ({"comparable": "no"}, "not is_comparable"),
        ({"place": "europe", "size": "eight"}, "(country in ('BE','CH','DE','ES','FI','FR','GB','IE','IT','NL','NO','PL','SE') or region = 'Europe') and machine_accelerators = 8"),
        ({"find": "aws h100"}, "contains(words, 'h100') and contains(words, 'aws')"),
    ):  # fmt: skip
        expected = {offer for (offer,) in warehouse.execute(f"select offer_id from {LAST} where {condition}").fetchall()}  # fmt: skip
        go(page, address("offers", **(EVERYTHING | chosen)))
        shown = set(table(page, "#fig-offers"))
        assert expected and shown <= expected and len(shown) == min(200, len(expected)), chosen
    go(page, address("offers", sort="price", accelerator=H100))
    prices = [row["usd_per_accelerator_hour"] for row in table(page, "#fig-offers").values()]
    assert len(prices) > 5 and prices == sorted(prices)
    # the reader's own order is part of the address
    page.locator("#fig-offers").get_by_role("button", name="Size", exact=True).click()
    assert page.url.endswith("&order=-machine_accelerators")
    go(page, address("offers", accelerator=H100, order="-machine_accelerators"))
    sizes = [row["machine_accelerators"] for row in table(page, "#fig-offers").values()]
    assert sizes[0] > sizes[-1] and sizes == sorted(sizes, reverse=True)
    go(page, "#/offers?find=nothing-is-called-this")
    assert "No offer fits these choices" in page.inner_text("#view")


# --- serving measured outside of MLPerf -----------------------------------------------------------------------------------


def test_every_serving_read_equals_the_warehouse_also_on_another_grid(show, warehouse):
    names = ("output_tokens_per_s_per_accelerator", "rent_usd_per_output_mtok", "owned_usd_per_output_mtok", "j_per_output_token_measured", "kg_co2e_per_output_mtok")  # fmt: skip
    grids = {"US": "country = 'US' and grid_level = 'country'", "US-WA": "us_state = 'WA'", "world": "grid_level = 'world'"}  # fmt: skip
    chosen, expected = [], []
    for model, workload in warehouse.execute("select distinct model_id, workload from mart_serving_frontier order by all").fetchall():  # fmt: skip
        for speed, (grid, condition) in zip((20, 50, 100), grids.items(), strict=True):
            chosen.append(address("serving", model=model, workload=workload, speed=speed, grid=grid))
            expected.append(
                warehouse.execute(
                    f"select {', '.join(names[:4])}, j_per_output_token_measured / 3.6 * kg_co2e_per_kwh "
                    f"from mart_serving_frontier, (from dim_grid where is_in_force and {condition}) where row_kind = 'read' "
                    "and model_id = ? and workload = ? and tokens_per_s_per_user = ?",
                    [model, workload, speed],
                ).fetchall()
            )
    assert len(chosen) > 90
    page = show("#/serving")
    for where, observed, rows in zip(chosen, read(page, chosen, "#fig-serving-reads tbody [data-key]"), expected, strict=True):  # fmt: skip
        shown = {tuple(row[name] for name in names[:4]): row[names[4]] for row in observed.values()}
        assert shown == {row[:4]: row[4] and pytest.approx(row[4]) for row in rows}, where
    go(page, "#/serving?speed=100")
    stated = page.inner_text("#measured-by")
    assert all(words in stated for words in ("ML.ENERGY", "GPU power only", "never ranked with MLPerf"))
    slider = page.locator("#choose-speed")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**#/serving?speed=75")
    assert slider.get_attribute("aria-valuetext") == page.inner_text("#control-speed output") == "75"


def test_a_serving_frontier_has_a_series_for_each_part_and_its_own_source(show, warehouse):
    page = show("#/serving?model=llama-3.1-405b")
    names = page.locator("#fig-serving-frontier .role-legend-label text").all_text_contents()
    ((series, points),) = warehouse.execute(
        "select count(distinct (accelerator_id, number_format)), count(*) from mart_serving_frontier "
        "where row_kind = 'point' and axis = 'tokens_per_s_per_user' and model_id = 'llama-3.1-405b'"
    ).fetchall()
    assert len(names) == series and page.locator("#fig-serving-frontier svg [aria-roledescription=point]").count() == points  # fmt: skip
    _, svg = download(page, "#fig-serving-frontier", "svg")
    words = " ".join(ET.fromstring(svg).itertext())
    assert "measurements of ML.ENERGY (no MLPerf results)" in words and "Derived from MLPerf" not in words


# --- every other table ------------------------------------------------------------------------------------------------------

TABLES = {
    "accelerators?benchmark=resnet&scenario=Offline": (
        "#fig-answer",
        """
        select accelerator_id, throughput_per_accelerator_max as throughput_max, throughput_per_accelerator_min as throughput_min
        from mart_inference_throughput inner join dim_release using (release)
        where dim_release.suite_kind = 'inference' and benchmark_id = 'resnet' and scenario = 'Offline'
            and division = 'closed' and suite = 'datacenter' and variant = 'standard' and result_unit = 'samples/s'
            and accelerator_id is not null and availability = 'available'
        qualify row_number() over (
            partition by accelerator_id order by throughput_per_accelerator_max desc, release_number desc
        ) = 1
        """,
    ),
    "build-or-rent?scenario=neocloud_giant&pricing=spot": (
        "#fig-break-even",
        """
        select t.accelerator_id,
            any_value(t.owned_usd_per_accelerator_hour / l.usd_per_accelerator_hour * 100)
                as break_even_utilisation_pct_at_level,
            any_value(t.owned_usd_per_accelerator_hour_low / l.usd_per_accelerator_hour_high * 100)
                as break_even_utilisation_pct_at_level_low,
            any_value(t.owned_usd_per_accelerator_hour_high / l.usd_per_accelerator_hour_low * 100)
                as break_even_utilisation_pct_at_level_high,
            any_value(l.n_sellers) as n_sellers
        from mart_build_vs_rent as t
        inner join mart_rental_price_level as l using (accelerator_id, pricing_model)
        where t.scenario_id = 'neocloud_giant' and l.pricing_model = 'spot'
            and l.as_of = newest_price_day() and l.reason is null
        group by t.accelerator_id
        """,
    ),
    "build-or-rent?workload=llama2-70b-99": (
        "#fig-perf-per-tco",
        "select concat_ws('|', accelerator_id, benchmark_id, scenario, release, result_unit), perf_per_tco_ratio, throughput_ratio, "
        "tco_ratio, n_results from mart_perf_per_tco where scenario_id = 'emerging_neocloud' and is_default "
        "and baseline_accelerator_id = 'nvidia-h100-sxm-80gb' and benchmark_id = 'llama2-70b-99' and perf_per_tco_ratio is not null",
    ),
    "training?benchmark=llama2_70b_lora": (
        "#fig-scaling",
        "select result_id, throughput_scaling_efficiency * 100 as throughput_scaling_pct, scaling_efficiency * 100 as scaling_pct "
        "from mart_training_scaling where benchmark_id = 'llama2_70b_lora' and division = 'closed'",
    ),
    "progress?benchmark=bert-99&scenario=Offline": (
        "#fig-best-of-round",
        """
        select concat_ws('|', accelerator_id, accelerator_count, release), gain_ratio, value, previous_value
        from mart_best_of_round where suite_kind = 'inference' and benchmark_id = 'bert-99' and scenario = 'Offline'
            and availability = 'available' and previous_release is not null
        """,
    ),
    "progress?suite=training&benchmark=llama2_70b_lora": (
        "#fig-software",
        "select concat_ws('|', accelerator_id, accelerator_count, release, submitter_id, number_format), gain_ratio, value, "
        "previous_value from mart_software_progress where suite_kind = 'training' and benchmark_id = 'llama2_70b_lora'",
    ),
    "progress?benchmark=llama2-70b-99.9&scenario=Offline": (
        "#fig-rounds",
        """
        select accelerator_id || '|' || release, throughput_per_accelerator_max as "value",
            throughput_per_accelerator_median as middle, n_results
        from mart_inference_throughput
        where benchmark_id = 'llama2-70b-99.9' and scenario = 'Offline' and division = 'closed' and suite = 'datacenter'
            and variant = 'standard' and accelerator_id is not null and result_unit = 'tokens/s' and apart_reason is null
        """,
    ),
    "training?benchmark=llama31_405b&usd_per_hour=2.5": (
        "#fig-by-size",
        """
        select r.result_id, r.score_minutes, r.accelerator_hours, r.accelerator_hours * 2.5 as cost_to_train_usd,
            r.accelerator_count, r.mfu_pct, r.bf16_equivalent_pct, r.trained_tokens_per_s_per_accelerator,
            t.owned_usd_per_trained_mtok, t.rented_usd_per_trained_mtok, t.j_per_trained_token_modelled
        from fct_training_result as r left join mart_trained_tokens as t using (result_id)
        where r.benchmark_id = 'llama31_405b' and r.division = 'closed' and r.score_minutes is not null
            and r.availability = 'available'
        """,
    ),
    "training?benchmark=llama31_405b&metric=tokens": (
        "#fig-frontier-cost",
        "select model || '|' || price_basis, usd_to_train, epoch_usd, difference_pct from mart_frontier_cost_check",
    ),
    "serving?model=llama-3.1-405b": (
        "#fig-serving-frontier",
        """
        select point_id, tokens_per_s_per_user, output_tokens_per_s_per_accelerator, rent_usd_per_output_mtok,
            owned_usd_per_output_mtok, j_per_output_token_measured, concurrency, n_accelerators_all
        from mart_serving_frontier
        where row_kind = 'point' and axis = 'tokens_per_s_per_user' and model_id = 'llama-3.1-405b'
        """,
    ),
    "prices?accelerator=nvidia-h100-sxm-80gb": (
        "#fig-sellers",
        """
        select provider, usd_per_accelerator_hour_min, usd_per_accelerator_hour_median, n_offers, age_days
        from mart_price_current where accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'
            and segment is distinct from 'aggregate'
        """,
    ),
    "price-levels": (
        "#fig-price-levels",
        """
        select accelerator_id, usd_per_accelerator_hour, usd_per_accelerator_hour_low, usd_per_accelerator_hour_high,
            n_sellers, relative_to_h100, usd_cheapest, usd_median_plain, n_sellers_plain
        from mart_rental_price_level where pricing_model = 'on_demand' and as_of = newest_price_day()
        """,
    ),
    "price-levels?pricing=on_demand": (
        "#fig-clouds",
        "select provider || '|' || memory_group, factor, factor_low, factor_high, n_accelerators from mart_seller_price_level "
        "where pricing_model = 'on_demand' and as_of = newest_price_day()",
    ),
    "prices?pricing=on_demand": (
        "#fig-price-index",
        """
        select strftime(month, '%Y-%m-%d'), index, low, high, n_sellers, n_matched, tpd_check
        from mart_price_index where accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'
        """,
    ),
    "build-or-rent": (
        "#fig-owned",
        """
        select accelerator_id, usd_per_accelerator_hour, usd_per_accelerator_hour_low, capital_usd_per_accelerator_hour
        from mart_tco where is_default and scenario_id = 'emerging_neocloud'
        """,
    ),
    "claims": ("#fig-claims", "select claim_id, claimed_value, measured_value, ratio, n_cases from mart_claim_check"),
    "findings": ("#fig-findings", "select finding_id, n_claims, n_agree, n_contradict, n_open from mart_findings"),
    "published": (
        "#fig-published-values", "select value_id, ours, difference_pct from mart_published_values",
    ),
    "published?text=all": (
        "#fig-published-tables",
        """
        select row_id, theirs, own_value, own_value_low, own_value_high, own_difference_pct, ours, difference_pct
        from mart_published_tables
        """,
    ),
    "health": ("#fig-ages", "select source, age_days, payloads, records_in, rows, rejects from mart_source_health"),
}  # fmt: skip


def test_tables_equal_the_warehouse(show, warehouse):
    page = show()
    for where, (figure, query) in TABLES.items():
        expected = table_of(warehouse.execute(query))
        assert len(expected) > 3, where
        (rows,) = read(page, [f"#/{where}"], f"{figure} tbody [data-key]")
        assert_same(rows, expected, where)
