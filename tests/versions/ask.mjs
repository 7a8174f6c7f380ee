// Ask a warehouse file statements with DuckDB for Node.js (package @duckdb/node-api).
// Argument: the file; on standard input a JSON list of statements. It prints a JSON list: for each the number of rows, or
// the first line of the error.
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const instance = await DuckDBInstance.create(process.argv[2], { access_mode: "READ_ONLY" });
const connection = await instance.connect();
const answers = [];
for (const statement of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    answers.push((await connection.runAndReadAll(statement)).currentRowCount);
  } catch (error) {
    answers.push(String(error.message).split("\n")[0]);
  }
}
console.log(JSON.stringify(answers));
