// The same model and accelerator in MLPerf and in other measurements: side by side, in columns of their own.
import { distinct, rowsOf } from "../data.js";
import { h } from "../dom.js";
import { times } from "../format.js";
import { dataTable } from "../table.js";
import { column, note } from "../common.js";
import { measuredBy } from "./serving.js";

const columns = [
  column.text("model_id", "Model"), column.accelerator(), column.text("scenario", "MLPerf scenario"), column.text("release", "Round"),
  column.number("mlperf_figure", "MLPerf, best result"), column.text("mlperf_number_format", "Number format"), column.text("mlperf_energy_scope", "Power of"),
  column.number("other_figure", "Other figure, best"), column.text("other_number_format", "Its number format"), column.text("other_energy_scope", "Its power of"),
  column.number("other_to_mlperf_ratio", "Other ÷ MLPerf", times), column.text("known_causes", "Known causes of the difference", { wide: true }),
  column.text("submitter", "MLPerf submitter"), column.integer("mlperf_accelerators", "MLPerf accelerators"), { key: "other_source", title: "Other source", value: (row) => measuredBy(row.other_source) },
  column.text("other_workload", "Its workload"), column.integer("other_accelerators", "Its accelerators"),
  column.link("source_url", "MLPerf result"), column.link("other_source_url", "Other figure"),
];

export const pageCrossCheck = {
  id: "cross-check",
  tab: "Cross-check",
  title: "What do others measure on the same model and accelerator?",
  lead: "MLPerf results beside measurements of others. They differ in lengths, batches, number formats and power meters: a ratio says how much, and the table why.",
  provenance: "Columns of others are no MLPerf results and not verified by MLCommons. Nothing here is a ranking of them with MLPerf, or a mean of both.",
  controls: [],

  view() {
    const rows = rowsOf("measurement_check");
    if (!rows.length) return [note("No model was measured on the same accelerator in MLPerf and elsewhere.")];
    return distinct(rows.map((row) => row.quantity)).map((quantity) => h("section", { "aria-label": quantity },
      h("h2", null, quantity.replace(/^./, (letter) => letter.toUpperCase())),
      dataTable({ caption: `${quantity}${quantity.includes(" J ") ? ", before PUE" : ""}`, columns, rows: rows.filter((row) => row.quantity === quantity), rowKey: (row) => row.check_id })));
  },
};
