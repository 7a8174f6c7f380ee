"""`accelmart publish`: what a site holds; readers of a published place are tested in tests/accelmart/test_remote.py."""
# ruff: noqa: F811  fixtures of another module are arguments here

import csv
import gzip
import hashlib
import io
import json
import re
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
import yaml
from home_copies import copy_home
from published_place import serve
from report_pages import CHROMIUM, PAGES, axe_playwright, browser  # noqa: F401

from warehouse.outputs.site import DOCS_SITE_STAMP, stage
from warehouse.outputs.website import write_website
from warehouse.publication.pointer import publication
from warehouse.storage.home import Home

ROOT = Path(__file__).resolve().parents[2]
SITE_URL = "https://example.org/mart"
# what all these tests read takes a while to make
pytestmark = pytest.mark.xdist_group("publish")


@pytest.fixture(scope="module")
def site(built_home, accelmart, tmp_path_factory):
    """A site of the built warehouse, and what the command printed."""
    folder = tmp_path_factory.mktemp("publish")
    home = copy_home(built_home, folder / "home")
    made = accelmart(home, "docs", "--site", settings={"ACCELMART_SITE_URL": SITE_URL})
    assert made.returncode == 0, made.stderr
    done = accelmart(home, "publish", "--to", folder / "site", "--json")
    assert done.returncode == 0, done.stderr
    assert not (home / ".site").exists()
    # where DuckDB for browsers is not installed, the site is without its page
    assert ("no SQL console" in made.stderr) == (not (folder / "site/console.html").exists())
    return folder / "site", json.loads(done.stdout)


@pytest.fixture(scope="module")
def documentation(site):
    """Folder of the documentation site of the published generation."""
    stated = json.loads((site[0] / "latest.json").read_text())
    return (site[0] / stated["documentation"]).parent


def test_the_documentation_has_every_public_table_and_column(documentation, warehouse):
    columns = dict(
        warehouse.execute(
            "select table_name, list(column_name) from duckdb_columns() where schema_name = 'main' and not internal group by 1"
        ).fetchall()
    )
    for table, names in columns.items():
        page = (documentation / f"data-dictionary/{table}.html").read_text(encoding="utf-8")
        assert not {name for name in names if f"<td><code>{name}</code></td>" not in page}
    ((generation,),) = warehouse.execute("select generation_id from ops_generation").fetchall()
    assert generation in (documentation / "state.html").read_text(encoding="utf-8")
    # dbt's page has the columns of internal tables too, which the published file lacks
    page = (documentation / "dbt/index.html").read_text(encoding="utf-8")
    assert "mart_cost_per_mtok" in page and '"name": "ln_margin", "comment"' in page


def test_documentation_of_another_generation_is_left_out(site, tmp_path):
    root = copy_home(site[0].parent / "home", tmp_path / "home")
    home = Home(root, str(root / "landing"))
    (home.site / DOCS_SITE_STAMP).write_text("20260101T000000-aaaaaa\n", encoding="utf-8")
    (tmp_path / "staged").mkdir()
    staged = stage(home, tmp_path / "staged")
    assert "report.html" in staged.files() and staged.website is None


@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")
def test_the_documentation_is_accessible_searchable_and_loads_nothing_from_elsewhere(documentation, browser):
    asked = []
    with serve(documentation) as (_, url):
        page = browser.new_page(color_scheme="light")
        page.on("request", lambda request: asked.append(request.url))
        for scheme, name in (("light", "index"), ("light", "about"), ("dark", "sql"), ("light", "sql")):
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{url}/{name}.html")
            page.wait_for_selector(".md-search[aria-label]", state="attached")
            violations = axe_playwright.Axe().run(page).response["violations"]
            assert [(v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] != "minor"] == []
        found = page.locator(".md-search-result__meta")
        page.locator("input[name=query]").click()
        found.filter(has_text="Type to start searching").wait_for()  # its index is loaded
        page.locator("input[name=query]").press_sequentially("carbon")
        found.filter(has_text=re.compile(r"[1-9]\d* matching")).wait_for()
        page.close()
        assert [one for one in asked if not one.startswith((url, "data:", "blob:"))] == []


def meta(file):
    return dict(
        re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', file.read_text(encoding="utf-8"))
    )


def test_every_page_has_a_title_a_description_and_a_picture_for_previews_of_links(site, documentation):
    folder = site[0]
    pages = ["index", *PAGES, *(["console"] if (folder / "console.html").exists() else [])]
    stated = {f"{name}.html": meta(folder / f"{name}.html") for name in pages}
    stated |= {
        f"docs/{name}": meta(documentation / name) for name in ("sql.html", "how-to/add-a-source.html")
    }
    titles = [tags["og:title"] for tags in stated.values()]
    assert len({*titles}) == len(titles) > 20 and all(tags["og:description"] for tags in stated.values())
    for name, tags in stated.items():
        picture = tags["og:image"].removeprefix(f"{SITE_URL}/")
        assert (folder / picture).read_bytes().startswith(b"\x89PNG"), name
        assert tags.get("og:url", f"{SITE_URL}/{name}") == f"{SITE_URL}/{name}"


@pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")
def test_the_home_shows_answers_and_the_report_whose_pages_have_addresses(site, browser, warehouse):
    asked = []
    with serve(site[0]) as (_, url):
        page = browser.new_page(color_scheme="light")
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{url}/index.html")
        ((usd, low, high, day),) = warehouse.execute(
            """
            select usd_per_accelerator_hour, usd_per_accelerator_hour_low, usd_per_accelerator_hour_high, as_of
            from mart_rental_price_level
            where accelerator_id = 'nvidia-h100-sxm-80gb' and pricing_model = 'on_demand'
            qualify as_of = max(as_of) over ()
            """
        ).fetchall()
        answers = page.locator(".answers article").all_text_contents()
        assert len(answers) == 3 and f"${usd:.2f} (range ${low:.2f} to ${high:.2f}) an hour" in answers[0]
        assert re.search(rf"{day.day} .* {day.year}, \d+ days old", page.text_content("#status"))
        report = page.frame_locator("#report")
        report.locator("h1", has_text="Which accelerator for my model?").wait_for()
        violations = axe_playwright.Axe().run(page).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] != "minor"] == []
        report.locator("nav a", has_text="Prices").first.click()
        page.wait_for_url(f"{url}/prices.html")
        page.goto(f"{url}/choose.html")
        report.locator("h1", has_text=meta(site[0] / "choose.html")["og:title"]).wait_for()
        page.goto(f"{url}/offers.html#/offers?find=coreweave")
        report.locator("h1", has_text=meta(site[0] / "offers.html")["og:title"]).wait_for()
        assert "coreweave" in report.locator("form input").evaluate_all(
            "inputs => inputs.map((i) => i.value)"
        )
        page.close()
    assert [one for one in asked if not one.startswith((url, "data:", "blob:"))] == []


@pytest.fixture
def console(site, browser):
    """Opens the console at a query; returns its page when it has the answer, and the server's requests."""
    if not (site[0] / "console.html").exists():
        pytest.skip("`make site` brings DuckDB for browsers")
    asked = []
    with serve(site[0]) as (server, url):
        page = browser.new_page(accept_downloads=True)
        page.on("request", lambda request: asked.append(request.url))

        def answer(statement):
            page.goto(f"{url}/console.html#{urlencode({'q': statement}, quote_via=quote)}")
            page.wait_for_selector("#run:not([disabled])", timeout=120_000)
            return page

        yield answer, server
        page.close()
    assert [one for one in asked if not one.startswith((url, "data:", "blob:"))] == []


def test_the_console_answers_as_the_command_does_and_reads_a_part_of_the_file(console, accelmart, built_home):
    """A function of the ranking, then a typed query; the address holds it, and the CSV file has all rows."""
    answer, server = console
    for number, statement in enumerate(
        (
            "select * from cost_per_mtok('llama3.1-405b', 'Server')",
            "select provider, count(*) as n from fct_price_interval group by all order by all",
            "from rent_or_own('H100', 64, 36);",
        )
    ):
        page = answer(statement)
        assert page.get_attribute("html", "data-answer") == "ready", page.text_content("#state")
        with page.expect_download() as waiting:
            page.locator("#csv").click()
        here = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
        done = accelmart(built_home, "sql", statement.rstrip(";"), "--format", "csv")
        there = list(csv.DictReader(io.StringIO(done.stdout)))
        assert len(here) == len(there) > 3 and here[0].keys() == there[0].keys()
        for ours, theirs in zip(here, there, strict=True):
            for name, value in ours.items():
                assert alike(value, theirs[name]), (statement, name, value, theirs[name])
        size = (built_home / "accelmart.duckdb").stat().st_size
        read = [r for r in server.asked("place") if r.path.endswith(".duckdb") and r.method == "GET"]
        assert all("range" in r.headers for r in read)
        if number == 0:
            first, last = (int(n) for n in read[-1].headers["range"].removeprefix("bytes=").split("-"))
            assert last - first < size / 4 and len(read) < 200
    page.fill("#query", "select 41 + 1 as n")
    page.locator("#query").press("Control+Enter")
    page.locator("#rows td", has_text="42").wait_for()
    assert page.url.endswith("#q=select%2041%20%2B%201%20as%20n")
    violations = axe_playwright.Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] != "minor"] == []
    page.fill("#query", "from no_such_table")
    page.locator("#run").click()
    page.locator("#state.error", has_text="no_such_table").wait_for()


def alike(a, b):
    """Whether two texts are the same value: figures to nine digits, as sums of other versions of DuckDB may differ."""
    try:
        return float(a) == pytest.approx(float(b), rel=1e-9)
    except ValueError:
        return a.lower() == b.lower() or (a[:10], len(b)) == (b, 10)


def test_without_duckdb_for_browsers_the_website_has_no_console_and_no_link_to_it(site, tmp_path):
    home = Home(site[0].parent / "home", "x")
    cookbook = ROOT / "docs/cookbook.md"
    write_website(publication(home).generation, tmp_path, cookbook=cookbook, packages=tmp_path, url="")
    names = {path.name for path in tmp_path.iterdir()}
    assert {"index.html", "choose.html"} <= names and not [name for name in names if "console" in name]
    assert "console" not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_site_holds_all_that_is_published_with_checksums(site, built_home):
    folder, printed = site
    stated = json.loads((folder / "latest.json").read_text())
    below = folder / "generations" / stated["generation_id"]
    lines = (below / "SHA256SUMS").read_text().splitlines()
    listed = {path: digest for digest, _, path in (line.partition("  ") for line in lines)}
    assert {str(p.relative_to(below)) for p in below.rglob("*") if p.is_file()} == {*listed, "SHA256SUMS"}
    for path, digest in listed.items():
        assert hashlib.sha256((below / path).read_bytes()).hexdigest() == digest, path
    assert printed["files"] == len(listed) + 1 and printed["generation_id"] == stated["generation_id"]
    assert (below / "accelmart.duckdb").read_bytes() == (built_home / "accelmart.duckdb").read_bytes()
    assert stated["database"]["sha256"] == listed["accelmart.duckdb"]
    packed = below / "accelmart.duckdb.gz"
    assert gzip.decompress(packed.read_bytes()) == (below / "accelmart.duckdb").read_bytes()
    assert packed.stat().st_size < stated["database"]["bytes"] / 2
    assert {p.name for p in (below / "tables").iterdir()} == {
        *(p.name for p in (built_home / "exports").iterdir()),
        "README.md",
    }
    assert (below / "report.html").read_bytes() == (built_home / "report.html").read_bytes()
    for target in ("tables", "answers", "report", "checksums"):
        assert (folder / stated[target]).is_file()


def test_the_front_pages_lead_to_files_and_the_data_card_names_every_table(site):
    folder, stated = site[0], json.loads((site[0] / "latest.json").read_text())
    assert (folder / stated["site"]).exists() and (folder / stated["documentation"]).exists()
    flat = (folder / stated["tables"]).parent / "answers.csv"
    assert (folder / "answers.csv").read_bytes() == flat.read_bytes()
    for base in (folder, folder / "generations" / stated["generation_id"]):
        links = re.findall(r"\]\(([^)]+)\)", (base / "llms.txt").read_text())
        assert len(links) > 50 and all((base / link).is_file() for link in links)
    tables = (folder / stated["tables"]).parent
    card = yaml.safe_load((tables / "README.md").read_text(encoding="utf-8").split("---\n", 2)[1])
    files = {p.stem for p in tables.glob("*.parquet") if p.stem.startswith(("fct_", "mart_", "dim_"))}
    assert {c["config_name"]: c["data_files"] for c in card["configs"]} == {
        name: f"{name}.parquet" for name in files
    }


def test_answers_are_rows_of_the_warehouse(site, warehouse):
    (answers,) = site[0].glob("generations/*/answers")
    index = json.loads((answers / "index.json").read_text())["answers"]
    assert {str(p.relative_to(answers)) for p in answers.rglob("*.json")} == {*index, "index.json"}
    model = json.loads((answers / "models/llama3.1-405b.json").read_text())
    expected = warehouse.execute(
        """
        select h.accelerator_id, h.scenario, h.usd_per_output_mtok_median from mart_cost_headline as h
        semi join mart_token_throughput as t
            on t.is_representative and t.benchmark_id = h.benchmark_id and t.scenario = h.scenario
            and t.release = h.release and t.accelerator_id = h.accelerator_id
        where h.benchmark_id = 'llama3.1-405b' and h.pricing_model = 'on_demand'
        """
    ).fetchall()
    rows = model["cost_of_tokens"]
    assert {(r["accelerator_id"], r["scenario"], r["usd_per_output_mtok_median"]) for r in rows} == set(
        expected
    )
    assert model["units"]["cost_of_tokens"]["usd_per_output_mtok_median"] == "USD per million tokens"


def test_what_cannot_be_published_is_named(accelmart, site, tmp_path):
    (tmp_path / "file").write_text("")
    for arguments, words in (
        ((["--to", "nosuch://x"]), "nosuch://x cannot be written to"),
        ((["--to", tmp_path / "to", "--keep", "0"]), "--keep is 0"),
        ((["--to", tmp_path / "file"]), "cannot be written to"),
    ):
        done = accelmart(site[0].parent / "home", "publish", *arguments, here=True)
        assert done.returncode == 1 and words in done.stderr
