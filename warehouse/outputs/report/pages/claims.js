// Claims against measurements.
import { distinct, rowsOf } from "../data.js";
import { h } from "../dom.js";
import { times } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, note, tiles, words } from "../common.js";

// full wording of each verdict; a verdict has the same colour in every chart, and only "holds" is green
const MEANINGS = {
  holds: "measured as claimed, within the tolerance of its metric",
  overstated: "less was measured than claimed (of minutes and dollars: more)",
  understated: "more was measured than claimed",
  refuted: "the opposite is true: claimed faster and measured slower, or the other way round",
  "not comparable": "something was measured, under other conditions: no verdict follows",
  "no data": "nothing held measures it; the reason names what is missing",
};
const VERDICTS = Object.keys(MEANINGS);
const VERDICT_COLOURS = { Holds: 2, Overstated: 1, Understated: 0, Refuted: 7, "Not comparable": 5 };

const verdictMark = (verdict) => h("span", { class: `verdict ${verdict.replaceAll(" ", "-")}` }, words(verdict));

const claimColumns = [
  column.text("claim_id", "Claim"), column.text("statement_short", "Statement", { wide: true }), column.text("claimed_by", "By"), column.text("claim_date", "Date"),
  { key: "verdict", title: "Verdict", value: (row) => row.verdict, node: (row) => verdictMark(row.verdict) },
  column.number("claimed_value", "Claimed"), column.number("measured_value", "Measured"), column.text("measured_quantity", "Quantity measured", { screenOnly: true }), column.text("unit", "Unit", { screenOnly: true }), column.number("ratio", "Measured ÷ claimed", times),
  column.text("reason", "Why", { wide: true }), { ...column.integer("n_cases", "Cases (n)"), screenOnly: true }, { key: "in_file", title: "Data held", screenOnly: true, value: (row) => row.in_file, text: (value) => (value ? "yes" : "no") },
  { key: "label_mismatch", title: "Figure is of something else", screenOnly: true, value: (row) => row.label_mismatch, text: (value) => (value ? "yes" : "no") }, column.text("release", "Round", { screenOnly: true }), column.text("subject_ids", "Results", { wide: true, screenOnly: true }),
  column.text("baseline_ids", "Baseline's results", { wide: true, screenOnly: true }), column.link("source_url", "Claim"),
];

export const pageClaims = {
  id: "claims",
  place: "Evidence",
  tab: "Claims",
  title: "Do claims hold?",
  lead: "Public claims of vendors and analysts, each against what was measured.",
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
    return [
      tiles(VERDICTS.map((name) => [words(name), rows.filter((row) => row.verdict === name).length, `of ${rows.length} claims`])),
      h("dl", { class: "meanings" }, VERDICTS.flatMap((name) => [h("dt", null, verdictMark(name)), h("dd", null, MEANINGS[name])])),
      figure({
        name: "claims",
        kind: "ratios",
        title: "Measured ÷ claimed",
        subtitle: "Left of 1 less was measured than claimed, right of 1 more; colour and shape are the verdict. Green holds, and nothing else is green.",
        unit: "measured ÷ claimed",
        colours: VERDICT_COLOURS,
        rows: measured.map((row) => ({
          key: row.claim_id, group: words(row.verdict), label: `${row.claim_id} ${row.statement_short}`, value: row.ratio, text: times(row.ratio), detail: `${words(row.verdict)}. ${row.claimed_by}, ${row.claim_date}: ${row.reason}`,
        })),
        tableRows: rows, rowKey: (row) => row.claim_id, open: true,
        columns: claimColumns,
        empty: rows.length ? "No measurement can be compared with these claims: the table has the reasons." : "No claim fits these choices.",
      }),
      note("“Up to” is judged by the best case, “at least” by the worst. MLPerf results are compared with MLPerf results only."),
    ];
  },
};
