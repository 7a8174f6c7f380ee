// Claims against measurements.

// full wording of each verdict
const MEANINGS = {
  holds: "measured as claimed, within the tolerance of its metric",
  overstated: "less was measured than claimed (of minutes and dollars: more)",
  understated: "more was measured than claimed",
  refuted: "the opposite is true: claimed faster and measured slower, or the other way round",
  "not comparable": "something was measured, under other conditions: no verdict follows",
  "no data": "nothing held measures it; the reason names what is missing",
};
const VERDICTS = Object.keys(MEANINGS);
const groupOfVerdict = (verdict) => ({ holds: "Holds", "not comparable": "Not comparable" })[verdict] ?? "Does not hold";

const verdictMark = (verdict) => h("span", { class: `verdict ${verdict.replaceAll(" ", "-")}` }, words(verdict));

const claimColumns = columns(`statement_short Statement|claimed_by By|claimed_value Claimed|measured_value Measured|ratio Measured ÷ claimed|verdict|reason Why|claim_date Date|unit|measured_quantity Quantity measured
  |n_cases Cases (n)|in_file:yes Data held|label_mismatch:yes Figure is of something else|release|subject_ids Results|baseline_ids Baseline's results|claim_id Claim|source_url`, { verdict: { show: verdictMark } });

addPage({
  id: "claims",
  place: "Evidence",
  tab: "Claims",
  title: "Do claims hold?",
  lead: "What vendors and analysts claimed, and what was measured.",
  find: "vendor claims|marketing|NVIDIA|AMD",
  controls: [
    FIND,
    filterOf("verdict", "Verdict", "claims", "verdict"), filterOf("by", "Claimed by", "claims", "claimed_by", (name) => name), filterOf("accelerator", "Accelerator", "claims", "subject_accelerator_id", acceleratorName),
  ],

  view(chosen) {
    const rows = filtered(rowsOf("claims"), chosen, { verdict: "verdict", by: "claimed_by", accelerator: "subject_accelerator_id" })
      .filter((row) => hasWords(`${row.claim_id} ${row.statement_short} ${row.claimed_by}`, chosen.find));
    const measured = rows.filter((row) => row.ratio !== null && row.ratio > 0).sort((a, b) => b.ratio - a.ratio);
    return [
      tiles(VERDICTS.map((name) => [verdictMark(name), rows.filter((row) => row.verdict === name).length, MEANINGS[name]])),
      figure({
        name: "claims",
        kind: "ratios",
        title: "Measured ÷ claimed",
        subtitle: "Left of 1, less was measured than claimed; right of 1, more. Green claims hold, orange ones do not.",
        unit: "measured ÷ claimed",
        rows: measured.map((row) => ({
          ...bar(row, "ratio", times), key: row.claim_id, group: groupOfVerdict(row.verdict), label: row.statement_short, detail: `${words(row.verdict)}. ${row.claimed_by}, ${row.claim_date}: ${row.reason}`,
        })),
        tableRows: rows, rowKey: "claim_id", open: true,
        columns: claimColumns,
        empty: rows.length ? "No measurement can be compared with these claims: the table has the reasons." : "No claim fits these choices.",
      }),
      note("“Up to” is judged by the best case, “at least” by the worst. MLPerf results are compared with MLPerf results only."),
    ];
  },
});
