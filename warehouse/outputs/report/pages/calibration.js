// How far estimates were from values that they were made without.

addPage({
  id: "how-wrong",
  place: "Evidence",
  tab: "How wrong are we?",
  title: "How wrong are we?",
  lead: "We repeat each estimate without the values it should predict, and compare it with them.",
  find: "how wrong|how wrong are we|error|accuracy|calibration|uncertainty",

  view() {
    const rows = rowsOf("calibration");
    const key = (row) => `${row.estimator}: ${row.case_kind}`;
    return [
      figure({
        name: "calibration",
        title: "Known value ÷ estimate",
        subtitle: "The band holds 95 % of past cases. A range should hold 95 % of the values; the share it did hold is next to it.",
        unit: "times the estimate",
        rows: rows.map((row) => ({
          key: key(row), group: row.estimator, label: row.case_kind, value: 1 + row.bias_pct / 100, low: row.quantile_low, high: row.quantile_high,
          text: `half within ${percent(row.median_error_pct)}${isNumber(row.inside_pct) ? `; ranges held ${percent(row.inside_pct)}` : ""}`,
          detail: `${plural(row.n_cases, "case")} in ${plural(row.n_groups, "group")}${row.reason ? `; too few: ${row.reason}` : ""}`,
        })),
        tableRows: rows, rowKey: "estimator|case_kind",
        columns: columns(`case_kind Of|estimator Estimate|median_error_pct Half within|p90_error_pct Nine in ten within|inside_pct Ranges held|n_cases Cases|n_groups Groups|held_out Made without|bias_pct Median above the estimate
          |median_high_over_low:times High ÷ low of a range|quantile_low:times 2.5 % quantile|quantile_high:times 97.5 % quantile|computed_from:day First case|computed_to:day Last case|reason Why too few`),
      }),
      note("Cases of one seller, or of one submitter in one round, are related, so they count for less than their number."),
    ];
  },
});
