// Ask a warehouse file statements with DuckDB for Node.js (`node`, package @duckdb/node-api) or for browsers (`wasm`,
// @duckdb/duckdb-wasm). Arguments: the file, the client, and the folder that has its package; on standard input a JSON list
// of statements. It prints a JSON list: for each the rows, or the first line of the error.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [file, client, packages] = process.argv.slice(2);
const require = createRequire(`${packages}/`);

async function node() {
  const { DuckDBInstance } = require("@duckdb/node-api");
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  return async (statement) => (await connection.runAndReadAll(statement)).getRowsJS();
}

// Arrow has days and times as milliseconds
function plain(type, value) {
  if (value === null) return null;
  if (/^List/.test(type)) return [...value].map((part) => plain(type.valueType, part));
  return /^(Date|Timestamp)/.test(type) ? new Date(value) : value;
}

async function wasm() {
  const duckdb = require("@duckdb/duckdb-wasm/blocking");
  const eh = { mainModule: require.resolve("@duckdb/duckdb-wasm/dist/duckdb-eh.wasm") };
  const db = await duckdb.createDuckDB({ eh, mvp: eh }, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await db.instantiate();
  db.registerFileBuffer("file", readFileSync(file));
  const query = { castBigIntToDouble: true, castDecimalToDouble: true };
  db.open({ path: "file", accessMode: duckdb.DuckDBAccessMode.READ_ONLY, query });
  const connection = db.connect();
  connection.query("set autoload_known_extensions = false");  // pages load none
  return (statement) => {
    const table = connection.query(statement);
    const types = table.schema.fields.map((field) => field.type);
    return table.toArray().map((row) => [...row].map(([, value], i) => plain(types[i], value)));
  };
}

const ask = await { node, wasm }[client]();
const answers = [];
for (const statement of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    answers.push(await ask(statement));
  } catch (error) {
    answers.push(String(error.message).split("\n")[0]);
  }
}
console.log(JSON.stringify(answers, (_, value) => (typeof value === "bigint" ? Number(value) : value)));
