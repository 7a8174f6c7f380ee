// How far estimates were from values that they were made without.
import { rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { percent, plural, times } from "../format.js";
import { figure } from "../chart.js";
import { column, note } from "../common.js";

export const pageCalibration = {
  id: "how-wrong",
  place: "Evidence",
  tab: "How wrong are we?",
  title: "How wrong are we?",
  lead: "Each estimate was made again for values that are known, without those values and others like them. This is how far it was off.",

  view() {
    const rows = rowsOf("calibration");
    const key = (row) => `${row.estimator}: ${row.case_kind}`;
    return [
      figure({
        name: "calibration",
        kind: "list",
        title: "Known value ÷ estimate",
        subtitle: "Band: what 95 % of the past cases lie within. A range is meant to hold 95 % of the values; next to it stands the share that ranges held which were made without the case and others of its group, such as its seller.",
        unit: "times the estimate",
        rows: rows.map((row) => ({
          key: key(row), group: row.estimator, label: row.case_kind, value: 1 + row.bias_pct / 100, low: row.quantile_low, high: row.quantile_high,
          text: `half within ${percent(row.median_error_pct)}${isNumber(row.inside_pct) ? `; ranges held ${percent(row.inside_pct)}` : ""}`,
          detail: `${plural(row.n_cases, "case")} in ${plural(row.n_groups, "group")}${row.reason ? `; too few: ${row.reason}` : ""}`,
        })),
        tableRows: rows, rowKey: key,
        columns: [
          column.text("estimator", "Estimate"), column.text("case_kind", "Of"), column.text("held_out", "Made without"), column.integer("n_cases", "Cases"), column.integer("n_groups", "Groups"),
          column.percent("median_error_pct", "Half within"), column.percent("p90_error_pct", "Nine in ten within"), column.percent("bias_pct", "Median above the estimate"), column.percent("inside_pct", "Ranges held"),
          column.number("median_high_over_low", "High ÷ low of a range", times), column.number("quantile_low", "2.5 % quantile", times), column.number("quantile_high", "97.5 % quantile", times),
          column.day("computed_from", "First case"), column.day("computed_to", "Last case"), column.text("reason", "Why too few", { wide: true }),
        ],
      }),
      note("Cases of one seller, or of one submitter in one round, are related: their number says less than it seems to."),
    ];
  },
};
