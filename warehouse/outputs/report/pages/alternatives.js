// The same MLPerf tasks on accelerators of different makers: what each task costs.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { number, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { column, note, partName, pricesAsOf, providerName, rangeWords } from "../common.js";

const ofAsked = (asked) => rowsOf("alternatives").filter((row) => row.asked === asked);
const keyOf = (row) => `${row.task}|${row.accelerator_id}`;

const columnsOf = (seller) => [
  column.text("task", "Task", { wide: true }), column.accelerator(), column.round(), column.integer("accelerator_count", "Accelerators"),
  column.number("throughput_per_accelerator", "Speed of one"), column.text("result_unit", "in"), column.number("score_minutes", "Minutes to the target"),
  column.number("hours_per_task", "Accelerator-hours"), column.usd("usd_per_accelerator_hour", "US$ an hour"),
  column.usd("usd_per_task", "Cost"), column.usd("usd_per_task_low", "low"), column.usd("usd_per_task_high", "high"), column.text("cost_unit", "in"),
  column.usd("usd_per_task_at_spot", "Cost at spot prices"), column.usd("usd_per_task_at_spot_low", "low"), column.usd("usd_per_task_at_spot_high", "high"),
  ...(seller ? [column.usd("usd_per_task_at_only_seller", `Cost at ${providerName(seller)}`), column.number("ratio_at_only_seller", "to the lowest of the others there", times)] : []),
  column.text("verdict", "Verdict", { wide: true }), column.text("caveats", "What limits the comparison", { wide: true }),
  column.text("rent_basis", "Rent is", { wide: true }), column.number("bf16_dense_tflops", "BF16 dense TFLOP/s"), column.integer("memory_gb", "GB"),
  column.text("submitter", "Submitter"), column.text("number_format", "Format"), column.text("result_id", "Result"),
];

export const pageAlternatives = {
  id: "alternatives",
  place: "Choose",
  tab: "TPU or GPU",
  title: "What does the same task cost on a TPU, a GPU, or another maker's accelerator?",
  lead: "MLPerf tasks that were measured on accelerators of different makers: best result, rent, and cost of the task.",
  controls: [
    { name: "asked", label: "Accelerators", options: () => distinct(rowsOf("alternatives").map((row) => row.asked)).map((word) => [word, word]),
      initial: (_, options) => options.find(([word]) => word === "TPU")?.[0], resets: ["task"] },
    { name: "task", label: "Task", options: ({ asked }) => distinct(ofAsked(asked).map((row) => row.task)).map((task) => [task, task]) },
  ],

  view({ asked, task }) {
    const rows = ofAsked(asked);
    const shown = rows.filter((row) => row.task === task && isNumber(row.usd_per_task));
    const seller = rows[0]?.only_seller;
    return [
      pricesAsOf(),
      figure({
        name: "tasks",
        kind: "list",
        title: task,
        subtitle: "Point: cost on demand, at the typical neocloud price or at a list price whose day is not known; band: its range; tick: at spot prices. Ranges that overlap give no certain order. Preview and research systems stand apart.",
        unit: shown[0]?.cost_unit ?? "US$",
        rows: shown.map((row) => ({
          key: keyOf(row), group: row.place === null ? "preview and research systems" : row.is_asked ? asked : "others", label: partName(row.accelerator_id),
          value: row.usd_per_task, low: row.usd_per_task_low, middle: row.usd_per_task_at_spot, high: row.usd_per_task_high, text: usd(row.usd_per_task),
          detail: [rangeWords(row.usd_per_task_low, row.usd_per_task_high), `${number(row.throughput_per_accelerator)} ${row.result_unit} each, ${row.release}`, row.rent_basis, row.verdict, row.caveats].filter(Boolean).join("; "),
        })),
        empty: "No accelerator of this task has a price.",
        tableRows: rows, rowKey: keyOf, columns: columnsOf(seller), open: true,
      }),
      note(`The table has all tasks of ${asked}. Only costs of one task compare, of training at the size at which most accelerators were measured. One accelerator is what MLPerf counts as one: a TPU chip or a GPU package, which differ in size. Costs at spot prices and at the list prices of one seller have columns of their own.`),
    ];
  },
};
