// Findings on new accelerators: agreement, contradiction, gaps.
import { rowsOf } from "../data.js";
import { foreign, h, link } from "../dom.js";
import { list } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, note, tiles } from "../common.js";

const FINDING_KINDS = [
  ["agreement", "Agreement", "What was claimed was measured."],
  ["agreement and contradiction", "Agreement and contradiction", "Some claims hold, some do not."],
  ["contradiction", "Contradiction", "Measurements contradict what was claimed."],
  ["gap", "Gaps", "Nothing comparable is public: what is missing is named."],
];

const findingFacts = (row) => [
  ["What follows", row.impact], ["Measurements agree", row.agreement], ["They contradict", row.contradiction], ["Still open", row.open], ["To an owner", row.economics],
].filter(([, text]) => text);

const findingSection = (row) => h("section", { class: "finding", "data-row": row.finding_id },
  h("h3", null, `${row.finding_id} `, foreign(row.finding)),
  h("dl", null,
    [["Found", foreign(`${row.found_on}, ${row.found_by}`)], ["About", list([row.accelerator_id, row.baseline_accelerator_id].filter(Boolean).map(acceleratorName))]]
      .concat(findingFacts(row).map(([name, text]) => [name, foreign(text)]))
      .concat([["Source", row.source_urls.split(" ").flatMap((url, i) => [i > 0 && ", ", link(url, `source ${i + 1}`)])]])
      .flatMap(([name, content]) => [h("dt", null, name), h("dd", null, content)])));

export const pageFindings = {
  id: "findings",
  place: "Evidence",
  tab: "Findings",
  title: "What is found about new accelerators",
  lead: "Findings on GB200 and its like: source, impact, measurements that agree or contradict, and open questions.",
  controls: [
    { name: "stands", label: "Findings", options: () => [["all", "All"], ...FINDING_KINDS.map(([key, name]) => [key, name])] },
  ],

  view({ stands }) {
    const rows = rowsOf("findings").filter((row) => stands === "all" || row.stands === stands);
    return [
      tiles(FINDING_KINDS.map(([key, name]) => [name, rows.filter((row) => row.stands === key).length, `of ${rows.length} findings`])),
      FINDING_KINDS.filter(([key]) => rows.some((row) => row.stands === key)).map(([key, name, meaning]) => h("section", { class: "findings" },
        h("h2", null, name), h("p", { class: "subtitle" }, meaning), rows.filter((row) => row.stands === key).map(findingSection))),
      figure({
        name: "findings",
        title: "Claims behind each finding",
        subtitle: "How many hold, how many do not, and how many cannot be judged.",
        tableRows: rows, rowKey: (row) => row.finding_id,
        columns: [
          column.text("finding_id", "Finding"), column.text("finding", "Statement", { wide: true }), column.text("stands", "Status"), column.integer("n_claims", "Claims (n)"), column.integer("n_agree", "Hold"),
          column.integer("n_contradict", "Do not"), column.integer("n_open", "Not to be judged"), column.text("found_on", "Since"), column.text("found_by", "By"),
        ],
      }),
      note("Words are curated; every figure comes from the claims (page “Claims”) and from performance per ownership cost. MLPerf results are compared with MLPerf results only."),
    ];
  },
};
