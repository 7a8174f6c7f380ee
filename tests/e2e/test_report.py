"""Every page of the report: layout, accessibility, addresses, print, downloads, strings of upstream."""
# ruff: noqa: F811  fixtures of the other module are arguments here

import base64
import csv
import gzip
import io
import json
import math
import os
import re
import shutil
import xml.etree.ElementTree as ET

import duckdb
import pytest
from report_pages import (  # noqa: F401
    CHROMIUM,
    PAGES,
    PLACES,
    address,
    axe_playwright,
    browser,
    download,
    go,
    open_report,
    read,
    report,
    show,
    table,
)

from accelmart.opening import open_file
from warehouse.outputs.report import datasets, write_report
from warehouse.outputs.report.vega import make_vega_script, vega_script

MAX_BYTES = 1_900_000
B200 = "nvidia-b200-sxm-180gb"


# Texts that lie over each other, over a line or a point of a chart, or outside of their chart or the screen.
OVERLAPS = """
() => {
    const found = [];
    const say = (kind, ...texts) => found.push([kind, ...texts.map((text) => text.slice(0, 60))].join(" | "));
    const inside = (box) => ({ left: box.left + 1, right: box.right - 1, top: box.top + 2, bottom: box.bottom - 2 });
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    for (const svg of document.querySelectorAll(".chart svg")) {
        const frame = svg.closest(".chart").getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent && getComputedStyle(text).opacity !== "0")
            .map((text) => ({ text: text.textContent, box: inside(text.getBoundingClientRect()) }));
        const marks = [...svg.querySelectorAll(".mark-rule line, .mark-symbol path, .mark-rect path")]
            .filter((mark) => !mark.closest(".role-legend, .role-axis-tick") && !/background/.test(mark.getAttribute("class") ?? ""))
            .filter((mark) => mark.closest("[class*=layer], [class*=marks], .role-axis-grid"))
            .map((mark) => mark.getBoundingClientRect()).filter((box) => box.width + box.height > 0);
        texts.forEach(({ text, box }, i) => {
            if (box.left < frame.left - 2 || box.right > frame.right + 2) say("cut", text);
            for (const other of texts.slice(i + 1)) if (meet(box, other.box)) say("texts", text, other.text);
            if (marks.some((mark) => meet(box, mark))) say("mark", text);
        });
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const lines = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.textContent.trim() || parent.closest("script, style, noscript, svg, table, select, .pages, .unseen, .skip, #tooltip, [hidden]")) continue;
        if (!parent.checkVisibility()) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) if (box.width > 1) lines.push({ node, text: node.textContent, box: inside(box) });
    }
    lines.sort((a, b) => a.box.top - b.box.top);
    lines.forEach((line, i) => {
        if (line.box.right > innerWidth + 1) say("beyond the screen", line.text);
        for (let k = i + 1; k < lines.length && lines[k].box.top < line.box.bottom; k += 1) {
            if (lines[k].node !== line.node && meet(line.box, lines[k].box)) say("texts of the page", line.text, lines[k].text);
        }
    });
    for (const cell of document.querySelectorAll("main td, main th")) {
        if (cell.scrollWidth > cell.clientWidth + 1) say("cell", cell.textContent);
    }
    return found;
}
"""


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_overlaps_on_any_page_and_each_states_where_it_is_from(show, warehouse, width):
    ((generation,),) = warehouse.execute("select generation_id from ops_generation").fetchall()
    page = show(width=width)
    titles, overlaps = set(), {}
    for place, names in PLACES.items():
        for name in names:
            go(page, f"#/{name}")
            titles.add(page.inner_text("h1"))
            assert page.locator(".places [aria-current]").inner_text() == place
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            text = page.inner_text("#view")
            assert not set(re.findall(r"\w+", text)) & {"null", "undefined", "NaN", "Infinity"}, name
            for low, high in re.findall(r"(\$[\d.,]+) to (\$[\d.,]+)", text):
                assert low != high, name
            stated = page.inner_text(".provenance")
            assert generation in stated and "Derived; not verified by MLCommons Association" in stated
            assert (
                page.locator(".figure:has(.chart)").count()
                == page.locator(".figure:has(.chart) table").count()
            )
            if found := page.evaluate(OVERLAPS):
                overlaps[name] = found
    assert overlaps == {}
    assert len(titles) == len(PAGES)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_reports_no_accessibility_problem(show, scheme):
    page = show(scheme=scheme)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    axe = axe_playwright.Axe()
    page.evaluate(axe.axe_script)
    violations = {}
    for name in [*PAGES, f"accelerators?evidence={B200}"]:
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
    """`make screenshots` keeps the pictures of the README and of docs/report.md."""
    page = show()
    for name, where in (("report", "#/accelerators"), ("report-prices", "#/prices"), ("report-side-by-side", "#/side-by-side")):  # fmt: skip
        page.set_viewport_size({"width": 1280, "height": 960})
        go(page, where)
        picture = page.screenshot(path=tmp_path / f"{name}.png")
        assert len(picture) > 40_000, "an empty page"
        if folder := os.environ.get("SCREENSHOTS"):
            shutil.copy(tmp_path / f"{name}.png", folder)


def test_without_javascript_the_first_table_is_there(browser, report, built_home):
    with open_file(built_home / "accelmart.duckdb") as db:
        rows = datasets.read_first_table(db)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    shown = page.locator("noscript tbody tr").all_inner_texts()
    assert len(shown) == len(rows) >= 4
    for row, text in zip(rows, shown, strict=True):
        assert row["accelerator"] in text and f"${row['usd']:.2f}" in text and row["release"] in text
    assert str(rows[0]["price_as_of"]) in page.inner_text("noscript")
    context.close()


# the words of buyers, and the page that answers each
SEARCHED = {
    "Europe": "offers?place=europe",
    "electricity": "electricity",
    "carbon": "electricity",
    "CO2": "electricity",
    "coreweave": "offers?seller=coreweave&pricing=all",
    "NVIDIA claims": "claims?by=NVIDIA",
    "B200 vs H100": f"side-by-side?a={B200}&b=nvidia-h100-sxm-80gb",
    "rent or own": "build-or-rent",
    "H100": "prices?accelerator=nvidia-h100-sxm-80gb",
    "deepseek": "accelerators?benchmark=deepseek-r1",
    "TPU": "alternatives?asked=TPU",
    "spot": "price-levels?pricing=spot",
    "how wrong": "how-wrong",
    "A100": "prices?accelerator=nvidia-a100-sxm-80gb",
    "megawatt": "power",
    "Qwen 72B": "accelerators?asked=Qwen+72B",
}


def test_the_search_leads_from_every_word_of_a_buyer_to_its_page(show):
    page = show("#/health")
    reached = {}
    for i, word in enumerate(SEARCHED):
        page.keyboard.press("/" if i % 2 else "Control+k")
        page.get_by_role("combobox", name="Search").fill(word)
        page.keyboard.press("Enter")
        page.wait_for_selector("#palette", state="hidden")
        reached[word] = page.evaluate("location.hash").removeprefix("#/")
        go(page, "")
    assert reached == SEARCHED
    # the last one was not measured: the nearest size stands for it, and says so
    assert "was not measured" in page.inner_text("#nearest") and "69 billion" in page.inner_text("#nearest")
    page.locator("#search").click()
    page.get_by_role("combobox", name="Search").fill("no such thing")
    assert page.inner_text("#matches") == "Nothing matches."
    page.keyboard.press("Escape")


@pytest.mark.parametrize("width", [1024, 390])
def test_tables_are_no_wider_than_their_window(show, width):
    page = show(width=width)
    wide = """() => [...document.querySelectorAll(".scroll")]
        .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.closest("section").id)"""
    assert {name: found for name in PAGES if (found := go(page, f"#/{name}") or page.evaluate(wide))} == {}
    go(page, "#/offers")
    first = page.locator("#fig-offers tbody tr").first
    titles = first.locator("td[data-title]").evaluate_all(
        "(cells) => cells.map((cell) => cell.dataset.title)"
    )
    assert {"$ an hour", "Seller", "Age"} <= set(titles) and "$" in first.inner_text()
    first.get_by_role("button").click()
    assert page.locator("#fig-offers .details").first.is_visible()


def test_the_content_security_policy_blocks_inserted_scripts_and_pictures(browser, report):
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


def test_a_choice_changes_the_address_and_back_restores_it(show):
    page = show()
    page.locator("#choose-benchmark").select_option("deepseek-r1")
    go(page, "")
    assert "benchmark=deepseek-r1" in page.url and "deepseek-r1" in page.inner_text("#fig-answer h2").lower()
    page.locator("#choose-scenario").select_option("Offline")
    page.wait_for_timeout(50)
    shared = page.url
    page.locator("#choose-pricing").select_option("spot")
    page.wait_for_timeout(50)
    page.go_back()
    assert page.url == shared and page.locator("#choose-pricing").input_value() == "on_demand"
    # another reader opens the link and the evidence of the figure
    other = show(shared[shared.index("#") :])
    assert other.locator("#choose-scenario").input_value() == "Offline"
    other.locator("#fig-answer tr[data-row=nvidia-gb200-186gb]").get_by_role("button").click()
    other.locator("#fig-answer dl[data-row=nvidia-gb200-186gb]").get_by_role("button").click()
    other.wait_for_timeout(50)
    assert "evidence=nvidia-gb200-186gb" in other.url
    evidence = other.text_content("#evidence")
    for words in ("Azure", "542,075", "7,529", "closed", "deepseek-r1", "Offline", "v6.1"):
        assert words in evidence
    assert other.locator("#evidence a[href^='https://github.com/mlcommons/']").count() >= 1
    assert other.evaluate("document.activeElement.id") == "evidence"


def test_impossible_input_is_refused_with_a_message(show):
    page = show("#/my-numbers")
    page.locator("#controls summary").click()
    before = page.locator("[data-figure=usd_per_accelerator_hour]").get_attribute("data-value")
    page.locator("#choose-pue").fill("0.5")
    assert page.locator("#choose-pue").get_attribute("aria-invalid") is not None
    go(page, "#/my-numbers?pue=0.5&accelerator=none")
    notices = page.inner_text("#notices")
    assert "PUE" in notices and "there is no “none” here" in notices
    assert page.locator("[data-figure=usd_per_accelerator_hour]").get_attribute("data-value") == before


def test_the_report_is_usable_with_the_keyboard(show):
    page = show()
    for focused in ("skip", "search", "theme"):
        page.keyboard.press("Tab")
        assert focused in page.evaluate("[document.activeElement.className, document.activeElement.id]")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_timeout(50)
    go(page, "")
    assert page.url.endswith("#/prices") and page.evaluate("document.activeElement.id") == "main"


def test_a_page_is_printed_dark_on_light_and_says_what_a_long_table_leaves_out(show):
    page = show("#/claims", scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.data:not([open])").count() == 0
    page.emulate_media(media="print")
    assert page.locator(".places").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    cut = page.locator("#fig-claims .scroll")
    note = cut.evaluate("(element) => getComputedStyle(element, '::after').content")
    shown = [row for row in cut.locator("tbody tr").all() if row.is_visible()]
    assert note.startswith(f'"The first {len(shown)} of ') and len(shown) > 0


def test_a_chart_can_be_downloaded_as_picture_and_as_csv(show, warehouse):
    page = show("#/accelerators?benchmark=deepseek-r1&scenario=Offline")
    name, png = download(page, "#fig-answer", "png")
    assert name == "accelmart-answer.png" and png[:8] == b"\x89PNG\r\n\x1a\n" and len(png) > 10_000
    _, raw = download(page, "#fig-answer", "csv")
    rows = {row["accelerator_id"]: row for row in csv.DictReader(io.StringIO(raw.decode("utf-8-sig")))}
    expected = dict(
        warehouse.execute(
            "select accelerator_id, output_tokens_per_s_per_accelerator from mart_token_throughput "
            "where benchmark_id = 'deepseek-r1' and scenario = 'Offline' and is_representative"
        ).fetchall()
    )
    assert {key: float(row["throughput_max"]) for key, row in rows.items()} == pytest.approx(
        expected, rel=1e-8
    )
    _, svg = download(page, "#fig-answer", "svg")
    words = " ".join(ET.fromstring(svg).itertext())
    fastest = math.floor(max(expected.values()) + 0.5)  # the page rounds halves up
    assert f"{fastest:,}" in words and "not verified by MLCommons" in words


MARKUP, FORMULA, TURNED, COMMENT, BRACES = (
    "</script><img src=x onerror=alert(1)>",
    "=cmd|'/c calc'!A1",
    "\u202e+evil\u202c <b>bold</b>",
    "<!--<script>alert(1)//\u2028",
    "{{7*7}} ${7*7} %value% &lt;i&gt;",
)
# the page and its CSV files are without control characters
CONTROLLED = f"\0\x1b{FORMULA}\x9b"
SCRIPT_LINK = "JaVaScRiPt:alert(1)"
DATA_LINK = "data:text/html,<script>alert(1)</script>"
DOCTORED = {
    "fct_inference_result": {
        "submitter": MARKUP, "system_name": CONTROLLED, "notes": TURNED, "software": BRACES, "source_url": SCRIPT_LINK,
    },
    "fct_training_result": {"submitter": MARKUP, "system_name": CONTROLLED, "notes": TURNED, "source_url": SCRIPT_LINK},
    "mart_training_scaling": {"submitter": MARKUP},
    "mart_energy": {"submitter": MARKUP, "system_name": FORMULA, "source_url": DATA_LINK},
    "dim_provider": {"provider_name": MARKUP},
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
    folder = tmp_path_factory.mktemp("doctored")
    database = folder / "accelmart.duckdb"
    shutil.copy(built_home / "accelmart.duckdb", database)
    with duckdb.connect(str(database)) as db:
        for name, values in DOCTORED.items():
            db.execute(
                f"update {name} set {', '.join(f'{column} = ?' for column in values)}", list(values.values())
            )
        # the first word is that of a family, which a page asks for
        db.execute(
            "update dim_accelerator set product_name = split_part(product_name, ' ', 1) || ' ' || ?", [MARKUP]
        )
    write_report(database, folder / "report.html")
    return folder / "report.html"


def test_upstream_strings_are_text_on_every_page(browser, doctored):
    elements = "main img, main b, main i, main script"
    with open_report(browser, doctored) as opener:
        page = opener()
        evidence = f"accelerators?evidence={B200}"
        for name in [*PAGES, evidence, "training?benchmark=gpt3"]:
            go(page, f"#/{name}")
            assert page.locator(elements).count() == 0, name
            schemes = page.evaluate("[...new Set([...document.links].map((link) => link.protocol))]")
            assert set(schemes) <= {"https:", "http:", "file:"}, name
        go(page, f"#/{evidence}")
        assert {MARKUP, FORMULA, TURNED, BRACES} <= {*page.locator("#evidence bdi").all_text_contents()}
        # in a chart and its tooltip too
        go(page, "#/claims")
        assert MARKUP in page.evaluate("document.querySelector('#fig-claims svg').textContent")
        page.locator("#fig-claims .chart svg .mark-symbol path").first.hover()
        page.wait_for_selector("#tooltip:not([hidden])")
        assert MARKUP in page.inner_text("#tooltip") and page.locator("#tooltip img").count() == 0


def test_upstream_strings_are_not_formulas_in_csv(browser, doctored):
    with open_report(browser, doctored) as opener:
        _, raw = download(opener("#/training?benchmark=gpt3"), "#fig-by-size", "csv")
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    assert rows
    for row in rows:
        assert (row["system_name"], row["notes"], row["submitter"]) == (f"'{FORMULA}", f"'{TURNED}", MARKUP)


def test_embedded_data_equal_the_data_sets_and_cannot_end_their_element(report, doctored, built_home):
    assert report.stat().st_size <= MAX_BYTES
    for path, database in (
        (report, built_home / "accelmart.duckdb"),
        (doctored, doctored.with_name("accelmart.duckdb")),
    ):
        text = path.read_text(encoding="utf-8")
        data = text.split('id="data">')[1].split("</script>")[0]
        assert re.fullmatch(r"[A-Za-z0-9+/]+=*", data)
        plain = json.loads(gzip.decompress(base64.b64decode(data)))
        with open_file(database) as db:
            assert plain == json.loads(json.dumps(datasets.read(db)))
        assert text.count("</script>") == 3  # data, Vega, and the script of the page


def test_the_shipped_script_is_that_of_the_installed_vega():
    assert vega_script() == make_vega_script(), "make vega packs it again"
