// SQL in the browser: DuckDB reads the published file in place, by range requests, on the server of this page alone.
import * as duckdb from "duckdb";

const ROWS_SHOWN = 500;
const element = (id) => document.getElementById(id);
const here = (path) => new URL(path, document.baseURI).href;
const text = element("query");
const choice = element("examples-list");
const examples = JSON.parse(element("examples").textContent);
const isNumber = (value) => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value);
let opened = null;
let result = null;

function say(words, isError = false) {
  element("state").textContent = words;
  element("state").className = isError ? "error" : "";
}

async function unpacked(path) {
  const packed = await fetch(here(path));
  const stream = packed.body.pipeThrough(new DecompressionStream("gzip"));
  const blob = await new Response(stream, { headers: { "Content-Type": "application/wasm" } }).blob();
  return URL.createObjectURL(blob);
}

async function open() {
  say("Loading DuckDB, about 8 MB the first time …");
  const latest = await (await fetch(here("latest.json"), { cache: "no-cache" })).json();
  // a worker of a blob keeps to the content security policy of this page, which allows this server alone
  const start = `importScripts(${JSON.stringify(here("console/duckdb-browser-eh.worker.js"))})`;
  const worker = new Worker(URL.createObjectURL(new Blob([start], { type: "text/javascript" })));
  const db = new duckdb.AsyncDuckDB(new duckdb.VoidLogger(), worker);
  await db.instantiate(await unpacked("console/duckdb-eh.wasm.gzip"));
  await db.registerFileURL("accelmart.duckdb", here(latest.database.path), duckdb.DuckDBDataProtocol.HTTP, false);
  await db.open({
    path: "accelmart.duckdb",
    accessMode: duckdb.DuckDBAccessMode.READ_ONLY,
    filesystem: { reliableHeadRequests: false, allowFullHTTPReads: true, forceFullHTTPReads: false },
  });
  const connection = await db.connect();
  // extensions would come from another server
  await connection.query("set autoload_known_extensions = false; set autoinstall_known_extensions = false");
  return connection;
}

/** Every value as DuckDB writes it; a statement that is no query runs as it is. */
async function ask(sql) {
  opened ??= open();
  const connection = await opened;
  const statement = sql.trim().replace(/;+$/, "");
  let table;
  try {
    table = await connection.query(`select columns(*)::varchar from (${statement}\n)`);
  } catch {
    table = await connection.query(statement);
  }
  const columns = table.schema.fields.map((field) => field.name);
  const rows = table.toArray().map((row) => columns.map((_, i) => row.toArray()[i])).map((row) => row.map((value) => (value === null ? null : String(value))));
  return { columns, rows };
}

function draw({ columns, rows }) {
  const cell = (tag, value, isFigure) => {
    const made = document.createElement(tag);
    made.textContent = value ?? "";
    if (isFigure) made.className = "number";
    return made;
  };
  const line = (tag, values, figures) => {
    const made = document.createElement("tr");
    made.append(...values.map((value, i) => cell(tag, value, figures[i])));
    return made;
  };
  const figures = columns.map((_, i) => rows.some((row) => row[i] !== null) && rows.every((row) => row[i] === null || isNumber(row[i])));
  element("head").replaceChildren(line("th", columns, figures));
  element("rows").replaceChildren(...rows.slice(0, ROWS_SHOWN).map((row) => line("td", row, figures)));
}

async function run() {
  choice.selectedIndex = examples.findIndex(({ sql }) => sql === text.value);
  history.replaceState(null, "", `#q=${encodeURIComponent(text.value)}`);
  document.documentElement.dataset.answer = "waiting";
  element("csv").disabled = true;
  element("run").disabled = true;
  const began = performance.now();
  try {
    if (opened) say("Running …");
    result = await ask(text.value);
    draw(result);
    const { length } = result.rows;
    const shown = length > ROWS_SHOWN ? `; the first ${ROWS_SHOWN} are shown, the CSV file has all` : "";
    say(`${length.toLocaleString("en-US")} ${length === 1 ? "row" : "rows"} in ${((performance.now() - began) / 1000).toFixed(1)} s${shown}`);
    element("csv").disabled = false;
    document.documentElement.dataset.answer = "ready";
  } catch (error) {
    say(String(error.message ?? error).split("\n\nLINE")[0].slice(0, 600), true);
    element("rows").replaceChildren();
    element("head").replaceChildren();
    document.documentElement.dataset.answer = "failed";
  }
  element("run").disabled = false;
}

/** A field of a CSV file; text that a spreadsheet would run as a formula gets an apostrophe in front. */
function field(value) {
  if (value === null) return "";
  const safe = !isNumber(value) && /^\s*[=+@-]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function save() {
  const lines = [result.columns, ...result.rows].map((row) => row.map(field).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
  link.download = "accelmart.csv";
  link.click();
}

function follow() {
  const asked = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B")).get("q");
  text.value = asked ?? examples[0].sql;
  run();
}

choice.append(...examples.map(({ question }, i) => new Option(question, i)));
choice.addEventListener("change", () => {
  text.value = examples[choice.value].sql;
  run();
});
element("run").addEventListener("click", run);
element("csv").addEventListener("click", save);
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
});
window.addEventListener("hashchange", follow);
follow();
