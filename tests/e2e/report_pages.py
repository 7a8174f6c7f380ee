"""The report in a headless browser: fixtures and helpers of its tests.

Figures are read from the page: `data-value` has the exact number of a cell.
"""

from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PLACES = {
    "Choose": [
        "accelerators",
        "choose",
        "power",
        "keep-or-sell",
        "side-by-side",
        "alternatives",
        "my-numbers",
        "train",
    ],
    "Prices": ["prices", "price-levels", "offers", "tokens", "electricity", "build-or-rent"],
    "Performance": ["progress", "training", "serving"],
    "Evidence": ["claims", "findings", "published", "how-wrong", "health"],
}
PAGES = [page for pages in PLACES.values() for page in pages]

# loads addresses inside the page and reads the cells of one selector, without drawing charts
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


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM.exists():
        pytest.skip(f"there is no {CHROMIUM}")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def report(built_home):
    return built_home / "report.html"


@pytest.fixture
def show(browser, report):
    """Open a page of the report; fail on console errors and on network requests."""
    with open_report(browser, report) as opener:
        yield opener


@contextmanager
def open_report(browser, path):
    complaints, requests, opened = [], [], []

    def opener(address="#/accelerators", *, width=1280, scheme="light"):
        page = browser.new_page(
            viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        opened.append(page)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{path.as_uri()}{address}")
        # the page shows nothing and follows no address before its data are unpacked
        page.wait_for_selector("html[data-charts]", state="attached")
        go(page, "")
        return page

    yield opener
    for page in opened:
        page.close()
    assert complaints == []
    assert [url for url in requests if not url.startswith((path.as_uri(), "data:", "blob:"))] == []


def go(page, where):
    """Navigate inside the page, if there is an address, and wait until the charts are drawn."""
    page.evaluate(SETTLED, where)


def address(page, **chosen):
    query = urlencode({key: value for key, value in chosen.items() if value is not None})
    return f"#/{page}?{query}" if query else f"#/{page}"


def read(page, addresses, selector):
    """Return {row: {key: exact value}} for each address."""
    observed = []
    for cells in page.evaluate(READ, [addresses, selector]):
        rows = {}
        for row, key, value, _ in cells:
            rows.setdefault(row, {})[key] = value
        observed.append(rows)
    return observed


def table(page, selector):
    """Return a table as {row: {key: exact value or text}}."""
    cells = page.evaluate(
        """(selector) => [...document.querySelectorAll(`${selector} tbody [data-row]`)].map((row) => [row.dataset.row,
            Object.fromEntries([...row.querySelectorAll("[data-key]")].map((cell) => [cell.dataset.key,
                cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value)]))])""",
        selector,
    )
    rows = {}
    for row, values in cells:  # the cells of a row, and those of its details
        rows.setdefault(row, {}).update(values)
    return rows


def download(page, figure, form):
    with page.expect_download() as waiting:
        page.locator(f"{figure} [data-save={form}]").click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def table_of(done):
    """Return the result of a query as {first column: {column: value}}."""
    names = [column[0] for column in done.description]
    return {row[0]: dict(zip(names[1:], row[1:], strict=True)) for row in done.fetchall()}


def assert_same(observed, expected, where):
    assert observed.keys() == expected.keys(), where
    for row, values in expected.items():
        for name, value in values.items():
            assert observed[row][name] == pytest.approx(value, rel=1e-6), (where, row, name)
