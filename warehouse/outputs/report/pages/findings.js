// Findings on new accelerators: agreement, contradiction, gaps.

const FINDING_KINDS = {
  agreement: ["Agreement", "What was claimed was measured."],
  "agreement and contradiction": ["Agreement and contradiction", "Some claims hold, some do not."],
  contradiction: ["Contradiction", "Measurements contradict what was claimed."],
  gap: ["Gap", "Nothing comparable is public; the details name what is missing."],
};

addPage({
  id: "findings",
  place: "Evidence",
  tab: "Findings",
  title: "What do measurements say about new accelerators?",
  lead: "What is known about the newest accelerators: measurements that agree or contradict, and open questions.",
  find: "new accelerators|GB200|GB300",
  controls: [filterOf("stands", "Findings", "findings", "stands")],

  view(chosen) {
    const rows = filtered(rowsOf("findings"), chosen, { stands: "stands" });
    const some = Object.entries(FINDING_KINDS).map(([key, texts]) => [rows.filter((row) => row.stands === key), texts]);
    return [
      tiles(some.map(([found, [name, meaning]]) => [name, found.length, meaning])),
      figure({
        name: "findings",
        title: `${plural(rows.length, "finding")}, with the claims behind each`,
        subtitle: "The details have what follows from a finding, the measurements that agree or contradict, what is open, and the sources.",
        tableRows: some.flatMap(([found]) => found), rowKey: "finding_id", groupBy: (row) => FINDING_KINDS[row.stands][0],
        columns: columns(`finding|accelerator_id About|n_agree Claims that hold|n_contradict That do not|n_open Not to be judged|found_on Since|impact What follows|agreement Measurements agree|contradiction They contradict|open Still open|economics To an owner
          |baseline_accelerator_id:accelerator Against|found_by|finding_id Number|source_urls Sources`, { source_urls: { show: (urls) => urls.split(" ").flatMap((url, i) => [i > 0 && ", ", link(url, `source ${i + 1}`)]) } }),
      }),
      note("People wrote the texts; the figures come from “Claims”. MLPerf results are compared with MLPerf results only."),
    ];
  },
});
