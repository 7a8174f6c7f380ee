// Data health: age, completeness, rejects.
import { distinct, groupBy, rowsOf } from "../data.js";
import { days, integer, percent } from "../format.js";
import { figure } from "../chart.js";
import { built, column, note, tiles, words } from "../common.js";

const KINDS = [["results", "Results"], ["with_accelerator", "Accelerator known"], ["per_accelerator", "Valid per accelerator"], ["in_tokens", "In tokens"], ["with_power", "With power"]];

export const pageHealth = {
  id: "health",
  place: "Evidence",
  tab: "Data health",
  title: "How healthy is the data?",
  lead: "Sources and their age, what was rejected and why, and how much of each MLPerf round is covered.",
  controls: [
    { name: "source", label: "Source", options: () => [["all", "All"], ...rowsOf("source_health").map((row) => [row.source, row.source])] },
    { name: "severity", label: "Excluded or kept with a defect", options: () => [["all", "All"], ...distinct(rowsOf("rejects").map((row) => row.severity)).sort().map((name) => [name, words(name)])] },
  ],

  view({ source, severity }) {
    const mine = (row) => source === "all" || row.source === source;
    const sources = rowsOf("source_health").filter(mine).sort((a, b) => b.age_days - a.age_days);
    const rejects = rowsOf("rejects").filter((row) => mine(row) && (severity === "all" || row.severity === severity));
    const coverage = rowsOf("coverage").map((row) => ({ ...row, ...Object.fromEntries(KINDS.slice(1).map(([key]) => [`${key}_pct`, row.results ? (row[key] / row.results) * 100 : null])) }));
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
        title: `Age of each source when this was built (${built()})`,
        subtitle: "Days since the last successful fetch, or since the date in the data.",
        tableRows: sources, rowKey: (row) => row.source,
        columns: [column.text("source", "Source"), column.day("last_success_at", "Last success"), column.days("age_days", "Age"), column.integer("payloads", "Payloads"), column.integer("records_in", "Records read"),
          column.integer("rows", "Rows"), column.integer("rejects", "Rejects"), column.text("status", "Status")],
      }),
      figure({
        name: "rejects", title: `Excluded, rejected or kept with a defect: ${rejects.length}`, empty: "Nothing of that kind.",
        tableRows: rejects, rowKey: (row) => `${row.payload_sha256}|${row.payload_member}|${row.payload_record}|${row.problem}`, rowsDrawn: 200,
        columns: [column.text("source", "Source"), column.words("severity", "What"), column.text("payload_key", "Payload"), column.text("payload_member", "File"), column.text("payload_record", "Record"),
          column.text("problem", "Problem", { wide: true }), column.text("remedy", "Remedy", { wide: true }), column.hash()],
      }),
      figure({
        name: "coverage",
        title: "What is known of each MLPerf round's results",
        subtitle: "Share of the round's results, all divisions and suites. Not every result can be in tokens, and few submitters measure power.",
        tableRows: coverage, rowKey: (row) => `${row.suite_kind}|${row.release}`,
        columns: [column.words("suite_kind", "Suite"), column.text("release", "Round"), ...KINDS.map(([key, name]) => column.integer(key, name)), ...KINDS.slice(1).map(([key, name]) => column.percent(`${key}_pct`, `${name}, share`))],
      }),
      empty.length > 0 && note(`Published rounds without results in this warehouse: ${[...groupBy(empty, (row) => row.suite_kind)].map(([suite, rows]) => `${suite} ${rows.map((row) => row.release).join(", ")}`).join("; ")}.`),
      figure({
        name: "agreement", title: "Do sources of specifications agree?", subtitle: "Datacenter accelerators, by attribute.", tableRows: rowsOf("spec_agreement"), rowKey: (row) => row.attribute,
        columns: [column.text("attribute", "Attribute"), column.integer("agree", "Agree"), column.integer("single_source", "One source only"), column.integer("conflict", "Conflict")],
      }),
      figure({
        name: "payloads", title: "Every payload: records in = rows out + records excluded",
        tableRows: rowsOf("reconciliation").filter(mine), rowKey: (row) => `${row.source}|${row.payload_key}|${row.release}|${row.dialect}`,
        columns: [column.text("source", "Source"), column.text("payload_key", "Payload"), column.text("release", "Round"), column.text("dialect", "Dialect"), column.integer("records_in", "Records in"), column.integer("rows_out", "Rows out"),
          column.integer("duplicates", "Duplicates"), column.integer("merged", "Merged"), column.integer("rejects", "Rejects"), column.integer("out_of_scope", "Excluded"), column.integer("warnings", "Warnings"),
          { key: "is_balanced", title: "Balances", value: (row) => row.is_balanced, text: (value) => (value ? "yes" : "NO") }, column.day("fetched_at", "Fetched"), column.text("licence", "Licence", { wide: true }), column.link("payload_url", "From"), column.hash()],
      }),
    ];
  },
};
