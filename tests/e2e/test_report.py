"""The report of the real build of real data, in a headless browser.

Figures are read from the page (`data-value` has the exact number) and compared with SQL on the warehouse, and for a
reader's own numbers with a second implementation of the published definitions.
"""

import base64
import csv
import gzip
import io
import json
import math
import os
import random
import re
import shutil
import time
import xml.etree.ElementTree as ET
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import duckdb
import pytest

from accelmart import headlines
from warehouse.home import DBT_PROJECT_DIR

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

CHROMIUM = Path("/usr/bin/chromium")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PAGES = [
    "accelerators",
    "choose",
    "rent-or-own",
    "side-by-side",
    "my-numbers",
    "progress",
    "training",
    "trained-tokens",
    "serving",
    "cross-check",
    "prices",
    "offers",
    "build-or-rent",
    "claims",
    "findings",
    "published",
    "health",
]
# MLPerf results and other measurements are never series of one chart
WITHOUT_CHARTS = {"cross-check"}
MAX_BYTES = 3 * 1024 * 1024
# the page opens in about a second; the bound allows for a busy machine
MAX_OPEN_S = 10
SETTINGS = 200

SHOWN = """
(address) => new Promise((done) => {
    const root = document.documentElement;
    const observer = new MutationObserver(check);
    function check() {
        if (!root.dataset.shown?.includes(address)) return;
        observer.disconnect();
        done();
    }
    observer.observe(root, { attributes: true });
    check();
})
"""


# loads addresses inside the page and reads their figures, without drawing charts
READ = """
async ([addresses, selector]) => {
    const read = [];
    const draw = window.vegaEmbed;
    window.vegaEmbed = async () => ({ view: { addEventListener() {} }, finalize() {} });
    for (const address of addresses) {
        if (location.hash !== address) {
            const shown = new Promise((done) => addEventListener("hashchange", done, { once: true }));
            location.hash = address;
            await shown;
        }
        read.push([...document.querySelectorAll(selector)].map((element) => [
            element.closest("[data-row]")?.dataset.row ?? "", element.dataset.figure ?? element.dataset.key,
            element.dataset.value ? Number(element.dataset.value) : null, element.textContent,
        ]));
    }
    window.vegaEmbed = draw;
    return read;
}
"""


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def report(built_home):
    return built_home / "report.html"


@pytest.fixture
def show(browser, report):
    """A page of the report; fails on console errors and on network requests."""
    with shown(browser, report) as opener:
        yield opener


# pages of a browser that no test uses now, by width and scheme: a process of the browser that has opened the report before
# opens it anew in a third of the time
FREE = {}


@contextmanager
def shown(browser, path):
    complaints, requests, used = [], [], []
    listeners = {
        "console": lambda message: complaints.append(f"{message.type}: {message.text}"),
        "pageerror": lambda error: complaints.append(str(error)),
        "dialog": lambda dialog: (complaints.append(f"dialog {dialog.message}"), dialog.dismiss()),
        "request": lambda request: requests.append(request.url),
    }

    def opener(address="#/accelerators", *, width=1280, scheme="light", settle=True, is_new=False):
        free = FREE.setdefault((browser, width, scheme), [])
        screen = {"width": width, "height": 900}
        page = free.pop() if free and not is_new else browser.new_page(viewport=screen, accept_downloads=True)
        used.append((page, free))
        page.set_viewport_size(screen)
        page.emulate_media(media="null", color_scheme=scheme)
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(f"{path.as_uri()}{address}")
        # the page shows nothing and follows no address before its data are unpacked
        page.wait_for_selector("html[data-charts]", state="attached")
        if settle:
            settled(page)
        return page

    yield opener
    for page, free in used:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        if not page.is_closed():
            page.goto("about:blank")
            free.append(page)
    assert complaints == []
    assert [url for url in requests if not url.startswith((path.as_uri(), "data:", "blob:"))] == []


# waits inside the page, since its policy blocks polling code of the test
SETTLED = """
(address) => new Promise((done, fail) => {
    const root = document.documentElement;
    if (address && location.hash !== address) {
        root.dataset.charts = "waiting";
        location.hash = address;
    }
    if (root.dataset.charts === "ready") return done();
    const late = setTimeout(() => fail(new Error(`no charts: ${root.dataset.charts}`)), 30000);
    new MutationObserver((_, observer) => {
        if (root.dataset.charts !== "ready") return;
        observer.disconnect();
        clearTimeout(late);
        done();
    }).observe(root, { attributes: true });
})
"""


def settled(page):
    """Wait until the charts are drawn."""
    page.evaluate(SETTLED, "")


def go(page, address):
    """Navigate inside the page, and wait."""
    page.evaluate(SETTLED, address)


def read(page, addresses, selector):
    """Return {row: {key: value}} for each address."""
    observed = []
    for cells in page.evaluate(READ, [addresses, selector]):
        rows = {}
        for row, key, value, _ in cells:
            rows.setdefault(row, {})[key] = value
        observed.append(rows)
    return observed


def address(page, **chosen):
    words = "&".join(f"{key}={value}" for key, value in chosen.items() if value is not None)
    return f"#/{page}?{words}" if words else f"#/{page}"


# --- every page -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_renders_without_errors(show, warehouse, width):
    ((generation,),) = warehouse.execute("select generation_id from ops_generation").fetchall()
    page = show(width=width)
    titles = set()
    for name in PAGES:
        go(page, f"#/{name}")
        titles.add(page.inner_text("h1"))
        assert page.locator("nav a[aria-current=page]").get_attribute("href") == f"#/{name}"
        assert (page.locator(".chart svg").count() == 0) == (name in WITHOUT_CHARTS), name
        for chart in page.locator(".chart").all():
            assert chart.locator("svg path, svg text, svg line").count() > 3, name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is wider than {width}"
        stated = page.inner_text(".provenance")
        assert generation in stated and "v5.1" in stated
        assert "Derived; not verified by MLCommons Association" in stated
        # each chart can be read as a table too, and is named
        assert (
            page.locator(".figure:has(.chart)").count() == page.locator(".figure:has(.chart) table").count()
        )
    assert len(titles) == len(PAGES)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_reports_no_accessibility_problem(show, scheme):
    page = show(scheme=scheme)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    axe = axe_playwright.Axe()
    page.evaluate(axe.axe_script)
    violations = {}
    for name in [*PAGES, "accelerators?evidence=nvidia-b200-sxm-180gb"]:
        go(page, f"#/{name}")
        # rows of a table are alike: a few of each are enough
        page.evaluate("document.querySelectorAll('tbody tr:nth-child(n + 6)').forEach((row) => row.remove())")
        # the dark theme only changes colours
        only = "" if scheme == "light" else ", runOnly: {type: 'rule', values: ['color-contrast']}"
        done = page.evaluate(f"axe.run({{resultTypes: ['violations'], preload: false{only}}})")
        assert len(done["passes"]) >= (10 if scheme == "light" else 1)  # the rules were evaluated
        for each in done["violations"]:
            if each["impact"] != "minor":
                violations[f"{name}: {each['id']}"] = [node["target"] for node in each["nodes"]][:3]
    assert violations == {}


def test_the_first_page_as_a_picture(show, tmp_path):
    """`make screenshots` keeps it as the picture of the README."""
    page = show()
    page.set_viewport_size({"width": 1280, "height": 800})
    settled(page)
    picture = page.screenshot(path=tmp_path / "report.png")
    assert len(picture) > 40_000, "an empty page"
    if folder := os.environ.get("ACCELMART_SCREENSHOTS"):
        shutil.copy(tmp_path / "report.png", folder)


def test_a_part_or_a_model_is_found_from_every_page(show, warehouse):
    page = show("#/claims")
    box = page.get_by_role("combobox", name="Find a part or model")
    box.fill("h100 sxm5 80gb")
    box.press("Enter")
    # shown: a page that is new takes the focus
    page.evaluate(SHOWN, "prices?accelerator=nvidia-h100-sxm-80gb")
    assert page.inner_text("h1") and box.input_value() == ""
    ((name,),) = warehouse.execute(
        "select any_value(model_name) from dim_benchmark where benchmark_id = 'deepseek-r1'"
    ).fetchall()
    box.fill(name.lower())
    box.press("Enter")
    page.evaluate(SHOWN, "accelerators?benchmark=deepseek-r1")
    box.fill("no such thing")
    box.press("Enter")
    assert page.inner_text(".find [role=status]") == "nothing found"
    box.fill("")
    box.press("Enter")
    assert page.inner_text(".find [role=status]") == ""
    assert page.evaluate("location.hash").endswith("benchmark=deepseek-r1")


def test_a_sent_address_has_a_preview_and_an_icon(report):
    head = report.read_text(encoding="utf-8").partition("<style>")[0]
    preview = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]+)">', head))
    assert preview["title"].startswith("Accelmart") and "not verified by MLCommons" in preview["description"]
    assert re.search(r"as of \d{4}-\d{2}-\d{2}\.", preview["description"])
    (icon,) = re.findall(r'<link rel="icon" href="data:image/svg\+xml,([^"]+)">', head)
    assert ET.fromstring(unquote(icon)).tag.endswith("svg")


def test_axe_reports_an_inserted_problem(browser):
    page = browser.new_page()
    page.set_content("<html><body><img src='data:,'><select></select></body></html>")
    done = axe_playwright.Axe().run(page)
    assert {v["id"] for v in done.response["violations"] if v["impact"] in ("serious", "critical")} >= {
        "image-alt", "select-name",
    }  # fmt: skip
    page.close()


def test_the_report_is_small_and_opens_quickly(show, report):
    assert report.stat().st_size <= MAX_BYTES
    started = time.monotonic()
    show()
    assert time.monotonic() - started < MAX_OPEN_S


def test_the_content_security_policy_blocks_foreign_content(browser, report):
    head = report.read_text(encoding="utf-8")[:4096]
    policy = (
        head.split('http-equiv="Content-Security-Policy" content="')[1].split('"')[0].replace("&#39;", "'")
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert not set(rules["script-src"].split()) & {"'unsafe-inline'", "'unsafe-eval'", "*", "data:", "https:"}
    # inserted markup: its script does not run and its picture is not fetched
    page = browser.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(report.as_uri())
    page.evaluate(
        """() => {
            document.body.insertAdjacentHTML("beforeend", '<img src="http://127.0.0.1:9/x.png" onerror="window.ran=1">');
            document.body.append(Object.assign(document.createElement("script"), { textContent: "window.ran = 1" }));
        }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    assert len([text for text in refused if "Content Security Policy" in text]) >= 2
    page.close()


# --- its figures are the warehouse's ----------------------------------------------------------------------------------

RANKING = """
with cells as (
    select * from mart_token_throughput
    where benchmark_id = $benchmark and scenario = $scenario
        and apart_reason is null and (release = $round or ($round = 'best' and is_representative))
),

-- what may stand in a figure: recent prices of machines that hold the model, one vote a seller and who resells its machines
costs as (
    select benchmark_id, scenario, release, accelerator_id, vote, min(usd_per_output_mtok) as usd_per_output_mtok
    from mart_cost_per_mtok
    where pricing_model = $pricing and rank_reason is null and fit = 'fits'
    group by all
),

levels as (
    from mart_rental_price_level where pricing_model = $pricing
    qualify as_of = max(as_of) over ()
),

energy as (
    select benchmark_id, scenario, release, accelerator_id, min(j_per_output_token_measured) as j_measured_min,
        min(j_per_output_token_modelled) as j_modelled_min
    from mart_energy
    where division = 'closed' and suite = 'datacenter' and variant = 'standard' and not is_derived
        and result_id not in (select result_id from fct_inference_result where apart_reason is not null)
    group by all
)

select
    cells.accelerator_id,
    any_value(cells.output_tokens_per_s_per_accelerator) as throughput_max,
    any_value(cells.output_tokens_per_s_per_accelerator_median) as throughput_median,
    any_value(cells.n_results) as n_results,
    any_value(levels.usd_per_accelerator_hour / cells.output_tokens_per_s_per_accelerator / 3600 * 1e6)
        as usd_per_output_mtok_at_level,
    any_value(levels.usd_per_accelerator_hour_low / cells.output_tokens_per_s_per_accelerator / 3600 * 1e6)
        as usd_per_output_mtok_at_level_low,
    any_value(levels.usd_per_accelerator_hour_high / cells.output_tokens_per_s_per_accelerator / 3600 * 1e6)
        as usd_per_output_mtok_at_level_high,
    min(costs.usd_per_output_mtok) as usd_per_output_mtok_cheapest,
    median(costs.usd_per_output_mtok) as usd_per_output_mtok_median,
    count(costs.vote) as n_sellers,
    any_value(energy.j_measured_min) as j_measured_min,
    any_value(energy.j_modelled_min) as j_modelled_min
from cells
left join costs using (benchmark_id, scenario, release, accelerator_id)
left join levels using (accelerator_id)
left join energy using (benchmark_id, scenario, release, accelerator_id)
group by cells.accelerator_id
"""


def table_of(done):
    """Return the result of a query as {first column: {column: value}}."""
    names = [column[0] for column in done.description]
    return {row[0]: dict(zip(names[1:], row[1:], strict=True)) for row in done.fetchall()}


def same(observed, expected, where):
    assert observed.keys() == expected.keys(), where
    for row, values in expected.items():
        for name, value in values.items():
            assert observed[row][name] == pytest.approx(value, rel=1e-6), (where, row, name)


def test_the_ranking_equals_sql_for_200_random_choices(show, warehouse):
    chance = random.Random(20261121)
    cells = warehouse.execute(
        "select distinct benchmark_id, scenario, release from mart_token_throughput order by all"
    ).fetchall()
    pricings = [
        value
        for (value,) in warehouse.execute(
            "select distinct pricing_model from mart_price_current order by 1"
        ).fetchall()
    ]
    choices = []
    for _ in range(SETTINGS):
        benchmark, scenario, release = chance.choice(cells)
        choices.append(
            {
                "benchmark": benchmark,
                "scenario": scenario,
                "round": chance.choice([release, "best"]),
                "pricing": chance.choice(["on_demand", *pricings]),
            }
        )
    page = show()
    observed = read(page, [address("accelerators", **c) for c in choices], "#ranking tbody [data-key]")
    priced = at_level = 0
    for choice, rows in zip(choices, observed, strict=True):
        expected = table_of(warehouse.execute(RANKING, choice))
        same(rows, expected, choice)
        priced += sum(row["n_sellers"] > 0 for row in expected.values())
        at_level += sum(row["usd_per_output_mtok_at_level"] is not None for row in expected.values())
        # those with a price level come first, by it
        levels = [row["usd_per_output_mtok_at_level"] for row in rows.values()]
        ranked = [usd for usd in levels if usd is not None]
        assert levels[: len(ranked)] == sorted(ranked), choice
    assert priced > 200 and at_level > 200


def test_accelerators_are_compared_at_the_sellers_of_both_as_in_the_command(show, built_home):
    page = show(settle=False)
    compared = 0
    for benchmark in ("deepseek-r1", "llama3.1-405b", "llama2-70b-99.9"):
        where = address("accelerators", benchmark=benchmark, scenario="Server")
        (rows,) = read(page, [where], "#ranking tbody [data-key]")
        for record in headlines(benchmark, "Server", database=built_home / "accelmart.duckdb").records():
            if record["apart_reason"]:  # in preview or research: named apart on the page, without rank
                assert record["accelerator_id"] not in rows
                continue
            mine = rows[record["accelerator_id"]]
            assert mine["n_same_sellers"] == record["n_same_sellers"], (benchmark, record["accelerator_id"])
            assert mine["same_seller_ratio"] == pytest.approx(record["same_seller_ratio"], rel=1e-9)
            compared += record["n_same_sellers"] is not None
    assert compared > 10


def test_results_in_other_units_are_not_ranked_as_tokens(show, warehouse):
    where = "#/accelerators?benchmark=resnet&scenario=Offline"
    page = show(where)
    (rows,) = read(page, [where], "#ranking tbody [data-key]")
    expected = warehouse.execute(
        """
        select accelerator_id, throughput_per_accelerator_max as throughput_max, throughput_per_accelerator_min as throughput_min
        from mart_inference_throughput inner join dim_release using (release)
        where dim_release.suite_kind = 'inference' and benchmark_id = 'resnet' and scenario = 'Offline'
            and division = 'closed' and suite = 'datacenter' and variant = 'standard' and result_unit = 'samples/s'
            and accelerator_id is not null and availability = 'available'
        qualify row_number() over (
            partition by accelerator_id order by throughput_per_accelerator_max desc, release_number desc
        ) = 1
        """
    )
    same(rows, table_of(expected), where)
    assert page.locator("#fig-cost").count() == 0
    assert "not in tokens" in page.inner_text("#view")


def test_the_evidence_of_a_bar_lists_all_its_results(show, warehouse):
    cells = warehouse.execute(
        """
        select benchmark_id, scenario, accelerator_id, n_results, throughput_per_accelerator_min,
            throughput_per_accelerator_median, throughput_per_accelerator_max
        from mart_inference_throughput
        where division = 'closed' and suite = 'datacenter' and variant = 'standard' and release = 'v5.1'
            and result_unit = 'tokens/s' and accelerator_id is not null and apart_reason is null
        order by all
        """
    ).fetchall()
    assert len(cells) > 30
    cells = random.Random(3).sample(cells, 12)
    page = show(settle=False)
    places = [
        address("accelerators", benchmark=b, scenario=s, round="v5.1", evidence=a) for b, s, a, *_ in cells
    ]
    shown_cells = read(
        page, places, "#evidence [data-key=throughput_per_accelerator], #ranking tbody [data-key]"
    )
    for (_, _, accelerator, n, low, middle, high), rows in zip(cells, shown_cells, strict=True):
        measured = sorted(
            r["throughput_per_accelerator"] for r in rows.values() if "throughput_per_accelerator" in r
        )
        assert len(measured) == n
        mine = rows[accelerator]
        assert (measured[0], measured[-1]) == pytest.approx((low, high))
        assert (mine["throughput_min"], mine["throughput_median"], mine["throughput_max"]) == pytest.approx(
            (low, middle, high)
        )


COMPONENTS = ["capital", "electricity", "colocation", "maintenance", "staff", "unavailability"]


def test_default_ownership_cost_equals_the_warehouse(show, warehouse):
    done = warehouse.execute(
        "select * exclude (assumption_ids) from mart_tco where is_default order by scenario_id, accelerator_id"
    )
    names = [column[0] for column in done.description]
    owned = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
    page = show("#/my-numbers")
    places = [
        address("my-numbers", accelerator=r["accelerator_id"], scenario=r["scenario_id"]) for r in owned
    ]
    selector = "#view [data-figure], #fig-components td[data-key=yours_usd_per_accelerator_hour]"
    for row, observed in zip(owned, read(page, places, selector), strict=True):
        for name in (
            "usd_per_accelerator_hour", "usd_per_utilised_accelerator_hour", "usd_per_useful_accelerator_hour",
            "power_and_space_share_pct",
        ):  # fmt: skip
            assert observed[""][name] == pytest.approx(row[name], rel=1e-6)
        for name in COMPONENTS:
            key = f"{name}_usd_per_accelerator_hour"
            assert observed[key]["yours_usd_per_accelerator_hour"] == pytest.approx(
                row[key], rel=1e-6, abs=1e-12
            )


def test_default_own_or_rent_figures_equal_the_warehouse(show, warehouse):
    rows = warehouse.execute(
        """
        select accelerator_id, scenario_id, pricing_model, rented_usd_per_accelerator_hour_min, break_even_utilisation_pct,
            months_to_break_even
        from mart_build_vs_rent
        qualify row_number() over (
            partition by accelerator_id, scenario_id, pricing_model order by rented_usd_per_accelerator_hour_min, offer_id
        ) = 1
        order by all
        """
    ).fetchall()
    page = show("#/my-numbers")
    places = [
        address("my-numbers", accelerator=a, scenario=s, pricing=p, rent=rent) for a, s, p, rent, *_ in rows
    ]
    for (*_, share, used), observed in zip(rows, read(page, places, "#view [data-figure]"), strict=True):
        assert observed[""]["break_even_utilisation_pct"] == pytest.approx(share, rel=1e-6)
        assert observed[""]["months_to_break_even"] == pytest.approx(used, rel=1e-6)


def test_both_pages_agree_on_own_or_rent_at_the_same_inputs(show):
    # without owner and level in the address both pages use the same defaults
    page = show(settle=False)
    (sellers,) = read(page, ["#/build-or-rent?pricing=on_demand"], "#fig-break-even tbody [data-key]")
    one_each = {row.split("|")[0]: figures for row, figures in sellers.items()}
    assert len(one_each) >= 8
    places = [
        address("my-numbers", accelerator=accelerator, rent=figures["rented_usd_per_accelerator_hour_min"])
        for accelerator, figures in one_each.items()
    ]
    for (accelerator, figures), observed in zip(
        one_each.items(), read(page, places, "#view [data-figure]"), strict=True
    ):
        numbers = observed[""]
        for key, other in (
            ("break_even_utilisation_pct", "break_even_utilisation_pct"),
            ("rented_usd_per_accelerator_hour", "rented_usd_per_accelerator_hour_min"),
            ("months_to_break_even", "months_to_break_even"),
        ):
            assert numbers[key] == pytest.approx(figures[other], rel=1e-9), (accelerator, key)


def test_both_pages_agree_on_the_rent_of_a_token(show, warehouse):
    """For every accelerator that has both, the ranked figure equals the default of My numbers."""
    page = show(settle=False)
    where = {"benchmark": "llama3.1-405b", "scenario": "Server"}
    (ranking,) = read(page, [address("accelerators", **where)], "#ranking tbody [data-key]")
    owned = {
        accelerator
        for (accelerator,) in warehouse.execute("select distinct accelerator_id from mart_tco").fetchall()
    }
    both = [a for a, row in ranking.items() if a in owned and row["usd_per_output_mtok_at_level"] is not None]
    assert len(both) >= 4
    levels = dict(
        warehouse.execute(
            "select accelerator_id, usd_per_accelerator_hour from mart_rental_price_level "
            "where pricing_model = 'on_demand' and as_of = newest_price_day()"
        ).fetchall()
    )
    places = [address("my-numbers", accelerator=a, benchmark="llama3.1-405b", mlperf="Server") for a in both]
    for accelerator, observed in zip(both, read(page, places, "#view [data-figure]"), strict=True):
        for name, expected in (
            ("rented_usd_per_output_mtok", ranking[accelerator]["usd_per_output_mtok_at_level"]),
            ("rented_usd_per_accelerator_hour", levels[accelerator]),
        ):
            assert observed[""][name] == pytest.approx(expected, rel=1e-9), accelerator


def test_no_text_shows_a_missing_value_and_no_range_is_flat(show):
    page = show(settle=False)
    for where in (
        "accelerators?benchmark=llama2-70b-99.9&scenario=Offline",
        "accelerators?benchmark=whisper&scenario=Offline&pricing=spot",
        "side-by-side?a=nvidia-l40s&b=nvidia-h100-sxm-80gb&c=nvidia-gb300-288gb",
        "my-numbers", "prices", "prices?across=reserved_1y", "choose", "build-or-rent?pricing=spot",
    ):  # fmt: skip
        go(page, f"#/{where}")
        words = set(re.findall(r"\w+", page.inner_text("#view")))
        assert not words & {"null", "undefined", "NaN", "Infinity"}, where
        for low, high in re.findall(r"(\$[\d.,]+) to (\$[\d.,]+)", page.inner_text("#view")):
            assert low != high, where


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
    assert reasons
    page = show(
        address(
            "accelerators", **dict(zip(("benchmark", "scenario", "round", "pricing"), where, strict=True))
        )
    )
    listed = {
        row.get_attribute("data-row"): row.inner_text() for row in page.locator("#unranked tbody tr").all()
    }
    assert listed.keys() >= reasons.keys()
    assert all(reason in listed[accelerator] for accelerator, reason in reasons.items())
    assert "accelmart refresh" in page.inner_text("#unranked")


def test_every_page_with_prices_shows_their_day(show, warehouse):
    ((day,),) = warehouse.execute("select newest_price_day()").fetchall()
    for where in ("accelerators", "serving", "prices", "build-or-rent", "my-numbers"):
        page = show(f"#/{where}", settle=False)
        assert f"Prices as of {day}" in page.inner_text("#prices-as-of")
        page.close()


def residual_share(months):
    """Middle of the published shares of the price, on the line between their months."""
    with (DBT_PROJECT_DIR / "seeds" / "residual_values.csv").open(encoding="utf-8") as file:
        seed = [
            (int(r["months"]), (float(r["low_pct"]) + float(r["high_pct"])) / 200)
            for r in csv.DictReader(file)
        ]
    (m0, v0), (m1, v1) = next(pair for pair in pairwise(seed) if pair[0][0] <= months <= pair[1][0])
    return v0 + (v1 - v0) * (months - m0) / (m1 - m0)


def worked_out(warehouse, s):
    """A second implementation: the annuity from the present value of its payments, tokens by SQL macros."""
    rate, years = s["cost_of_capital_pct"] / 100, s["depreciation_years"]
    worth_of_a_dollar_a_year = years if rate == 0 else -math.expm1(-years * math.log1p(rate)) / rate
    kw, hours = s["it_power_w"] / 1000, 8760
    parts = {
        "capital": s["capex_usd_per_accelerator"] / worth_of_a_dollar_a_year / hours,
        "electricity": kw * s["pue"] * s["electricity_usd_per_kwh"],
        "colocation": kw * s["colocation_usd_per_kw_month"] * 12 / hours,
        "maintenance": s["capex_usd_per_accelerator"] * s["maintenance_pct_of_capex_per_year"] / 100 / hours,
        "staff": s["staff_usd_per_accelerator_year"] / hours,
    }
    up, used, good = (s[name] / 100 for name in ("availability_pct", "utilisation_pct", "goodput_pct"))
    owned = sum(parts.values()) / up
    running = sum(parts.values()) - parts["capital"]
    ((own, rented, j, j_it, household),) = warehouse.execute(
        """
        select usd_per_output_mtok($owned, $tokens), usd_per_output_mtok($rent, $tokens), j_per_token($w, $pue, $tokens),
            j_per_token($w, 1, $tokens), tokens_per_household_year(j_per_token($w, $pue, $tokens))
        """,
        {"owned": owned, "rent": s["rent"], "tokens": s["tokens"], "w": s["it_power_w"], "pue": s["pue"]},
    ).fetchall()

    horizon = round(years * 12)

    def owned_over(months):
        """Purchase with interest less what is left of it at the end of the horizon or later, and running cost."""
        left = residual_share(max(months, horizon))
        return s["capex_usd_per_accelerator"] * ((1 + rate) ** (months / 12) - left) + running * months * 730

    def months(share):
        cheaper = (m for m in range(1, 121) if owned_over(m) <= s["rent"] * share * m * 730)
        return next(cheaper, None)

    return {
        "usd_per_accelerator_hour": owned,
        "usd_per_utilised_accelerator_hour": owned / used,
        "usd_per_useful_accelerator_hour": owned / used / good,
        "power_and_space_share_pct": (parts["electricity"] + parts["colocation"]) / sum(parts.values()) * 100,
        "owned_usd_per_output_mtok": own,
        "owned_usd_per_useful_output_mtok": own / used / good,
        "rented_usd_per_accelerator_hour": s["rent"],
        "rented_usd_per_output_mtok": rented,
        "rented_usd_per_useful_output_mtok": rented / used / good,
        "break_even_utilisation_pct": owned_over(horizon) / (s["rent"] * horizon * 730) * 100,
        "months_to_break_even_at_full_use": months(1),
        "months_to_break_even": months(used),
        "j_per_output_token": j,
        "j_per_output_token_before_pue": j_it,
        "output_tokens_per_household_year": household,
    }


RANGES = {
    "tokens": (5, 15000), "rent": (0.2, 12), "capex_usd_per_accelerator": (5000, 110000), "it_power_w": (200, 3500),
    "depreciation_years": (2, 8), "cost_of_capital_pct": (0, 25), "maintenance_pct_of_capex_per_year": (0, 12),
    "electricity_usd_per_kwh": (0.01, 0.4), "pue": (1, 2.2), "colocation_usd_per_kw_month": (0, 350),
    "staff_usd_per_accelerator_year": (0, 4000), "availability_pct": (60, 100), "utilisation_pct": (5, 100),
    "goodput_pct": (20, 100),
}  # fmt: skip


def test_my_numbers_equal_the_definitions_for_200_random_settings(show, warehouse):
    chance = random.Random(7)
    owned = warehouse.execute(
        "select distinct accelerator_id, scenario_id from mart_tco order by all"
    ).fetchall()
    settings = []
    for _ in range(SETTINGS):
        accelerator, scenario = chance.choice(owned)
        numbers = {name: round(chance.uniform(*bounds), 4) for name, bounds in RANGES.items()}
        if chance.random() < 0.1:
            numbers["cost_of_capital_pct"] = 0
        settings.append({"accelerator": accelerator, "scenario": scenario, **numbers})
    page = show("#/my-numbers")
    observed = read(page, [address("my-numbers", **setting) for setting in settings], "#view [data-figure]")
    never = 0
    for setting, figures in zip(settings, observed, strict=True):
        expected = worked_out(warehouse, setting)
        same(figures, {"": expected}, setting)
        assert figures[""].keys() == expected.keys()
        never += expected["months_to_break_even"] is None
    assert 0 < never < SETTINGS  # both sides of break-even occur


TABLES = {
    "build-or-rent?scenario=neocloud_giant&pricing=on_demand": (
        "#fig-break-even",
        """
        select accelerator_id || '|' || provider, break_even_utilisation_pct, owned_usd_per_accelerator_hour,
            rented_usd_per_accelerator_hour_min, months_to_break_even
        from mart_build_vs_rent where scenario_id = 'neocloud_giant' and pricing_model = 'on_demand'
        """,
    ),
    "build-or-rent?scenario=neocloud_giant&pricing=spot": (
        "#fig-break-even-at-level",
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
    "build-or-rent?baseline=nvidia-h100-sxm-80gb&workload=llama2-70b-99": (
        "#fig-perf-per-tco",
        """
        select concat_ws('|', accelerator_id, benchmark_id, scenario, release, result_unit), perf_per_tco_ratio,
            throughput_ratio, tco_ratio, n_results
        from mart_perf_per_tco
        where scenario_id = 'emerging_neocloud' and baseline_accelerator_id = 'nvidia-h100-sxm-80gb'
            and benchmark_id = 'llama2-70b-99' and is_default and perf_per_tco_ratio is not null
        """,
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
        """
        select concat_ws('|', accelerator_id, accelerator_count, release, submitter_id, number_format), gain_ratio, value,
            previous_value
        from mart_software_progress where suite_kind = 'training' and benchmark_id = 'llama2_70b_lora'
        """,
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
        "#fig-cost-to-train",
        """
        select result_id, score_minutes, accelerator_hours, accelerator_hours * 2.5 as cost_to_train_usd, accelerator_count
        from fct_training_result
        where benchmark_id = 'llama31_405b' and division = 'closed' and score_minutes is not null and accelerator_id is not null
        """,
    ),
    "training?benchmark=llama31_405b&pricing=on_demand": (
        "#fig-cost-to-train",
        """
        select result_id, accelerator_hours * coalesce(l.usd_per_accelerator_hour, l.usd_median_plain) as cost_to_train_usd
        from fct_training_result
        inner join mart_rental_price_level as l using (accelerator_id)
        where benchmark_id = 'llama31_405b' and division = 'closed' and score_minutes is not null
            and l.pricing_model = 'on_demand' and l.as_of = newest_price_day()
        """,
    ),
    "training?benchmark=gpt3": (
        "#fig-mfu",
        """
        select result_id, mfu_pct, bf16_equivalent_pct, trained_tokens_per_s_per_accelerator
        from fct_training_result
        where benchmark_id = 'gpt3' and division = 'closed' and bf16_equivalent_pct is not null
            and availability = 'available'
        """,
    ),
    "trained-tokens?benchmark=llama31_405b&accelerator=nvidia-h100-sxm-80gb": (
        "#fig-trained-by-scale",
        """
        select result_id, trained_tokens_per_s_per_accelerator, mfu_pct, owned_usd_per_trained_mtok,
            rented_usd_per_trained_mtok, j_per_trained_token_modelled
        from mart_trained_tokens where benchmark_id = 'llama31_405b' and accelerator_id = 'nvidia-h100-sxm-80gb'
        """,
    ),
    "trained-tokens": (
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
    "training?benchmark=llama2_70b_lora": (
        "#fig-scaling",
        """
        select result_id, throughput_scaling_efficiency * 100 as throughput_scaling_pct, scaling_efficiency * 100 as scaling_pct
        from mart_training_scaling where benchmark_id = 'llama2_70b_lora' and division = 'closed'
        """,
    ),
    "prices?accelerator=nvidia-h100-sxm-80gb&pricing=all": (
        "#fig-sellers",
        """
        select provider || '|' || pricing_model, usd_per_accelerator_hour_min, usd_per_accelerator_hour_median, n_offers, age_days
        from mart_price_current where accelerator_id = 'nvidia-h100-sxm-80gb' and segment is distinct from 'aggregate'
        """,
    ),
    "prices?across=on_demand": (
        "#fig-across",
        """
        select accelerator_id, usd_per_accelerator_hour, usd_per_accelerator_hour_low, usd_per_accelerator_hour_high,
            n_sellers, relative_to_h100, usd_cheapest, usd_median_plain, n_sellers_plain
        from mart_rental_price_level where pricing_model = 'on_demand' and as_of = newest_price_day()
        """,
    ),
    "prices?across=on_demand&pricing=all": (
        "#fig-clouds",
        """
        select provider || '|' || memory_group, factor, factor_low, factor_high, n_accelerators
        from mart_seller_price_level where pricing_model = 'on_demand' and as_of = newest_price_day()
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
    page = show(settle=False)
    for where, (figure, query) in TABLES.items():
        expected = table_of(warehouse.execute(query))
        assert len(expected) > 3, where
        (rows,) = read(page, [f"#/{where}"], f"{figure} tbody [data-key]")
        same(rows, expected, where)


def test_prices_over_time_equal_the_price_index(show, warehouse):
    """An accelerator with too few matched sellers has the reason in the place of the chart and its table."""
    page = show(settle=False)
    where = "#/prices?accelerator=nvidia-h100-sxm-80gb&pricing=all"
    (observed,) = read(page, [where], "#fig-price-index tbody [data-key]")
    expected = table_of(
        warehouse.execute(
            "select month || '|' || pricing_model, index, low, high, n_sellers, n_matched, tpd_check "
            "from mart_price_index where accelerator_id = 'nvidia-h100-sxm-80gb'"
        )
    )
    assert len(expected) > 15 and min(expected) < "2024-03"
    if any(row["index"] is not None for row in expected.values()):
        same(observed, expected, "price-index")
    else:
        assert "months needed have 3 matched sellers" in page.inner_text("#fig-price-index")
    read(page, ["#/prices?accelerator=amd-mi300x"], "#fig-price-index tbody [data-key]")
    assert "months needed have 3 matched sellers" in page.inner_text("#fig-price-index")


# --- pickers, sliders, addresses --------------------------------------------------------------------------------------


def figure_of(page, name):
    return float(page.locator(f"[data-figure={name}]").get_attribute("data-value"))


def test_a_choice_changes_the_address_and_back_restores_it(show):
    page = show()
    page.locator("#choose-benchmark").select_option("deepseek-r1")
    settled(page)
    assert "benchmark=deepseek-r1" in page.url and "deepseek-r1" in page.inner_text("#fig-cost h2").lower()
    page.locator("#choose-scenario").select_option("Offline")
    page.wait_for_timeout(50)
    shared = page.url
    page.locator("#choose-pricing").select_option("spot")
    page.wait_for_timeout(50)
    page.go_back()
    assert page.url == shared and page.locator("#choose-pricing").input_value() == "on_demand"
    page.go_back()
    assert page.locator("#choose-scenario").input_value() == "Server"
    # another reader opens the link and the evidence of the figure
    other = show(shared[shared.index("#") :])
    assert other.locator("#choose-benchmark").input_value() == "deepseek-r1"
    assert other.locator("#choose-scenario").input_value() == "Offline"
    other.locator("#ranking [data-row=nvidia-gb200-186gb]").get_by_role("button").click()
    other.wait_for_timeout(50)
    assert "evidence=nvidia-gb200-186gb" in other.url
    evidence = other.inner_text("#evidence")
    for words in ("Azure", "542,075", "7,529", "closed", "deepseek-r1", "Offline", "v6.1"):
        assert words in evidence
    assert other.locator("#evidence a[href^='https://github.com/mlcommons/']").count() >= 1
    assert other.evaluate("document.activeElement.id") == "evidence"


def test_a_click_on_a_bar_shows_the_evidence(show):
    page = show("#/accelerators?benchmark=deepseek-r1&scenario=Offline")
    page.locator("#fig-speed .chart svg .mark-rect path").first.click()
    page.wait_for_selector("#evidence")
    # the fastest available system: one in preview has no bar
    assert "evidence=nvidia-gb300-288gb" in page.url


def test_sliders_and_fields_move_the_figures(show):
    page = show("#/my-numbers?scenario=hyperscaler")
    before = figure_of(page, "usd_per_accelerator_hour")
    slider = page.locator("#choose-electricity_usd_per_kwh-slider")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    after = figure_of(page, "usd_per_accelerator_hour")
    assert "electricity_usd_per_kwh=0.06" in page.url
    # ten steps of a tenth of a cent, on 1.37 kW × PUE 1.15, ÷ availability 0.995
    assert after - before == pytest.approx(0.01 * 1.37 * 1.15 / 0.995, rel=1e-6)
    assert slider.evaluate("(element) => element === document.activeElement")  # the slider keeps the focus
    page.locator("#choose-rent").fill("2.5")
    assert figure_of(page, "rented_usd_per_accelerator_hour") == 2.5
    for name in ("electricity_usd_per_kwh", "rent"):
        page.locator(f"#control-{name}").get_by_role("button", name="default").click()
    assert figure_of(page, "usd_per_accelerator_hour") == before and page.url.endswith(
        "#/my-numbers?scenario=hyperscaler"
    )
    page.locator("#choose-capex_usd_per_accelerator").fill("50000")
    assert figure_of(page, "usd_per_accelerator_hour") > before
    # another accelerator has its own price
    page.locator("#choose-accelerator").select_option("nvidia-gb200-186gb")
    page.wait_for_timeout(50)
    assert "capex" not in page.url


@pytest.mark.parametrize("bad", ["0.5", "9", "-1"])
def test_impossible_input_is_refused_with_a_message(show, bad):
    page = show("#/my-numbers")
    before = figure_of(page, "usd_per_accelerator_hour")
    page.locator("#choose-pue").fill(bad)
    assert page.locator("#choose-pue").get_attribute("aria-invalid") is not None
    assert "not possible (from 1 to 5)" in page.inner_text("#choose-pue-help")
    assert figure_of(page, "usd_per_accelerator_hour") == before
    go(page, f"#/my-numbers?pue={bad}&accelerator=none")
    notices = page.inner_text("#notices")
    assert "PUE" in notices and "there is no “none” here" in notices
    assert figure_of(page, "usd_per_accelerator_hour") == before


def test_missing_data_is_stated(show, warehouse):
    benchmark, scenario = warehouse.execute(
        """
        from (select distinct benchmark_id, scenario from mart_token_throughput) as t
        anti join mart_cost_headline as h
            on t.benchmark_id = h.benchmark_id and t.scenario = h.scenario and h.pricing_model = 'marketplace'
            and (h.n_sellers > 0 or h.usd_per_output_mtok_at_level is not null)
        order by all limit 1
        """
    ).fetchone()
    page = show(address("accelerators", benchmark=benchmark, scenario=scenario, pricing="marketplace"))
    assert "No seller has a recent marketplace price" in page.inner_text("#fig-cost")
    assert "no price of this accelerator under this pricing model" in page.inner_text("#unranked")
    go(page, "#/accelerators?benchmark=mixtral-8x7b")
    assert "No measured result: no power was submitted" in page.inner_text("#fig-energy-measured")


def test_the_report_is_usable_with_the_keyboard(show):
    page = show()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "find-anything"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "theme"
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_timeout(50)
    settled(page)
    assert page.url.endswith(f"#/{PAGES[1]}") and page.evaluate("document.activeElement.id") == "main"


def test_printed_tables_are_open_and_text_is_dark(show):
    page = show(scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.data:not([open])").count() == 0
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.data:not([open])").count() > 0


def test_every_page_is_printed_on_three_sheets_at_most(show):
    page = show()
    sheets = {}
    for name in PAGES:
        go(page, f"#/{name}")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        printed = page.pdf(format="A4", margin=dict.fromkeys(("top", "bottom", "left", "right"), "10mm"))
        sheets[name] = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert min(sheets.values()) >= 1 and {name: n for name, n in sheets.items() if n > 3} == {}


def test_a_printed_table_that_is_cut_says_how_many_rows_there_are(show, warehouse):
    page = show("#/claims")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    table = page.locator("#fig-claims .scroll")
    ((claims,),) = warehouse.execute("select count(*) from mart_claim_check").fetchall()
    assert table.get_attribute("data-rows") == str(claims)
    note = table.evaluate("(element) => getComputedStyle(element, '::after').content")
    shown = [row for row in table.locator("tbody tr").all() if row.is_visible()]
    assert note.startswith(f'"The first {len(shown)} of ') and 0 < len(shown) < claims
    page.emulate_media(media="screen")
    assert all(row.is_visible() for row in table.locator("tbody tr").all())


# "not measured" is not a verdict and not drawn
VERDICT_COLOURS = {
    "Holds": "rgb(0, 158, 115)", "Overstated": "rgb(213, 94, 0)", "Understated": "rgb(0, 114, 178)",
    "Refuted": "rgb(136, 34, 85)", "Not comparable": "rgb(58, 58, 58)",
}  # fmt: skip


@pytest.mark.parametrize("chosen", ["", "?verdict=overstated", "?verdict=holds", "?verdict=refuted"])
def test_a_verdict_keeps_its_colour_and_only_holds_is_green(show, chosen):
    page = show(f"#/claims{chosen}")
    shown = page.evaluate(
        """
        () => [...document.querySelectorAll("#fig-claims svg [aria-roledescription=point]")].map((mark) => [
            mark.getAttribute("aria-label"), getComputedStyle(mark).fill,
        ])
        """
    )
    assert shown
    for label, fill in shown:
        (verdict,) = [
            name for name in VERDICT_COLOURS if f"group: {name}" in label or f"basis: {name}." in label
        ]
        assert fill == VERDICT_COLOURS[verdict], label
    # the table names the verdict in words
    marks = page.locator("#fig-claims td .verdict").all_inner_texts()
    assert marks and {mark.strip() for mark in marks} <= {*VERDICT_COLOURS, "No data"}


def test_findings_show_agreements_contradictions_and_gaps(show, warehouse):
    page = show("#/findings")
    headings = page.locator("#view h2").all_inner_texts()
    for heading in ("Agreement", "Agreement and contradiction", "Contradiction", "Gaps"):
        assert heading in headings
    rows = warehouse.execute("select finding_id, finding, contradiction from mart_findings").fetchall()
    shown = {row: page.locator(f"section.finding[data-row={row}]").inner_text() for row, *_ in rows}
    for finding_id, finding, contradiction in rows:
        assert finding in shown[finding_id]
        assert ("They contradict" in shown[finding_id]) == (contradiction is not None)


# --- downloads --------------------------------------------------------------------------------------------------------


def downloaded(page, figure, form):
    with page.expect_download() as coming:
        page.locator(f"{figure} [data-save={form}]").click()
    return coming.value.suggested_filename, Path(coming.value.path()).read_bytes()


def test_a_chart_can_be_downloaded_as_picture_and_as_csv(show, warehouse):
    # Chromium saves a picture of a page that was used before only seconds later
    page = show("#/accelerators?benchmark=deepseek-r1&scenario=Offline", is_new=True)
    name, png = downloaded(page, "#fig-speed", "png")
    assert name == "accelmart-speed.png" and png[:8] == b"\x89PNG\r\n\x1a\n" and len(png) > 10_000
    name, raw = downloaded(page, "#fig-speed", "csv")
    rows = {row["accelerator_id"]: row for row in csv.DictReader(io.StringIO(raw.decode("utf-8-sig")))}
    expected = dict(
        warehouse.execute(
            "select accelerator_id, output_tokens_per_s_per_accelerator from mart_token_throughput "
            "where benchmark_id = 'deepseek-r1' and scenario = 'Offline' and is_representative"
        ).fetchall()
    )
    assert {key: float(row["throughput_max"]) for key, row in rows.items()} == expected
    name, svg = downloaded(page, "#fig-speed", "svg")
    words = " ".join(ET.fromstring(svg).itertext())
    fastest = math.floor(max(expected.values()) + 0.5)  # the page rounds halves up
    assert name == "accelmart-speed.svg" and f"{fastest:,}" in words and "not verified by MLCommons" in words
    assert all(row["best_result_id"] for row in rows.values())


# --- strings of upstream ------------------------------------------------------------------------------------------------

MARKUP, FORMULA, TURNED, COMMENT, BRACES = HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "=cmd|'/c calc'!A1",
    "\u202e+evil\u202c <b>bold</b>",
    "<!--<script>alert(1)//\u2028",
    "{{7*7}} ${7*7} %value% &lt;i&gt;",
)
SCRIPT_LINK = "JaVaScRiPt:alert(1)"
DATA_LINK = "data:text/html,<script>alert(1)</script>"
DOCTORED = {
    "fct_inference_result": {
        "submitter": MARKUP, "system_name": FORMULA, "notes": TURNED, "software": BRACES, "source_url": SCRIPT_LINK,
    },
    "fct_training_result": {"submitter": MARKUP, "system_name": FORMULA, "notes": TURNED, "source_url": SCRIPT_LINK},
    "mart_training_scaling": {"submitter": MARKUP},
    "mart_energy": {"submitter": MARKUP, "system_name": FORMULA, "source_url": DATA_LINK},
    "dim_provider": {"provider_name": MARKUP},
    "dim_accelerator": {"product_name": MARKUP},
    "mart_price_current": {"best_instance_type": FORMULA, "best_region": MARKUP, "best_source_url": SCRIPT_LINK},
    "mart_measurement_check": {"submitter": MARKUP, "known_causes": FORMULA, "source_url": SCRIPT_LINK},
    "mart_serving_frontier": {"workload": MARKUP, "framework": COMMENT, "source": FORMULA, "source_url": SCRIPT_LINK},
    "mart_claim_check": {
        "statement_short": MARKUP, "reason": COMMENT, "claimed_by": FORMULA, "source_url": SCRIPT_LINK,
    },
    "mart_published_tables": {"cause_note": MARKUP, "model": COMMENT, "source_url": DATA_LINK},
    "ops_reject": {"problem": MARKUP, "payload_member": FORMULA, "remedy": COMMENT},
}  # fmt: skip


@pytest.fixture(scope="module")
def doctored(built_home, tmp_path_factory):
    """The report of a warehouse whose upstream strings are attacks: markup, scripts, formulas."""
    from warehouse.report import write_report

    folder = tmp_path_factory.mktemp("doctored")
    database = folder / "accelmart.duckdb"
    shutil.copy(built_home / "accelmart.duckdb", database)
    with duckdb.connect(str(database)) as db:
        for table, values in DOCTORED.items():
            db.execute(
                f"update {table} set {', '.join(f'{name} = ?' for name in values)}", list(values.values())
            )
    write_report(database, folder / "report.html")
    return folder / "report.html"


def test_upstream_strings_are_text_on_every_page(browser, doctored):
    with shown(browser, doctored) as opener:
        page = opener()
        for name in [*PAGES, "accelerators?evidence=nvidia-b200-sxm-180gb", "training?benchmark=gpt3"]:
            go(page, f"#/{name}")
            assert (
                page.locator("main img, main :not(.in-sight span) > b, main i, main script").count() == 0
            ), name
            schemes = page.evaluate("[...new Set([...document.links].map((link) => link.protocol))]")
            assert set(schemes) <= {"https:", "http:", "file:"}, name
        go(page, "#/accelerators?evidence=nvidia-b200-sxm-180gb")
        cells = page.evaluate(
            "[...document.querySelectorAll('#evidence bdi')].map((cell) => cell.textContent)"
        )
        assert {MARKUP, FORMULA, TURNED, BRACES} <= set(cells)
        go(page, "#/claims")
        assert MARKUP in page.evaluate("document.querySelector('#fig-claims tbody').textContent")
        # in a chart and its tooltip too
        assert MARKUP in page.evaluate("document.querySelector('#fig-claims svg').textContent")
        page.locator("#fig-claims .chart svg .mark-symbol path").first.hover()
        page.wait_for_selector("#tooltip:not([hidden])")
        assert MARKUP in page.inner_text("#tooltip")
        assert page.locator("#tooltip img").count() == 0


def test_upstream_strings_are_not_formulas_in_csv(browser, doctored):
    with shown(browser, doctored) as opener:
        _, raw = downloaded(opener("#/training?benchmark=gpt3"), "#fig-mfu", "csv")
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    assert rows
    for row in rows:
        assert (row["system_name"], row["notes"], row["submitter"]) == (f"'{FORMULA}", f"'{TURNED}", MARKUP)


def test_upstream_strings_cannot_end_the_data_element(doctored):
    from warehouse.report.page import as_data_block

    text = doctored.read_text(encoding="utf-8")
    data = text.split('id="data">')[1].split("</script>")[0]
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", data)
    assert MARKUP in json.dumps(json.loads(gzip.decompress(base64.b64decode(data))), ensure_ascii=False)
    assert text.count("</script>") == 4  # data, charts, Vega, and the script of the page
    for words in HOSTILE:
        block = as_data_block({"x": words})
        assert not set(block) & set("<>&\u2028\u2029") and json.loads(block) == {"x": words}


def test_upstream_strings_pass_parser_and_models_unchanged(built_home, warehouse):
    from ingest.mlperf.published import parse_summary

    entry = {
        "ID": "5.1-9999", "Submitter": MARKUP, "Category": "closed", "Suite": "datacenter", "System": FORMULA, "Platform": "p",
        "UsedModel": "llama2-70b-99", "Model": "llama2-70b-99", "Performance_Result": 1.0, "Performance_Units": "Tokens/s",
        "Nodes": 1, "a#": 8, "Accelerator": COMMENT, "Processor": "x", "Software": BRACES, "Notes": TURNED,
        "Scenario": "Offline", "Location": "closed/x/results/p/llama2-70b-99/Offline", "version": "v5.1",
    }  # fmt: skip
    (row,) = parse_summary(json.dumps([entry]).encode(), where="summary_results.json", release="v5.1").rows
    assert (row.submitter, row.system_name, row.notes, row.software) == (MARKUP, FORMULA, TURNED, BRACES)
    # the models publish every real string unchanged
    parsed = warehouse.execute(
        "select count(*), count(distinct system_name), count(distinct notes) from staging.stg_mlperf_inference__results"
    ).fetchone()
    assert parsed[0] > 30_000 and min(parsed[1:]) > 100
    for published, column in (
        ("submitter", "submitter_published"),
        ("system_name", "system_name"),
        ("notes", "notes"),
        ("software", "software"),
    ):
        changed = warehouse.execute(
            f"select {published} from fct_inference_result where {published} is not null "
            f"except select {column} from staging.stg_mlperf_inference__results"
        ).fetchall()
        assert changed == [], published


# --- written by every publication ----------------------------------------------------------------------------------------


@pytest.fixture
def home(built_home, tmp_path):
    """An installation with only a published warehouse."""
    shutil.copy(built_home / "accelmart.duckdb", tmp_path / "accelmart.duckdb")
    return tmp_path


def test_every_build_writes_the_report_of_its_generation(built_home, warehouse):
    from warehouse.output_state import report_of

    ((generation,),) = warehouse.execute("select generation_id from ops_generation").fetchall()
    assert report_of(built_home / "report.html") == generation
    kept = built_home / "generations" / f"{generation}.html"
    assert (built_home / "report.html").read_bytes() == kept.read_bytes()


def test_the_report_command_prints_the_path_and_writes_a_missing_report(built_home, home, monkeypatch):
    from typer.testing import CliRunner

    from accelmart.errors import EXIT_NO_WAREHOUSE, CommandFailedError
    from orchestration.cli import app

    def command(of, *arguments):
        monkeypatch.setenv("ACCELMART_HOME", str(of))
        return CliRunner().invoke(app, ["report", *map(str, arguments)])

    done = command(built_home)
    assert done.exit_code == 0 and done.stdout.startswith(f"{built_home}/report.html: generation ")
    done = command(home)
    assert done.exit_code == 0, done.output
    assert (home / "report.html").read_bytes() == (built_home / "report.html").read_bytes()
    (home / "copies").mkdir()
    done = command(home, "--to", home / "copies")
    assert done.exit_code == 0
    assert (home / "copies" / "report.html").read_bytes() == (home / "report.html").read_bytes()
    error = command(home / "copies").exception
    assert isinstance(error, CommandFailedError) and error.exit_code == EXIT_NO_WAREHOUSE


def test_a_rollback_restores_the_report(home):
    from warehouse.home import Home
    from warehouse.output_state import report_of
    from warehouse.publish import read_generation, write_publication
    from warehouse.report import place_report

    there = Home(home, str(home / "landing"))
    first = place_report(there)
    gone = there.generations / "20200101T000000-000000.html"
    gone.write_text("of a generation that is gone", encoding="utf-8")
    other = there.generations / "20990101T000000-ffffff.duckdb"
    shutil.copyfile(there.published, other)
    with duckdb.connect(str(other)) as db:
        db.execute("update ops_generation set generation_id = '20990101T000000-ffffff'")
    write_publication(there, read_generation(other))
    second = place_report(there)
    assert second.generation_id == "20990101T000000-ffffff" == report_of(there.report)
    assert not gone.exists()
    assert first.generation_id != second.generation_id


def test_a_failing_report_does_not_stop_the_publication(built_home, home):
    from warehouse import dbt
    from warehouse.build import publish_build
    from warehouse.build_folder import Build
    from warehouse.home import Home
    from warehouse.output_state import report_of
    from warehouse.publish import read_generation

    there = Home(home, str(home / "landing"))
    build = Build(there.builds / "current")
    build.folder.mkdir(parents=True)
    for name in (dbt.PARSED, dbt.MANIFEST):
        (build.target / name).parent.mkdir(exist_ok=True)
        (build.target / name).write_bytes(b"{}")
    shutil.copy(home / "accelmart.duckdb", build.database)
    build.database.chmod(0o644)
    with duckdb.connect(str(build.database)) as db:
        db.execute(
            "update ops_generation set previous_generation_id = generation_id, generation_id = '20990101T000000-ffffff'"
        )
        # the report needs this mart
        db.execute("drop table mart_claim_check")
    done = publish_build(there, build, keep=3)
    assert read_generation(home / "accelmart.duckdb").generation_id == "20990101T000000-ffffff"
    assert report_of(home / "report.html") != "20990101T000000-ffffff"
    (problem,) = done.problems
    assert problem.startswith("The report of the published generation was not made (NoReportError")
    assert "mart_claim_check" in problem


def test_the_shipped_charts_are_valid_vega_lite_and_those_of_the_code():
    from warehouse.report.charts import PACKED, specs

    made = specs(validate=True)
    assert len(made) == 10
    assert json.loads(PACKED.read_text(encoding="utf-8")) == made, "make state writes them again"


def test_the_shipped_script_is_that_of_the_installed_vega():
    from warehouse.report.vega import make_vega_script, vega_script

    assert vega_script() == make_vega_script(), "make state packs it again"
