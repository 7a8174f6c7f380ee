"""`accelmart publish`: what a site holds; readers of a published place are tested in tests/accelmart/test_remote.py."""
# ruff: noqa: F811  fixtures of another module are arguments here

import gzip
import hashlib
import json
import re

import pytest
import yaml
from home_copies import copy_home
from published_place import serve
from report_pages import CHROMIUM, axe_playwright, browser  # noqa: F401

from warehouse.outputs.site import DOCS_SITE_STAMP, stage
from warehouse.storage.home import Home

# what all these tests read takes a while to make
pytestmark = pytest.mark.xdist_group("publish")


@pytest.fixture(scope="module")
def site(built_home, accelmart, tmp_path_factory):
    """A site of the built warehouse, and what the command printed."""
    folder = tmp_path_factory.mktemp("publish")
    home = copy_home(built_home, folder / "home")
    done = accelmart(home, "docs", "--site")
    assert done.returncode == 0, done.stderr
    done = accelmart(home, "publish", "--to", folder / "site", "--json")
    assert done.returncode == 0, done.stderr
    assert not (home / ".site").exists()
    return folder / "site", json.loads(done.stdout)


@pytest.fixture(scope="module")
def documentation(site):
    """Folder of the documentation site of the published generation."""
    stated = json.loads((site[0] / "latest.json").read_text())
    return (site[0] / stated["site"]).parent


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
    files = stage(home, tmp_path / "staged").files()
    assert "report.html" in files and not [name for name in files if name.startswith("site/")]


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
        *(p.name for p in (built_home / "exports").iterdir()), "README.md",
    }  # fmt: skip
    assert (below / "report.html").read_bytes() == (built_home / "report.html").read_bytes()
    for target in ("tables", "answers", "report", "checksums"):
        assert (folder / stated[target]).is_file()


def test_the_front_pages_lead_to_files_and_the_data_card_names_every_table(site):
    folder, stated = site[0], json.loads((site[0] / "latest.json").read_text())
    assert f'<a href="{stated["site"]}">' in (folder / "index.html").read_text()
    assert (folder / stated["site"]).exists()
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
