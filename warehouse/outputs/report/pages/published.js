// Values and tables of published texts, compared with ours.

// how far from agreement, up or down
const apartFromOne = (ratio) => Math.abs(Math.log(ratio));
const furthestFirst = (ratio) => (a, b) => apartFromOne(ratio(b)) - apartFromOne(ratio(a));
const oursShown = (row) => (row.ours === null ? row.ours_text || "–" : number(row.ours));

addPage({
  id: "published",
  place: "Evidence",
  tab: "Published values",
  title: "How do published values compare with ours?",
  lead: "Numbers that others printed, next to ours, with the cause of each difference.",
  find: "papers|reproduce|published tables",
  controls: [
    filterOf("text", "Text", "published_values", "document_title"), filterOf("cause", "Cause", "published_values", "cause"),
  ],

  view(chosen) {
    const values = filtered(rowsOf("published_values"), chosen, { text: "document_title", cause: "cause" });
    const counted = (name, more, ...statuses) => [name, values.filter((row) => statuses.includes(row.status)).length, more];
    const compared = values.filter((row) => row.ours > 0 && row.printed_value > 0);
    const tables = rowsOf("published_tables");
    const owned = tables.filter((row) => row.own_value > 0 && row.theirs > 0 && row.own_basis !== "calibrated");
    const analysis = rowsOf("published_analysis");
    const ratio = (row) => row.ours / row.printed_value;
    const ownRatio = (row) => row.own_value / row.theirs;
    return [
      tiles([
        ["Values printed", values.length, "each with ours, or why not"],
        counted("Reproduced", "by measurements or independent inputs", "reproduced"), counted("Consistent", "with other values of the text", "consistent"),
        counted("Not reproduced", "the table has the causes", "not reproduced"), counted("Cannot be checked", "the table has the reasons", "cannot be checked", "not quantitative"),
      ]),
      figure({
        name: "published-values",
        kind: "ratios",
        title: "Ours ÷ printed",
        subtitle: "1 is agreement; the largest differences come first. Rates are dense: with sparsity a text prints twice as much.",
        unit: "ours ÷ printed",
        rows: [...compared].sort(furthestFirst(ratio)).map((row) => ({
          key: row.value_id, group: words(row.status), label: `${row.value_id} ${row.subject}: ${lower(row.attribute)}`, value: ratio(row), text: times(ratio(row)),
          detail: `ours ${number(row.ours)}, printed ${row.value_printed} ${row.unit ?? ""}${row.cause_note ? `; ${row.cause_note}` : ""}`,
        })),
        tableRows: values, rowKey: "value_id", open: true,
        columns: columns("subject About|attribute What|value_printed Printed|ours|difference_pct Difference|status:words|cause:words|cause_note Cause, and basis of our value|unit|document_title Text|value_id Value|source_url", { ours: { show: (_, row) => oursShown(row) } }),
        empty: values.length ? "None of these values can be compared with a number of ours: the table has the reasons." : "No value fits these choices.",
      }),
      figure({
        name: "published-tables",
        kind: "ratios",
        title: "Published training tables: reproduced?",
        subtitle: "Our own value ÷ theirs. A table may agree with itself and still not be reproduced.",
        unit: "our own ÷ theirs",
        rows: [...owned].sort(furthestFirst(ownRatio)).map((row) => ({
          key: row.row_id, group: words(row.reproduced), label: `${row.row_id} ${row.model ?? ""} ${row.precision ?? ""} on ${row.gpus ?? "any"}: ${lower(row.metric)}`, value: ownRatio(row), text: times(ownRatio(row)),
          detail: `our own ${number(row.own_value)}, theirs ${number(row.theirs)} ${row.unit}; ${row.own_note}`,
        })),
        tableRows: tables, rowKey: "row_id",
        columns: columns(`model|metric Figure|theirs|own_value± Our own|reproduced:words|own_difference_pct Our own against theirs|unit|precision|gpus Accelerators|own_note Basis of our own value|consistent:words Consistent with its table|ours From its own cells
          |difference_pct Difference|cause:words|cause_note Note|row_id Row|source_url`),
      }),
      figure({
        name: "published-analysis",
        kind: "ratios",
        title: "A published analysis of MLPerf, computed again",
        subtitle: "Its figure per accelerator ÷ the right one, the largest errors first.",
        unit: "printed ÷ right",
        rows: analysis.filter((row) => row.printed_over_right > 0).sort(furthestFirst((row) => row.printed_over_right)).map((row) => ({
          ...bar(row, "printed_over_right", times), key: row.row_id, group: row.printed_over_right > 1.02 ? "too high" : row.printed_over_right < 0.98 ? "too low" : "within 2 %", label: `${row.benchmark_id} ${row.scenario}: ${row.accelerator_printed}`,
          detail: words(row.cause_of_difference),
        })),
        tableRows: analysis, rowKey: "row_id",
        columns: columns(`benchmark_id|scenario|accelerator_printed Accelerator|avg_per_accelerator_printed Printed|right_throughput_per_accelerator Right|printed_over_right:times Printed ÷ right|right_unit Unit|right_release Round|right_n_results Results (n)
          |cause_of_difference:words Cause|cause_note Note|row_id Row|source_url`),
      }),
      note("“Cannot be checked” names the missing data. MLPerf results are compared with MLPerf results only."),
    ];
  },
});
