// Values and tables of published texts, compared with ours.
import { distinct, rowsOf } from "../data.js";
import { number, times } from "../format.js";
import { figure } from "../chart.js";
import { column, note, tiles, words } from "../common.js";

// how far from agreement, up or down
const apartFromOne = (ratio) => Math.abs(Math.log(ratio));
const furthestFirst = (ratio) => (a, b) => apartFromOne(ratio(b)) - apartFromOne(ratio(a));
const REPRODUCED_COLOURS = { Yes: 2, "Within our range": 0, No: 1 };

const oursShown = (row) => (row.ours === null ? row.ours_text || "–" : number(row.ours));

export const pagePublished = {
  id: "published",
  place: "Evidence",
  tab: "Published values",
  title: "How do published values compare with ours?",
  lead: "Every value of five published texts, published training tables and a published analysis of MLPerf: printed, ours, the difference and its cause.",
  controls: [
    { name: "text", label: "Text", options: () => [["all", "All"], ...distinct(rowsOf("published_values").map((row) => row.document_title)).map((name) => [name, words(name)])] },
    { name: "cause", label: "Cause", options: () => [["all", "All"], ...distinct(rowsOf("published_values").map((row) => row.cause)).sort().map((name) => [name, words(name)])] },
  ],

  view({ text, cause }) {
    const values = rowsOf("published_values").filter((row) => (text === "all" || row.document_title === text) && (cause === "all" || row.cause === cause));
    const compared = values.filter((row) => row.ours > 0 && row.printed_value > 0);
    const tables = rowsOf("published_tables");
    const owned = tables.filter((row) => row.own_value > 0 && row.theirs > 0 && row.own_basis !== "calibrated");
    const analysis = rowsOf("published_analysis");
    const ratio = (row) => row.ours / row.printed_value;
    const ownRatio = (row) => row.own_value / row.theirs;
    return [
      tiles([
        ["Values printed", values.length, "each with ours, or why not"],
        ["Reproduced", values.filter((row) => row.status === "reproduced").length, "by measurements or independent inputs"],
        ["Consistent", values.filter((row) => row.status === "consistent").length, "with other values of the text"],
        ["Not reproduced", values.filter((row) => row.status === "not reproduced").length, "the table has the causes"],
        ["Cannot be checked", values.filter((row) => ["cannot be checked", "not quantitative"].includes(row.status)).length, "the table has the reasons"],
      ]),
      figure({
        name: "published-values",
        kind: "ratios",
        title: "Ours ÷ printed",
        subtitle: "1 is agreement; those furthest from it come first. Rates are dense: a text that prints rates with sparsity has twice as much.",
        unit: "ours ÷ printed",
        rows: [...compared].sort(furthestFirst(ratio)).map((row) => ({
          key: row.value_id, group: words(row.cause), label: `${row.value_id} ${row.subject}: ${words(row.attribute).toLowerCase()}`, value: ratio(row), text: times(ratio(row)),
          detail: `ours ${number(row.ours)}, printed ${row.value_printed} ${row.unit ?? ""}${row.cause_note ? `; ${row.cause_note}` : ""}`,
        })),
        tableRows: values, rowKey: (row) => row.value_id, open: true,
        columns: [
          column.text("value_id", "Value"), column.text("document_title", "Text", { wide: true }), column.text("subject", "About", { wide: true }), column.text("attribute", "What"), column.text("value_printed", "Printed"),
          { key: "ours", title: "Ours", numeric: true, value: (row) => row.ours, node: (row) => oursShown(row) }, column.text("unit", "Unit"), column.percent("difference_pct", "Difference"), column.words("status", "Status"), column.words("cause", "Cause"),
          column.text("cause_note", "Cause, and basis of our value", { wide: true }), column.link("source_url", "Text"),
        ],
        empty: values.length ? "None of these values can be compared with a number of ours: the table has the reasons." : "No value fits these choices.",
      }),
      figure({
        name: "published-tables",
        kind: "ratios",
        title: "Published training tables: reproduced?",
        subtitle: "Our own value, from measurements and independent inputs, ÷ theirs. A table whose cells agree with each other (consistent) need not be reproduced.",
        unit: "our own ÷ theirs",
        colours: REPRODUCED_COLOURS,
        rows: [...owned].sort(furthestFirst(ownRatio)).map((row) => ({
          key: row.row_id, group: words(row.reproduced), label: `${row.row_id} ${row.model ?? ""} ${row.precision ?? ""} on ${row.gpus ?? "any"}: ${words(row.metric).toLowerCase()}`, value: ownRatio(row), text: times(ownRatio(row)),
          detail: `our own ${number(row.own_value)}, theirs ${number(row.theirs)} ${row.unit}; ${row.own_note}`,
        })),
        tableRows: tables, rowKey: (row) => row.row_id,
        columns: [
          column.text("row_id", "Row"), column.text("model", "Model"), column.text("precision", "Precision"), column.text("gpus", "Accelerators"), column.text("metric", "Figure"), column.number("theirs", "Theirs"),
          column.number("own_value", "Our own"), column.number("own_value_low", "low"), column.number("own_value_high", "high"), column.text("unit", "Unit"), column.words("reproduced", "Reproduced"), column.percent("own_difference_pct", "Our own against theirs"),
          column.text("own_note", "Basis of our own value", { wide: true }), column.words("consistent", "Consistent with its table"), column.number("ours", "From its own cells"), column.percent("difference_pct", "Difference"), column.words("cause", "Cause"),
          column.text("cause_note", "Note", { wide: true }), column.link("source_url", "Table"),
        ],
      }),
      figure({
        name: "published-analysis",
        kind: "ratios",
        title: "A published analysis of MLPerf, computed again",
        subtitle: "Its figure per accelerator ÷ the right one. Causes: a node's count taken for the rack's, rounds pooled, units mixed. Furthest off first.",
        unit: "printed ÷ right",
        rows: analysis.filter((row) => row.printed_over_right > 0).sort(furthestFirst((row) => row.printed_over_right)).map((row) => ({
          key: row.row_id, group: row.printed_over_right > 1.02 ? "too high" : row.printed_over_right < 0.98 ? "too low" : "within 2 %", label: `${row.benchmark_id} ${row.scenario}: ${row.accelerator_printed}`,
          value: row.printed_over_right, text: times(row.printed_over_right), detail: words(row.cause_of_difference),
        })),
        tableRows: analysis, rowKey: (row) => row.row_id,
        columns: [
          column.text("row_id", "Row"), column.text("benchmark_id", "Benchmark"), column.text("scenario", "Scenario"), column.text("accelerator_printed", "Accelerator"), column.number("avg_per_accelerator_printed", "Printed"),
          column.number("right_throughput_per_accelerator", "Right"), column.text("right_unit", "Unit"), column.text("right_release", "Round"), column.integer("right_n_results", "Results (n)"), column.number("printed_over_right", "Printed ÷ right", times),
          column.text("cause_of_difference", "Cause"), column.text("cause_note", "Note", { wide: true }), column.link("source_url", "Analysis"),
        ],
      }),
      note("“Cannot be checked” names the missing data. Prices are those observed nearest to the day of the text; the note has their age. MLPerf results are compared with MLPerf results only."),
    ];
  },
};
