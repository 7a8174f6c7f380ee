// Claims against measurements.
import { distinct, rowsOf } from "../data.js";
import { number, percent, times } from "../format.js";
import { figure } from "../chart.js";
import { dataTable } from "../table.js";
import { acceleratorName, column, note, tiles, words } from "../common.js";

// how far from agreement, up or down
const apart = (ratio) => Math.abs(Math.log(ratio));

const VERDICTS = ["holds", "overstated", "understated", "not comparable", "no data"];

const claimColumns = [
  column.text("claim_id", "Claim"), column.text("statement_short", "It says", { wide: true }), column.text("claimed_by", "By"), column.text("claim_date", "Date"),
  { key: "verdict", title: "Verdict", value: (row) => row.verdict, text: (value) => words(value) },
  column.number("claimed_value", "Claimed"), column.number("measured_value", "Measured"), column.text("unit", "Unit"), column.number("ratio", "Measured ÷ claimed", times),
  column.text("reason", "Why", { wide: true }), column.integer("n_cases", "Cases (n)"), column.text("release", "Round"), column.text("subject_ids", "Results", { wide: true }),
  column.text("baseline_ids", "Baseline's results", { wide: true }), column.link("source_url", "Claim"),
];

export const pageClaims = {
  id: "claims",
  tab: "Claims",
  title: "Do claims hold?",
  lead: "Public claims of vendors and analysts, each against what was measured; and published tables computed again.",
  controls: [
    { name: "verdict", label: "Verdict", options: () => [["all", "All"], ...VERDICTS.filter((v) => rowsOf("claims").some((row) => row.verdict === v)).map((v) => [v, words(v)])] },
    { name: "by", label: "Claimed by", options: () => [["all", "All"], ...distinct(rowsOf("claims").map((row) => row.claimed_by)).sort().map((name) => [name, name])] },
    { name: "accelerator", label: "Accelerator",
      options: () => [["all", "All"], ...distinct(rowsOf("claims").map((row) => row.subject_accelerator_id).filter(Boolean)).map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1]))] },
  ],

  view({ verdict, by, accelerator }) {
    const rows = rowsOf("claims").filter((row) => (verdict === "all" || row.verdict === verdict) && (by === "all" || row.claimed_by === by)
      && (accelerator === "all" || row.subject_accelerator_id === accelerator));
    const measured = rows.filter((row) => row.ratio !== null && row.ratio > 0).sort((a, b) => b.ratio - a.ratio);
    const tables = rowsOf("published_tables");
    const analysis = rowsOf("published_analysis");
    return [
      tiles(VERDICTS.map((name) => [words(name), rows.filter((row) => row.verdict === name).length, `of ${rows.length} claims`])),
      figure({
        name: "claims",
        kind: "ratios",
        title: "Measured ÷ claimed",
        subtitle: "Left of 1: less was measured than claimed. “Not comparable” shows what there is, with the reason it does not count in the table.",
        words: { unit: "measured ÷ claimed" },
        rows: measured.map((row, position) => ({
          key: row.claim_id, position, group: words(row.verdict), label: `${row.claim_id} ${row.statement_short}`, value: row.ratio, text: times(row.ratio), detail: `${row.claimed_by}, ${row.claim_date}: ${row.reason}`,
        })),
        tableRows: rows, rowKey: (row) => row.claim_id, open: true,
        columns: claimColumns,
        empty: rows.length ? "No measurement stands against these claims: the table says why." : "No claim fits these choices.",
      }),
      !measured.length && rows.length > 0 && dataTable({ caption: "Claims", columns: claimColumns, rows, rowKey: (row) => row.claim_id }),
      figure({
        name: "published-tables",
        kind: "ratios",
        title: "Published training tables, computed again",
        subtitle: "Ours ÷ theirs, from the same inputs or from measured results. 1 is agreement; those furthest from it come first.",
        words: { unit: "ours ÷ theirs" },
        rows: tables.filter((row) => row.ours > 0 && row.theirs > 0).sort((a, b) => apart(b.ours / b.theirs) - apart(a.ours / a.theirs)).map((row, position) => ({
          key: row.row_id, position, group: words(row.cause), label: `${row.row_id} ${row.model} ${row.precision ?? ""} on ${row.gpus}: ${words(row.metric).toLowerCase()}`, value: row.ours / row.theirs, text: times(row.ours / row.theirs),
          detail: `ours ${number(row.ours)}, theirs ${number(row.theirs)} ${row.unit}${row.cause_note ? `; ${row.cause_note}` : ""}`,
        })),
        tableRows: tables, rowKey: (row) => row.row_id,
        columns: [
          column.text("row_id", "Row"), column.text("model", "Model"), column.text("precision", "Precision"), column.text("gpus", "Accelerators"), column.text("metric", "Figure"), column.number("theirs", "Theirs"),
          column.number("ours", "Ours"), column.text("unit", "Unit"), column.percent("difference_pct", "Difference"), column.text("cause", "Cause"), column.text("cause_note", "Note", { wide: true }), column.link("source_url", "Table"),
        ],
      }),
      figure({
        name: "published-analysis",
        kind: "ratios",
        title: "A published analysis of MLPerf, computed again",
        subtitle: "Its figure per accelerator ÷ the right one. Causes: a node's count taken for the rack's, rounds pooled, units mixed. Furthest off first.",
        words: { unit: "printed ÷ right" },
        rows: analysis.filter((row) => row.printed_over_right > 0).sort((a, b) => apart(b.printed_over_right) - apart(a.printed_over_right)).map((row, position) => ({
          key: row.row_id, position, group: row.printed_over_right > 1.02 ? "too high" : row.printed_over_right < 0.98 ? "too low" : "within 2 %", label: `${row.benchmark_id} ${row.scenario}: ${row.accelerator_printed}`,
          value: row.printed_over_right, text: times(row.printed_over_right), detail: words(row.cause_of_difference),
        })),
        tableRows: analysis, rowKey: (row) => row.row_id,
        columns: [
          column.text("row_id", "Row"), column.text("benchmark_id", "Benchmark"), column.text("scenario", "Scenario"), column.text("accelerator_printed", "Accelerator"), column.number("avg_per_accelerator_printed", "Printed"),
          column.number("right_throughput_per_accelerator", "Right"), column.text("right_unit", "Unit"), column.text("right_release", "Round"), column.integer("right_n_results", "Results (n)"), column.number("printed_over_right", "Printed ÷ right", times),
          column.text("cause_of_difference", "Cause"), column.text("cause_note", "Note", { wide: true }), column.link("source_url", "Analysis"),
        ],
      }),
      note("A claim is judged by its own words: “up to” by the best case, “at least” by the worst. MLPerf results stand against MLPerf results only."),
    ];
  },
};
