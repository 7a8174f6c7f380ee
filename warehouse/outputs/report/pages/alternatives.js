// The same MLPerf tasks on accelerators of different makers: what each task costs.

const ofAsked = (asked) => rowsOf("alternatives").filter((row) => row.asked === asked);
const keyOf = (row) => `${row.task}|${row.accelerator_id}`;

const columnsOf = (seller) => columns(`accelerator_id|task|usd_per_task± Cost|cost_unit In|throughput_per_accelerator Speed of one|verdict|usd_per_accelerator_hour|hours_per_task Accelerator-hours
  |result_unit Speed in|score_minutes Minutes to the target|usd_per_task_at_spot± Cost at spot prices${seller ? `|usd_per_task_at_only_seller Cost at ${providerName(seller)}|ratio_at_only_seller:times To the lowest of the others there` : ""}
  |accelerator_count|caveats What limits the comparison|rent_basis Rent is|bf16_dense_tflops BF16 dense TFLOP/s|memory_gb GB|release|submitter|number_format|result_id`);

addPage({
  id: "alternatives",
  place: "Choose",
  tab: "TPU or GPU",
  title: "What does the same task cost on a TPU, a GPU, or another maker's accelerator?",
  lead: "MLPerf tasks that were measured on accelerators of several makers: speed, rent and cost of the task.",
  find: "other makers|AMD|Intel|Google",
  command: ["alternatives", "alternatives"],
  controls: [
    choice("asked", "Accelerators", () => idsOf("alternatives", "asked"), (word) => word, "TPU", { resets: ["task"] }),
    { name: "task", label: "Task", options: ({ asked }) => distinct(ofAsked(asked).map((row) => row.task)).map((task) => [task, task]) },
  ],

  view({ asked, task }) {
    const rows = ofAsked(asked);
    const shown = rows.filter((row) => row.task === task && isNumber(row.usd_per_task));
    const seller = rows[0]?.only_seller;
    return [
      figure({
        name: "tasks",
        title: task,
        subtitle: "The point is the cost at on-demand prices, the band its range, the tick the cost at spot prices. Where ranges overlap, no order is certain.",
        unit: shown[0]?.cost_unit ?? "US$",
        rows: shown.map((row) => ({
          ...bar(row, "usd_per_task"), key: keyOf(row), group: row.place === null ? "preview and research systems" : row.is_asked ? asked : "others", 
          middle: row.usd_per_task_at_spot,
          detail: [rangeWords(row.usd_per_task_low, row.usd_per_task_high), `${number(row.throughput_per_accelerator)} ${row.result_unit} each, ${row.release}`, row.rent_basis, row.verdict, row.caveats].filter(Boolean).join("; "),
        })),
        empty: "No accelerator of this task has a price.",
        tableRows: rows, rowKey: "task|accelerator_id", columns: columnsOf(seller), open: true,
      }),
      note(`The table has all tasks of ${asked}; only costs of one task compare. An accelerator is what MLPerf counts as one: a TPU chip or a GPU package, which differ in size.`),
    ];
  },
});
