// Accelerators that one has: what tokens cost to run, and whether to sell and rent. Rows of the SQL function keep_or_sell for 64 of them.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { integer, large, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, benchmarkName, column, modelName, note, partName, pricesAsOf, rangeWords, tiles, words } from "../common.js";

const keptValues = (rows, key) => distinct(rows.map((row) => row[key]));
const wayName = (row) => (row.option === "keep" ? "Keep" : `Sell, rent ${integer(row.accelerators)} × ${partName(row.accelerator_id)}`);

const keptColumns = [
  { key: "option", title: "Option", value: (row) => row.option, text: (value) => words(value) }, column.accelerator(), column.integer("accelerators", "Number"),
  column.usd("usd", "Cost over the months"), column.usd("usd_low", "low"), column.usd("usd_high", "high"), column.words("standing", "Standing"),
  column.usd("usd_per_output_mtok", "$ per M tokens"), column.usd("running_usd_per_output_mtok", "of it running"), column.usd("running_usd_per_output_mtok_low", "low"), column.usd("running_usd_per_output_mtok_high", "high"),
  column.integer("sell_from_month", "Selling costs no more from month"), column.integer("sell_from_month_low", "low"), column.integer("sell_from_month_high", "high"),
  column.usd("electricity_usd", "Electricity"), column.usd("colocation_usd", "Space and cooling"), column.usd("maintenance_usd", "Maintenance"), column.usd("staff_usd", "Staff"), column.usd("value_lost_usd", "Value lost, with interest"),
  column.usd("usd_per_accelerator_hour", "$ per accelerator-hour"), column.text("uncertainty_basis", "Range is of", { wide: true }), column.text("sellers", "Sellers", { wide: true }),
  column.text("release", "Round"), column.text("number_format", "Format"), column.number("output_tokens_per_s_per_accelerator", "Tokens/s each"), column.text("result_id", "Result", { wide: true }),
];

export const pageMachines = {
  id: "keep-or-sell",
  place: "Choose",
  tab: "Machines you own",
  title: "What do my accelerators cost to run, and should I sell them?",
  lead: "Running cost of a token on accelerators that you own, what the same tokens cost on rented ones, and what yours would sell for.",
  controls: [
    { name: "accelerator", label: "64 accelerators of", resets: ["model"],
      options: () => keptValues(rowsOf("kept_machines"), "had").map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb"].find((id) => options.some(([value]) => value === id)) },
    { name: "model", label: "Model (MLPerf benchmark)",
      options: ({ accelerator }) => keptValues(rowsOf("kept_machines").filter((row) => row.had === accelerator), "benchmark_id").map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => options.find(([id]) => id === "llama2-70b-99")?.[0] },
  ],

  view({ accelerator, model }) {
    const rows = rowsOf("kept_machines").filter((row) => row.had === accelerator && row.benchmark_id === model)
      .map((row) => ({ ...row, key: `${row.option}|${row.accelerator_id}` })).sort((a, b) => a.usd - b.usd);
    const keep = rows.find((row) => row.option === "keep");
    const [rent] = rows.filter((row) => row.option !== "keep");
    const from = rent?.sell_from_month;
    return [
      pricesAsOf(),
      tiles([
        ["Running cost", usd(keep?.running_usd_per_output_mtok), `per million output tokens, ${rangeWords(keep?.running_usd_per_output_mtok_low, keep?.running_usd_per_output_mtok_high)}: electricity, space, maintenance, staff`],
        ["The same tokens rented", usd(rent?.usd_per_output_mtok), rent ? `per million: ${wayName(rent).replace("Sell, rent ", "")}, ${rangeWords(rent.usd_per_output_mtok_low, rent.usd_per_output_mtok_high)}` : "no accelerator with a result and a price"],
        ["They would sell for", usd(keep?.resale_usd), `${rangeWords(keep?.resale_usd_low, keep?.resale_usd_high)}; ${keep?.resale_basis}`],
        ["Sell?", keep?.standing ? `Keeping ${words(keep.standing).toLowerCase()}`.replace("Keeping about", "Keeping costs about") : "No verdict", isNumber(from) ? (from === 1 ? "renting costs no more for any time" : `renting costs no more from ${integer(from)} months on`) : "renting costs more for any time that is compared"],
      ]),
      figure({
        name: "keep-or-sell",
        kind: "list",
        title: `64 × ${partName(accelerator)}: ${modelName(model)}, ${large(keep?.tokens_per_day)} output tokens a day for ${integer(keep?.months)} months`,
        subtitle: "Keep: running cost, value lost and interest on what they would sell for. Sell and rent: the rent of whole machines that generate the same tokens, on demand at the price level, or at the median over sellers.",
        unit: "US$ over the months",
        rows: rows.map((row) => ({
          key: row.key, group: words(row.option), label: wayName(row), value: row.usd, low: row.usd_low, high: row.usd_high, text: usd(row.usd),
          detail: `${usd(row.usd_per_output_mtok)} per million tokens; ${row.uncertainty_basis}`,
        })),
        tableRows: rows, rowKey: (row) => row.key, columns: keptColumns, open: true,
        empty: "There is no cost of ownership, or no result, of this accelerator.",
      }),
      note("At 60 % of the measured throughput; machines run all the time. Another number, age, owner or time: the command “accelmart keep-or-sell” and the SQL function “keep_or_sell”. If an accelerator has no result of a model, they use the nearest older task and name it."),
    ];
  },
};
