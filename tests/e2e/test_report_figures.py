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
)

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


def test_the_first_page_equals_sql_for_40_random_choices(show, warehouse):
    chance = random.Random(20261121)
    cells = warehouse.execute(
        "select distinct benchmark_id, scenario, release from mart_token_throughput order by all"
    ).fetchall()
    pricings = warehouse.execute(
        "select distinct pricing_model from mart_price_current order by 1"
    ).fetchall()
    choices = []
    for benchmark, scenario, release in chance.sample(cells, 40):
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
    assert compared > 40


def test_the_lowest_is_called_cheapest_only_where_no_range_overlaps(show, warehouse):
    page = show("#/accelerators?benchmark=llama3.1-405b&scenario=Server")
    for tile, relation, condition, suffix in (
        ("Lowest rent", "mart_cost_headline", "pricing_model = 'on_demand'", "_at_level"),
        (
            "Lowest cost of owning",
            "mart_owned_cost_per_mtok",
            "is_default and scenario_id = 'emerging_neocloud'",
            "",
        ),
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
        perhaps, _, surely = shown.partition("probably costs less than ")[2].partition(
            "; it costs less than "
        )
        assert f"${first[1]:.2f}" in shown and all(part in perhaps for part in overlapping)
        assert all(part in surely for part, *_ in others if part not in overlapping)


def test_the_first_page_has_carbon_the_pareto_frontier_and_current_models_first(show, warehouse):
    page = show("#/accelerators?benchmark=deepseek-r1&scenario=Offline")
    rows = table(page, "#fig-answer")
    ((kg_per_kwh,),) = warehouse.execute(
        "select kg_co2e_per_kwh from dim_grid where is_active and grid_level = 'world'"
    ).fetchall()
    modelled = {key: row for key, row in rows.items() if isinstance(row["j_modelled_min"], float)}
    for row in modelled.values():  # a kWh is 3.6 million joules, and a million tokens are counted
        assert row["kg_co2e_per_output_mtok"] == pytest.approx(row["j_modelled_min"] / 3.6 * kg_per_kwh)
    points = table(page, "#fig-frontier")
    lowest, frontier = float("inf"), set()
    for key, row in sorted(points.items(), key=lambda point: (-point[1]["best"], point[1]["usd"])):
        if row["usd"] < lowest:
            lowest = row["usd"]
            frontier.add(key)
    assert {key for key, row in points.items() if row["is_frontier"] == "yes"} == frontier
    assert len(modelled) > 3 and 0 < len(frontier) < len(points)
    groups = page.eval_on_selector_all(
        "#choose-benchmark optgroup",
        "(groups) => groups.map((group) => [group.label, [...group.children].map((each) => each.value)])",
    )
    names, models = zip(*groups, strict=True)
    assert names == ("Current models", "Earlier models")
    assert {"deepseek-r1", "llama3.1-405b"} <= {*models[0]} and {"gptj-99", "resnet"} <= {*models[1]}


def test_months_without_a_new_price_are_gaps_in_the_history(show, warehouse):
    months = warehouse.execute(
        """
        select usd_per_accelerator_hour, lag(usd_per_accelerator_hour) over (order by as_of)
        from mart_rental_price_level
        where accelerator_id = ? and pricing_model = 'on_demand' and as_of <= newest_price_day()
            and (day(as_of) = 1 or as_of = newest_price_day())
        order by as_of
        """,
        [H100],
    ).fetchall()
    new = [usd is not None and usd != before for usd, before in months]
    starts = sum(here and not before for before, here in zip([False, *new], new, strict=False))
    page = show(address("prices", accelerator=H100))
    drawn = page.locator("#fig-price-level .chart svg .mark-symbol path").count()
    assert (drawn, page.locator("#fig-price-level .chart svg .mark-line path").count()) == (sum(new), starts)
    assert starts > 1


def test_accelerators_are_compared_at_the_sellers_of_both_as_in_the_command(show, built_home):
    where = address("accelerators", benchmark="llama3.1-405b", scenario="Server")
    page = show(where)
    (rows,), words = read(page, [where], "#fig-answer tbody [data-key]"), table(page, "#fig-answer")
    compared = 0
    for record in headlines("llama3.1-405b", "Server", database=built_home / "accelmart.duckdb").records():
        if record["apart_reason"]:  # in preview or research: apart on the page, without rank
            assert record["accelerator_id"] not in rows
            continue
        shown = rows[record["accelerator_id"]]
        assert shown["n_same_sellers"] == record["n_same_sellers"], record["accelerator_id"]
        assert shown["same_seller_ratio"] == pytest.approx(record["same_seller_ratio"], rel=1e-7)
        if record["n_sellers"]:
            assert words[record["accelerator_id"]]["size_note"] == (record["size_note"] or "none")
        compared += record["n_same_sellers"] is not None
    assert compared > 2


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
    places = [
        address("accelerators", benchmark=b, scenario=s, round="v5.1", evidence=a) for b, s, a, *_ in cells
    ]
    shown = read(show(), places, "#evidence [data-key=throughput_per_accelerator]")
    for (*_, n, low, high), rows in zip(cells, shown, strict=True):
        measured = sorted(row["throughput_per_accelerator"] for row in rows.values())
        assert len(measured) == n and (measured[0], measured[-1]) == pytest.approx((low, high))


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
    for chosen, condition in (
        ({"accelerator": H100, "pricing": "on_demand"}, f"accelerator_id = '{H100}' and pricing_model = 'on_demand'"),
        ({"seller": "aws", "place": "US"}, "provider = 'aws' and country = 'US'"),
        ({"comparable": "no"}, "not is_comparable"),
        ({"place": "europe", "size": "eight"}, "(country in ('BE','CH','DE','ES','FI','FR','GB','IE','IT','NL','NO','PL','SE') or region = 'Europe') and machine_accelerators = 8"),
        ({"find": "aws h100"}, "contains(words, 'h100') and contains(words, 'aws')"),
    ):  # fmt: skip
        expected = {
            offer
            for (offer,) in warehouse.execute(f"select offer_id from {LAST} where {condition}").fetchall()
        }
        go(page, address("offers", **(EVERYTHING | chosen)))
        shown = set(table(page, "#fig-offers"))
        assert expected and shown <= expected and len(shown) == min(200, len(expected)), chosen
    go(page, address("offers", accelerator=H100, order="usd_per_accelerator_hour"))
    prices = [row["usd_per_accelerator_hour"] for row in table(page, "#fig-offers").values()]
    assert len(prices) > 5 and prices == sorted(prices)
    # the reader's own order is part of the address
    page.locator("#fig-offers").get_by_role("button", name="Size", exact=True).click()
    assert page.url.endswith("&order=-machine_accelerators")
    sizes = [row["machine_accelerators"] for row in table(page, "#fig-offers").values()]
    assert sizes[0] > sizes[-1] and sizes == sorted(sizes, reverse=True)


def test_every_serving_read_equals_the_warehouse_also_on_another_grid(show, warehouse):
    names = ("output_tokens_per_s_per_accelerator", "rent_usd_per_output_mtok", "owned_usd_per_output_mtok", "j_per_output_token_measured", "kg_co2e_per_output_mtok")  # fmt: skip
    grids = {"US": "country = 'US' and grid_level = 'country'", "US-WA": "us_state = 'WA'", "world": "grid_level = 'world'"}  # fmt: skip
    chosen, expected = [], []
    for source, model, workload in warehouse.execute(
        "select distinct source, model_id, workload from mart_serving_frontier order by all"
    ).fetchall():
        for speed, (grid, condition) in zip((20, 50, 100), grids.items(), strict=True):
            chosen.append(
                address("serving", measured=source, model=model, workload=workload, speed=speed, grid=grid)
            )
            expected.append(
                warehouse.execute(
                    f"select {', '.join(names[:4])}, j_per_output_token_measured / 3.6 * kg_co2e_per_kwh "
                    f"from mart_serving_frontier, (from dim_grid where is_active and {condition}) where row_kind = 'read' "
                    "and mart_serving_frontier.source = ? and model_id = ? and workload = ? and tokens_per_s_per_user = ?",
                    [source, model, workload, speed],
                ).fetchall()
            )
    assert len(chosen) > 90
    page = show("#/serving")
    for where, observed, rows in zip(
        chosen, read(page, chosen, "#fig-serving-reads tbody [data-key]"), expected, strict=True
    ):
        # the page has nine digits of each figure
        shown = sorted(
            [str(f"{row[name]:.6g}" if row[name] is not None else None) for name in names]
            for row in observed.values()
        )
        assert shown == sorted(
            [str(f"{value:.6g}" if value is not None else None) for value in row] for row in rows
        ), where
    go(page, "#/serving?speed=100")
    stated = page.inner_text("#measured-by")
    assert all(words in stated for words in ("ML.ENERGY", "GPU power only", "never ranked with MLPerf"))
    _, svg = download(page, "#fig-serving-frontier", "svg")
    assert "measurements of ML.ENERGY (no MLPerf results)" in " ".join(ET.fromstring(svg).itertext())


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
        with path as (
            select l.*, 1.96 * (select monthly_change from intermediate.int_price__monthly_change) * sqrt(t.horizon_months) as drift,
                t.* exclude (accelerator_id, pricing_model, price_as_of, reason, uncertainty_basis)
            from mart_build_vs_rent as t
            inner join mart_rental_price_level as l using (accelerator_id, pricing_model)
            where t.scenario_id = 'neocloud_giant' and l.pricing_model = 'spot' and l.as_of = newest_price_day() and l.reason is null
        ),

        ends as (
            select t.*,
                sqrt(pow(ln(usd_per_accelerator_hour_low / usd_per_accelerator_hour), 2) + pow(ln((1 - exp(-drift)) / drift), 2)) as down,
                sqrt(pow(ln(usd_per_accelerator_hour_high / usd_per_accelerator_hour), 2) + pow(ln((exp(drift) - 1) / drift), 2)) as up
            from path as t
        )

        select t.accelerator_id,
            any_value(t.owned_usd_per_accelerator_hour / t.usd_per_accelerator_hour * 100)
                as break_even_utilisation_pct_at_level,
            any_value(t.owned_usd_per_accelerator_hour_low / (t.usd_per_accelerator_hour * exp(t.up)) * 100)
                as break_even_utilisation_pct_at_level_low,
            any_value(t.owned_usd_per_accelerator_hour_high / (t.usd_per_accelerator_hour * exp(-t.down)) * 100)
                as break_even_utilisation_pct_at_level_high,
            any_value(t.n_sellers) as n_sellers
        from ends as t
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
    "progress?suite=training&benchmark=llama2_70b_lora": (
        "#fig-software",
        "select concat_ws('|', accelerator_id, accelerator_count, release, submitter_id, number_format), gain_ratio, value, "
        "previous_value from mart_software_progress where suite_kind = 'training' and benchmark_id = 'llama2_70b_lora'",
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
    "prices?accelerator=nvidia-h100-sxm-80gb": (
        "#fig-sellers",
        """
        select provider, usd_per_accelerator_hour_min as usd_per_accelerator_hour
        from mart_price_current where accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'
            and segment is distinct from 'aggregate'
        """,
    ),
    "prices?accelerator=nvidia-h100-sxm-80gb&region=EU": (
        "#fig-sellers", "select provider, usd_per_accelerator_hour, machine_accelerators, days_before from seller_offers('H100', region := 'EU')",
    ),
    "alternatives?asked=TPU": (
        "#fig-tasks",
        """
        select task || '|' || accelerator_id, usd_per_task, usd_per_task_low, usd_per_task_high, usd_per_task_at_spot, usd_per_task_at_only_seller, ratio_at_only_seller, hours_per_task,
            throughput_per_accelerator
        from alternatives('TPU') where is_main
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
    "published?text=all": (
        "#fig-published-tables",
        """
        select row_id, theirs, own_value, own_value_low, own_value_high, own_difference_pct, ours, difference_pct
        from mart_published_tables
        """,
    ),
}  # fmt: skip


def test_tables_equal_the_warehouse(show, warehouse):
    page = show()
    for where, (figure, query) in TABLES.items():
        expected = table_of(warehouse.execute(query))
        assert len(expected) > 3, where
        (rows,) = read(page, [f"#/{where}"], f"{figure} tbody [data-key]")
        assert_same(rows, expected, where)


@pytest.mark.parametrize("quoted", [3.2, 2.0, 9.0])
def test_a_quote_is_placed_as_by_the_function(show, warehouse, quoted):
    page = show(address("prices", accelerator=H100, quoted=quoted))
    answer = warehouse.execute(
        "select n_below, n_above, percentile, seller_price_low, seller_price_high, intermediate.quote_words(standing) from price_quote($1, $2)",
        [H100, quoted],
    ).fetchone()
    shown = page.locator(".tiles > div", has_text="A quote of").inner_text()
    below, above, percentile, low, high, words = answer
    expected = (
        f"${quoted:.2f}",
        words,
        f"lower: {below} of ",
        f"higher: {above}",
        f"percentile {percentile * (1 + 1e-9):.3g}",  # halves up, as JavaScript rounds
        f"${low:.2f} to ${high:.2f}",
    )
    assert [text for text in expected if text not in shown] == [], shown


@pytest.mark.parametrize(
    ("where", "figure", "statement", "names"),
    [
        (
            {"benchmark": "deepseek-r1"}, "token-costs-and-prices",
            "select accelerator_id, * from token_cost_and_price('deepseek-r1') where row_kind = 'cost'",
            ("usd_per_total_mtok_at_full_use", "usd_per_total_mtok_at_low_use", "usd_per_total_mtok_at_low_use_high"),
        ),
        (
            {"benchmark": "deepseek-r1", "a": "DE", "b": "SE"}, "carbon-by-place",
            "select accelerator_id || '|' || place, * from electricity_per_mtok('deepseek-r1', 'DE, SE')",
            ("kwh_per_output_mtok", "kg_co2e_per_output_mtok", "electricity_usd_per_output_mtok", "usd_per_output_mtok"),
        ),
    ],
)  # fmt: skip
def test_tokens_and_places_are_rows_of_their_functions(show, warehouse, where, figure, statement, names):
    page = {"token-costs-and-prices": "tokens", "carbon-by-place": "electricity"}[figure]
    (rows,) = read(show(f"#/{page}"), [address(page, **where)], f"#fig-{figure} tbody [data-key]")
    expected = warehouse.execute(statement).df()
    assert len(rows) == len(expected) >= 5
    for row in expected.itertuples(index=False):
        for name in names:
            value = getattr(row, name)
            shown = rows[row[0]][name]
            assert shown == pytest.approx(value) if value == value else shown is None
