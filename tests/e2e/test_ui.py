"""`accelmart ui`: webserver and daemon, a materialised partition, the automatic rebuild that follows, and pages in a
browser."""
# ruff: noqa: F811  a fixture of another module is an argument here

import json
import os
import re
import shutil
from urllib.parse import urlsplit

import dagster_ui
import duckdb
import pytest
import replay_server as replay
from github import GitHub
from home_copies import copy_home
from raw_server import raw_server
from report_pages import browser  # noqa: F401
from small_round import small_round

from orchestration.doctor import examine
from warehouse.publication.generation import read_generation
from warehouse.storage.home import Home

pytestmark = pytest.mark.xdist_group("ui")
SCREENSHOTS = os.environ.get("SCREENSHOTS")  # folder for pictures


@pytest.fixture(scope="module")
def ui(built_home, tmp_path_factory):
    home = tmp_path_factory.mktemp("ui") / "home"
    copy_home(built_home, home)
    with replay.ReplayServer() as server:
        GitHub(server).push("inference_results_v5.1", "a" * 40)
        settings = {
            **dagster_ui.QUIET,
            "ACCELMART_MIRROR": server.url,
            "ACCELMART_SENSOR_INTERVAL": "2",
        }
        with dagster_ui.Ui(home, settings) as started:
            started.upstream = server
            yield started
        assert started.processes() == []


EVIL = (
    'mutation{addDynamicPartition(repositorySelector:{repositoryLocationName:"orchestration.definitions",'
    'repositoryName:"__repository__"},partitionsDefName:"mlperf_inference_releases",partitionKey:"KEY"){__typename}}'
)
# every way in which a page can ask another server without its consent, and one that needs it
ATTACK = """<title>waiting</title><iframe name=hidden></iframe><form method=post target=hidden><input name=query></form><script>
const [url, change] = [URL, CHANGE], query = (key) => change.replace("KEY", key), at = url + "/graphql";
const post = (key, type) => [at, {method: "POST", mode: "no-cors", headers: {"Content-Type": type},
    body: JSON.stringify({query: query(key)})}];
const socket = () => new Promise((done) => {
    const opened = new WebSocket(url.replace("http", "ws") + "/graphql", "graphql-ws");
    opened.onopen = () => done("opened"); opened.onerror = () => done("refused");
});
(async () => {
    await Promise.allSettled([
        fetch(at + "?query=" + encodeURIComponent(query("evil-get")), {mode: "no-cors"}),
        fetch(...post("evil-text", "text/plain")),
        fetch(...post("evil-json", "application/json")),
        fetch(at, {...post("evil-preflight", "application/json")[1], mode: "cors"}),
    ]);
    const form = document.forms[0], frame = document.querySelector("iframe");
    form.action = at + "?query=" + encodeURIComponent(query("evil-form"));
    form.elements.query.value = query("evil-form");
    const sent = new Promise((done) => frame.onload = done);
    form.submit();
    await sent;
    document.title = await socket();
})();
</script>"""


def test_a_page_of_elsewhere_changes_nothing(ui, browser):
    """A real browser sends it: from another origin, and under a name that leads to this machine."""
    html = ATTACK.replace("URL", json.dumps(ui.url), 1).replace("CHANGE", json.dumps(EVIL), 1).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n"
    head += f"Content-Length: {len(html)}\r\n\r\n".encode()
    page = browser.new_page()
    with raw_server(lambda connection: (connection.recv(65536), connection.sendall(head + html))) as port:
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_function("document.title !== 'waiting'")
        assert page.title() == "refused"
    port = urlsplit(ui.url).port
    answer = page.goto(f"http://evil.localhost:{port}/")
    assert answer.status == 403 and "ACCELMART_UI_URL" in page.content()
    page.close()

    def keys():
        landing = ui.ask(
            '{ assetNodeOrError(assetKey: {path: ["landing", "mlperf_inference"]}) { ... on AssetNode { partitionKeys } } }'
        )
        return [key for key in landing["assetNodeOrError"]["partitionKeys"] if key.startswith("evil")]

    assert keys() == []
    ui.ask(EVIL.replace("KEY", "evil-itself"))  # which works where this installation asks
    assert keys() == ["evil-itself"]
    ui.ask(
        EVIL.replace("addDynamicPartition", "deleteDynamicPartitions").replace(
            'Key:"KEY"', 'Keys:["evil-itself"]'
        )
    )


@pytest.fixture(scope="module")
def rebuilt(ui, tmp_path_factory):
    """Materialise a round through the API; the daemon does the rest."""
    tree = tmp_path_factory.mktemp("round") / "inference_results_v5.0"
    for path, text in small_round(1600).items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    before = read_generation(ui.home / "accelmart.duckdb")
    ui.add_partition("mlperf_inference_releases", "v5.0")
    config = {"ops": {"landing__mlperf_inference": {"config": {"origin": str(tree)}}}}
    run = ui.launch(["landing", "mlperf_inference"], config, "v5.0")
    assert ui.run_ended(run) == "SUCCESS"

    def published():
        generation = read_generation(ui.home / "accelmart.duckdb")
        return generation if generation.generation_id != before.generation_id else None

    return before, ui.wait(published, "a new generation")


def test_what_was_built_before_dagster_is_in_its_catalog(ui):
    """Every table has an event and none is out of date; a column states what it is computed from."""
    nodes = ui.ask(
        "{ assetNodes { assetKey { path } groupName staleStatus assetMaterializations(limit: 1) { runId } } }"
    )["assetNodes"]
    assert len({n["groupName"] for n in nodes}) <= 11
    tables = [n for n in nodes if n["groupName"] not in ("landing", "raw")]
    assert len(tables) > 150
    for node in tables:
        assert node["assetMaterializations"] and node["staleStatus"] == "FRESH", node
    entries = ui.ask(
        '{ assetNodeOrError(assetKey: {path: ["accelmart", "mart_cost_headline"]}) { ... on AssetNode {'
        " metadataEntries { ... on TableSchemaMetadataEntry { schema { columns { name description } } } } } } }"
    )["assetNodeOrError"]["metadataEntries"]
    columns = {c["name"]: c["description"] for e in entries if e for c in e["schema"]["columns"]}
    assert columns["usd_per_output_mtok_at_level"].endswith(
        " From: mart_rental_price_level.usd_per_accelerator_hour,"
        " mart_token_throughput.output_tokens_per_s_per_accelerator."
    )


def of_daemon(root):
    return [f for f in examine(Home(root, str(root / "landing")), is_offline=True) if f.check == "daemon"]


def test_the_doctor_names_a_silent_daemon_and_a_sensor_that_is_off(ui, tmp_path, monkeypatch):
    """The remedy of the first is `accelmart ui`, which runs here."""
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("ACCELMART_ALERT_URLS", "json://127.0.0.1:9")
    shutil.copytree(
        ui.home / "dagster", tmp_path / "dagster", ignore=shutil.ignore_patterns("*.db*", "storage")
    )
    (silent,) = of_daemon(tmp_path)
    assert silent.status == "warn" and "nothing runs by itself" in silent.found
    assert silent.remedy.startswith("`accelmart ui`")
    ui.wait(lambda: [f.status for f in of_daemon(ui.home)] == ["ok"], "a running daemon")
    sensor = ui.ask(
        '{ sensorOrError(sensorSelector: {repositoryLocationName: "orchestration.definitions",'
        ' repositoryName: "__repository__", sensorName: "health_alerts"}) { ... on Sensor { sensorState { id } } } }'
    )["sensorOrError"]["sensorState"]

    def found_when_off():
        # a tick that ends in this moment turns the sensor on again
        ui.ask("mutation($id: String!) { stopSensor(id: $id) { __typename } }", id=sensor["id"])
        return [f for f in of_daemon(ui.home) if f.found == "the sensor health_alerts is off"]

    (off,) = ui.wait(found_when_off, "a sensor that is off")
    assert off.status == "warn"
    assert off.remedy == "`dagster sensor start -m orchestration.definitions health_alerts`"


def test_a_landed_payload_is_published_automatically(ui, rebuilt):
    before, after = rebuilt
    assert after.input_fingerprint != before.input_fingerprint
    with duckdb.connect(str(after.path), read_only=True) as db:
        facts = db.execute(
            "select platform, throughput_per_accelerator from fct_inference_result where release = 'v5.0' and platform = 'good'"
        ).fetchall()
    assert facts == [("good", 200.0)]
    assert len(ui.runs()) == 1 + len(ui.runs("rebuild_warehouse"))
    for run in ui.runs("rebuild_warehouse"):
        assert ui.run_ended(run["runId"]) == "SUCCESS"
    home = Home(ui.home, str(ui.home / "landing"))
    assert len(list(home.generations.glob("*.duckdb"))) == 2  # one build, one rebuild
    assert not [p for p in home.builds.glob("*") if not p.is_symlink()]


def test_the_rebuild_ran_all_models_and_tests(ui, rebuilt):
    checked = ui.ask(
        "{ assetNodes { assetKey { path } assetMaterializations(limit: 1) { runId }"
        " assetChecksOrError { ... on AssetChecks { checks { name executionForLatestMaterialization"
        " { runId status } } } } } }"
    )["assetNodes"]
    publishing = next(n for n in checked if n["assetKey"]["path"] == ["published", "accelmart"])
    run_id = publishing["assetMaterializations"][0]["runId"]
    models = [n for n in checked if n["assetKey"]["path"][0] in ("accelmart", "staging", "intermediate")]
    assert len(models) > 50
    for node in models:
        assert [m["runId"] for m in node["assetMaterializations"]] == [run_id], node["assetKey"]
    checks = [c for n in models for c in n["assetChecksOrError"].get("checks", [])]
    executed = [c for c in checks if (c["executionForLatestMaterialization"] or {}).get("runId") == run_id]
    assert len(executed) > 100 and len(executed) == len(checks)


def test_a_publication_states_the_rows_of_every_public_table(ui, rebuilt):
    _, after = rebuilt
    entries = ui.ask(
        '{ assetNodeOrError(assetKey: {path: ["published", "accelmart"]}) { ... on AssetNode {'
        " assetMaterializations(limit: 1) { metadataEntries { label ... on JsonMetadataEntry { jsonString }"
        " ... on TextMetadataEntry { text } ... on IntMetadataEntry { intValue } } } } } }"
    )["assetNodeOrError"]["assetMaterializations"][0]["metadataEntries"]
    stated = {e.pop("label"): next(iter(e.values()), None) for e in entries}
    assert stated["generation"] == after.generation_id
    with duckdb.connect(str(after.path), read_only=True) as db:
        tables = db.execute("select table_name from duckdb_tables() where schema_name = 'main'").fetchall()
        rows = {name: db.table(name).count("*").fetchall()[0][0] for (name,) in tables}
    assert json.loads(stated["rows"]) == rows
    # numbers are plotted by the UI, one curve for each name
    assert stated["dagster/row_count"] == sum(rows.values())
    assert stated["current_prices"] == rows["mart_price_current"] and stated["unmapped_names"] == 0


# pages by the name of their picture: path, and texts on it
PAGES = {
    "catalog": ("/assets", ["Materialized"]),
    "groups": ("/asset-groups", ["prices_and_costs", "evidence"]),
    "lineage": (
        "/assets/accelmart/mart_cost_headline?view=lineage&lineageScope=upstream&lineageDepth=2",
        ["mart_cost_headline", "mart_cost_per_mtok"],
    ),
    "mart": ("/assets/accelmart/mart_cost_headline", ["usd_per_output_mtok_at_level"]),
    "checks": ("/assets/accelmart/mart_price_current?view=checks", ["mart_price_current"]),
    "publication": (
        "/assets/published/accelmart",
        ["Plots", "current_prices", "unmapped_names", "duration_s"],
    ),
    "run": ("/runs/{run}", ["landing__mlperf_inference", "RUN_SUCCESS"]),
}


@pytest.mark.parametrize("name", PAGES if SCREENSHOTS else ["lineage", "publication"])
def test_a_page_in_a_browser(ui, rebuilt, browser, name):
    """It shows its texts, and asks no other host; `make screenshots` keeps pictures of all pages for the documentation."""
    path, texts = PAGES[name]
    run, *_ = [
        r["runId"]
        for r in ui.runs()
        if {"path": ["landing", "mlperf_inference"]} in (r["assetSelection"] or [])
    ]
    look_at(ui, browser, path.format(run=run), texts, name)


def test_a_source_out_of_reach_fails_at_once_with_one_sentence(ui, rebuilt, browser):
    with ui.upstream.down():
        run = ui.launch(["landing", "ecb_reference_rates"])
        assert ui.run_ended(run) == "FAILURE"
    ended = ui.ask(
        "query($r: ID!) { runOrError(runId: $r) { ... on Run { startTime endTime eventConnection { events {"
        " ... on ExecutionStepFailureEvent { error { message } } } } } } }",
        r=run,
    )["runOrError"]
    assert ended["endTime"] - ended["startTime"] < 30
    (error,) = [e["error"] for e in ended["eventConnection"]["events"] if e]
    assert re.match(
        r"\S*Failure: 1 of 1 fetches failed; the last good data stay in use .*\n.*refused", error["message"]
    )
    # above Dagster's stack trace
    look_at(ui, browser, f"/runs/{run}", ["RUN_FAILURE"], "source-offline", height=770)


def look_at(ui, browser, path, texts, name, height=1000):
    """Wait for texts on a page that asks no other host, and keep its picture where pictures are asked for."""
    asked = set()
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    page.goto(ui.url + path, wait_until="domcontentloaded", timeout=120_000)
    for text in texts:
        shown = page.get_by_text(text).locator("visible=true").first
        shown.wait_for(timeout=120_000)
        if text == "Plots":
            shown.click()
    if SCREENSHOTS:
        page.wait_for_timeout(4000)  # a worker lays out the graph, which then zooms to fit
        page.screenshot(
            path=f"{SCREENSHOTS}/{name}.png", clip={"x": 0, "y": 0, "width": 1440, "height": height}
        )
    page.close()
    assert asked <= {urlsplit(ui.url).netloc, ""}
