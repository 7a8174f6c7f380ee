// A power limit: machines, tokens, cost and emissions of each accelerator. Rows of the SQL function power_budget.
import { distinct, rowsOf } from "../data.js";
import { integer, large, number, usd } from "../format.js";
import { figure } from "../chart.js";
import { DEFAULT_OWNER, benchmarkName, column, modelName, note, ownerWords, partName, pricesAsOf, rangeWords, shortName, stops, tiles, words } from "../common.js";

const powerValues = (key) => distinct(rowsOf("power_options").map((row) => row[key]));

const powerColumns = [
  column.accelerator(), column.integer("machines", "Machines"), column.integer("machine_accelerators", "Accelerators of one"), column.integer("racks", "Racks"), column.integer("accelerators", "Accelerators"),
  column.integer("machines_at_drawn_power", "Machines at drawn power"), column.integer("machines_at_drawn_power_low", "low"), column.integer("machines_at_drawn_power_high", "high"),
  column.number("tokens_per_day", "Tokens a day", large),
  column.usd("rented_usd_per_month", "Rent a month"), column.usd("rented_usd_per_month_low", "low"), column.usd("rented_usd_per_month_high", "high"),
  column.usd("owned_usd_per_month", "Owning a month"), column.usd("owned_usd_per_month_low", "low"), column.usd("owned_usd_per_month_high", "high"), column.usd("purchase_usd", "Purchase"),
  column.number("kg_co2e_per_month", "kg CO2e a month", integer), column.number("kg_co2e_per_month_low", "low", integer), column.number("kg_co2e_per_month_high", "high", integer),
  column.number("provisioned_watts_per_accelerator", "W each, provisioned", integer), column.number("drawn_watts_per_accelerator", "W each, drawn", integer), column.number("pue", "PUE"),
  column.words("capex_basis", "Capital is"), column.text("price_level", "Capital prices of"), column.text("rent_basis", "Rent is", { wide: true }),
  column.text("release", "Round"), column.text("number_format", "Format"), column.number("output_tokens_per_s_per_accelerator", "Tokens/s each"), column.text("submitter", "Submitter"), column.text("result_id", "Result", { wide: true }),
];

export const pagePower = {
  id: "power",
  place: "Choose",
  tab: "Power limit",
  title: "How many tokens can I generate within a power limit?",
  lead: "Machines that so many megawatts carry, tokens a day, cost a month rented and owned, and CO2e, for each accelerator.",
  controls: [
    { name: "benchmark", label: "Model (MLPerf benchmark)",
      options: () => powerValues("benchmark_id").map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["deepseek-r1", "llama2-70b-99"].find((id) => options.some(([value]) => value === id)) },
    stops("megawatts", "power_options", "megawatts", "Megawatts, with cooling", (value) => `${value} MW`, 5),
    { name: "owner", label: "Owner", options: () => powerValues("owner").map((id) => [id, ownerWords(id)]),
      initial: (_, options) => options.find(([id]) => id === DEFAULT_OWNER)?.[0] },
  ],

  view({ benchmark, megawatts, owner }) {
    const options = rowsOf("power_options").filter((row) => row.benchmark_id === benchmark && String(row.megawatts) === megawatts && row.owner === owner)
      .map((row) => ({ ...row, key: row.accelerator_id }));
    const rows = options.filter((row) => !row.reason).sort((a, b) => b.tokens_per_day - a.tokens_per_day || (a.key < b.key ? -1 : 1));
    const below = options.filter((row) => row.reason);
    const [best] = rows;
    return [
      pricesAsOf(),
      tiles(best ? [
        ["Most tokens", `${integer(best.machines)} machines`, `${integer(best.accelerators)} × ${shortName(best.accelerator_id)}: ${large(best.tokens_per_day)} output tokens a day at 60 % utilisation`],
        ["Rented", usd(best.rented_usd_per_month), `a month, ${rangeWords(best.rented_usd_per_month_low, best.rented_usd_per_month_high)}`],
        ["Owned", usd(best.owned_usd_per_month), `a month, ${rangeWords(best.owned_usd_per_month_low, best.owned_usd_per_month_high)}${best.price_level ? `; capital: ${words(best.capex_basis).toLowerCase()}, prices of ${best.price_level}` : ""}`],
      ] : [["Most tokens", "None", "the limit carries no machine that holds the model"]]),
      figure({
        name: "power",
        kind: "list",
        title: `${modelName(benchmark)} within ${megawatts} MW`,
        subtitle: `Output tokens a day at 60 % of the measured throughput, of the machines that the limit carries at their power at full load (with host and network) × PUE ${number(options[0]?.pue)}.`,
        unit: "output tokens a day",
        rows: rows.map((row) => ({
          key: row.key, label: `${integer(row.machines)} × ${integer(row.machine_accelerators)} ${partName(row.accelerator_id)}`, value: row.tokens_per_day, text: large(row.tokens_per_day),
          detail: `rented ${usd(row.rented_usd_per_month)}, owned ${usd(row.owned_usd_per_month)} a month; ${integer(row.kg_co2e_per_month)} kg CO2e a month; ${row.release}, ${row.submitter}`,
        })),
        tableRows: rows, rowKey: (row) => row.key, columns: powerColumns, open: true,
        empty: "The limit carries no machine that holds the model. The table below has the reasons.",
      }),
      below.length > 0 && figure({
        name: "not-carried", title: "Not ranked, and why", columns: [column.accelerator(), column.number("provisioned_watts_per_accelerator", "W each, provisioned", integer), column.text("reason", "Why not", { wide: true })],
        tableRows: below, rowKey: (row) => row.key,
      }),
      note("Tokens are those of the best available result, used at 60 %. Emissions are those of the power drawn on average (modelled, with its range) on the average grid of the world or country that the table names. Another limit, a number of machines, or another month count: the command “accelmart power-budget” and the SQL function “power_budget”."),
    ];
  },
};
