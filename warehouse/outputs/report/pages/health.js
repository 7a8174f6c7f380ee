// Data health: age, completeness, rejects.

const COUNTED = [["results", "Results"], ["with_accelerator", "Accelerator known"], ["per_accelerator", "Valid per accelerator"], ["in_tokens", "In tokens"], ["with_power", "With power"]];

addPage({
  id: "health",
  place: "Evidence",
  tab: "Data health",
  title: "How healthy is the data?",
  lead: "Where the data come from, how old they are, and what was rejected.",
  find: "sources|rejects|freshness|coverage",
  controls: [
    filterOf("source", "Source", "source_health", "source", (name) => name), filterOf("severity", "Excluded or kept with a defect", "rejects", "severity"),
  ],

  view(chosen) {
    const mine = (name) => filtered(rowsOf(name), chosen, { source: "source" });
    const sources = mine("source_health").map((row) => ({ ...row, age_days: daysBefore(row.last_success_at) })).sort((a, b) => b.age_days - a.age_days);
    const rejects = filtered(mine("rejects"), chosen, { severity: "severity" });
    const coverage = rowsOf("coverage").map((row) => ({ ...row, ...Object.fromEntries(COUNTED.slice(1).map(([key]) => [`${key}_pct`, row.results ? (row[key] / row.results) * 100 : null])) }));
    const covered = new Set(coverage.map((row) => `${row.suite_kind} ${row.release}`));
    const empty = rowsOf("releases").filter((row) => !covered.has(`${row.suite_kind} ${row.release}`));
    const sum = (key) => sources.reduce((total, row) => total + (row[key] ?? 0), 0);
    const [oldest] = sources;
    return [
      tiles([
        ["Sources", sources.length, `${sources.filter((row) => row.status === "ok").length} without a reject`],
        ["Oldest", oldest ? days(oldest.age_days) : "–", oldest?.source],
        ["Rows", integer(sum("rows")), `of ${integer(sum("records_in"))} records read`],
        ["Rejected", integer(sum("rejects")), "each with its reason, below"],
      ]),
      figure({
        name: "ages",
        title: `Age of each source on ${dayWords(priceDay())}, the day of the prices`,
        subtitle: "Days from the last successful fetch, or from the date in the data.",
        tableRows: sources, rowKey: "source",
        columns: columns("source|last_success_at Last success|age_days:days Age|records_in Records read|rejects|status|rows|payloads"),
      }),
      figure({
        name: "rejects", title: `Excluded, rejected or kept with a defect: ${rejects.length}`, empty: "Nothing of that kind.",
        tableRows: rejects, rowKey: "payload_sha256|payload_member|payload_record|problem", rowsDrawn: 200,
        columns: columns("source|severity:words What|problem|payload_key Payload|payload_record Record|payload_member File|remedy|payload_sha256"),
      }),
      figure({
        name: "coverage",
        title: "What is known of each MLPerf round's results",
        subtitle: "Share of the round's results, all divisions and suites. Not every result can be in tokens, and few submitters measure power.",
        tableRows: coverage, rowKey: "suite_kind|release",
        columns: columns(["suite_kind:words Suite|release:auto", ...COUNTED.slice(1).map(([key, name]) => `${key}_pct ${name}`), ...COUNTED.map(([key, name]) => `${key} ${name}${key === "results" ? "" : ", results"}`)].join("|")),
      }),
      empty.length > 0 && note(`Published rounds without results in this warehouse: ${[...groupBy(empty, (row) => row.suite_kind)].map(([suite, rows]) => `${suite} ${rows.map((row) => row.release).join(", ")}`).join("; ")}.`),
      figure({
        name: "agreement", title: "Do sources of specifications agree?", subtitle: "Datacenter accelerators, by attribute.", tableRows: rowsOf("spec_agreement"), rowKey: "attribute",
        columns: columns(`attribute|agree|single_source One source only|conflict`),
      }),
      figure({
        name: "payloads", title: "Every payload: records in = rows out + records excluded",
        tableRows: mine("reconciliation"), rowKey: "source|payload_key|release|dialect",
        columns: columns(`source|payload_key Payload|records_in|rows_out|rejects|is_balanced:yes Balances|release:auto|dialect|duplicates|merged|out_of_scope Excluded|warnings|fetched_at Fetched|licence|payload_url From|payload_sha256`),
      }),
    ];
  },
});
