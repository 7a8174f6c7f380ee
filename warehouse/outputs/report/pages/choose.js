// Within a budget: which accelerator, how many, rented or owned, serves a model. Rows of the SQL function choose for a month;
// months, budget and joules scale and filter them.
import { distinct, rowBy, rowsOf } from "../data.js";
import { hours_in_months, isNumber } from "../formulas.js";
import { integer, large, list, number, usd } from "../format.js";
import { figure } from "../chart.js";
import { DEFAULT_OWNER, benchmarkName, column, modelName, note, ownerWords, partName, pricesAsOf, providerName, rangeWords, sellersWords, separationWords, shortName, stops, tiles, words } from "../common.js";

const WAYS = { rent: "Rent", own: "Own" };
const amountField = (group, name, label, unit, initial, slider, more) =>
  ({ group, name, label, unit, min: 0, above: 0, max: 1e15, step: 1, slider, initial: () => initial, origin: () => "", ...more });
const valuesOf = (key) => distinct(rowsOf("serving_options").map((row) => row[key]));

const choiceColumns = [
  column.accelerator(), { key: "how", title: "How", value: (row) => row.how, text: (value) => WAYS[value] },
  column.integer("accelerators", "Number"), column.usd("cost_usd", "Cost over the months"), column.usd("cost_usd_low", "low"), column.usd("cost_usd_high", "high"),
  column.text("price_basis", "Price"), column.usd("usd_per_accelerator_hour", "$ per accelerator-hour"), column.usd("cost_usd_cheapest", "at the cheapest seller"), column.usd("cost_usd_median", "at the median seller"),
  column.usd("paid_usd", "To pay within them"), column.usd("purchase_usd", "of it the purchase"), column.usd("running_usd", "of it running"),
  column.usd("usd_per_output_mtok", "$ per M tokens"), column.text("size_note", "Fewer accelerators than measured", { wide: true }), column.number("j_modelled", "J per token, modelled"), column.number("j_measured", "measured"),
  column.number("energy_kwh", "kWh over the months", integer), column.number("needed_memory_gb", "GB needed"), column.number("machine_memory_gb", "GB of a machine"),
  column.number("ttft_ms_p99", "TTFT p99, ms"), column.number("tpot_ms_p99", "TPOT p99, ms"), column.text("release", "Round"), column.text("scenario", "Scenario"),
  column.text("number_format", "Format"), column.number("output_tokens_per_s_per_accelerator", "Tokens/s each"), column.text("submitter", "Submitter"),
  column.integer("n_sellers", "Sellers"), column.text("seller_names", "Sellers by name", { wide: true }), column.text("seen", "Prices seen"),
  column.text("price_level", "Capital prices of"), column.words("capex_basis", "Capex is"), column.text("notes", "Not known or uncertain", { wide: true }),
  column.text("result_id", "Result", { wide: true }), column.link("source_url", "Result", "at MLCommons"),
];
const REASON_KEYS = ["accelerator_id", "how", "accelerators", "cost_usd", "paid_usd"];
const reasonColumns = [...choiceColumns.filter((each) => REASON_KEYS.includes(each.key)), column.text("reason", "Why not", { wide: true })];

/** An option of one month over the months, with what the budget and a limit on energy say against it. */
function optionOver({ mtokens, months, budget, maxJ }, month) {
  const over = (usdOrKwh) => (isNumber(usdOrKwh) ? usdOrKwh * months : null);
  const isRented = month.how === "rent";
  const joules = month.j_measured ?? month.j_modelled;
  const row = {
    ...rowBy("results", "result_id", month.result_id), ...month, key: `${month.accelerator_id}|${month.how}`,
    ...Object.fromEntries(["cost_usd", "cost_usd_low", "cost_usd_high", "cost_usd_cheapest", "cost_usd_median", "running_usd", "energy_kwh"].map((name) => [name, over(month[name])])),
    usd_per_output_mtok: isNumber(month.cost_usd) ? month.cost_usd / (mtokens * hours_in_months(1) / 24) : null,
    seller_names: month.sellers && list(month.sellers.split(", ").map(providerName)),
    seen: month.oldest_price_on && `${month.oldest_price_on} to ${month.newest_price_on}`,
    price_basis: !isRented || !month.n_sellers ? null
      : month.n_sellers_of_level ? `price level, ${sellersWords(month.n_sellers_of_level)}` : `plain median, ${sellersWords(month.n_sellers)}`,
  };
  const paid = isRented ? row.cost_usd : isNumber(row.running_usd) ? row.purchase_usd + row.running_usd : null;
  return {
    ...row, paid_usd: paid,
    reason: [
      month.reason,
      isNumber(maxJ) && joules === null && "the energy of a token is not known",
      isNumber(maxJ) && joules > maxJ && `a token takes ${Number(joules.toPrecision(3))} J, ${isNumber(month.j_measured) ? "measured" : "modelled"}`,
      paid > budget && (isRented ? "exceeds the budget" : "purchase and running cost exceed the budget"),
    ].filter(Boolean).join("; "),
    notes: [
      month.unknown,
      isRented && row.cost_usd_high > budget && "the high end of the range exceeds the budget",
      months > month.depreciation_months && isNumber(month.depreciation_months) && `the capital is paid back after ${month.depreciation_months} months`,
    ].filter(Boolean).join("; ") || null,
  };
}

function optionsOf(chosen) {
  const byCost = (a, b) => (a.cost_usd ?? Infinity) - (b.cost_usd ?? Infinity) || (a.key < b.key ? -1 : 1);
  return rowsOf("serving_options").filter((row) => row.benchmark_id === chosen.benchmark && String(row.mtokens) === chosen.mtokens
    && row.ttft_limits.split(" ").includes(chosen.maxTtft) && (row.owner ?? chosen.owner) === chosen.owner)
    .map((row) => optionOver(chosen, row)).sort(byCost);
}

export const pageChoose = {
  id: "choose",
  place: "Choose",
  tab: "Within a budget",
  title: "What serves my model within a budget?",
  lead: "Accelerator, number, and rent or own, for a load, a budget and limits. Measured throughput, recent on-demand prices, and the cost of ownership.",
  controls: [
    { group: "Load", name: "benchmark", label: "Model (MLPerf benchmark)",
      options: () => valuesOf("benchmark_id").map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["llama3.1-405b", "llama2-70b-99"].find((id) => options.some(([value]) => value === id)) },
    { group: "Load", ...stops("mtokens", "serving_options", "mtokens", "Output tokens a day, at 60 % utilisation", (value) => large(value * 1e6), 100) },
    amountField("Money", "budget", "Budget", "US$ to pay within the months", 1e6, [1e4, 1e7]),
    amountField("Money", "months", "Months", "of 730 hours", 12, [1, 48], { max: 600 }),
    { group: "Money", name: "owner", label: "Owner",
      options: () => valuesOf("owner").filter(Boolean).map((id) => [id, ownerWords(id)]),
      initial: (_, options) => options.find(([id]) => id === DEFAULT_OWNER)?.[0] },
    { group: "Limits", name: "maxTtft", label: "Time to first token, p99",
      options: () => [["none", "No limit"], ...distinct(valuesOf("ttft_limits").flatMap((limits) => limits.split(" "))).filter(Number)
        .sort((a, b) => a - b).map((limit) => [limit, `${integer(Number(limit))} ms at most`])] },
    amountField("Limits", "maxJ", "Energy, with PUE", "J per output token at most", null, [0.1, 100], { missing: "no limit", step: 0.1 }),
  ],

  view(chosen) {
    const ranged = (row) => ({ ...row, usd: row.cost_usd, low: row.cost_usd_low, high: row.cost_usd_high });
    const optionName = (row) => `${partName(row.accelerator_id)} (${WAYS[row.how].toLowerCase()})`;
    const options = optionsOf(chosen);
    const [rows, below] = [options.filter((row) => !row.reason), options.filter((row) => row.reason)];
    const [best] = rows;
    return [
      pricesAsOf(),
      tiles([
        ["Lowest cost", best ? `${integer(best.accelerators)} × ${shortName(best.accelerator_id)}` : "None",
          best ? `${WAYS[best.how].toLowerCase()}, ${usd(best.cost_usd)} over the months, ${rangeWords(best.cost_usd_low, best.cost_usd_high)}${best.price_basis ? `; ${best.price_basis}` : ""}${best.price_level ? `; capital: ${words(best.capex_basis).toLowerCase()}, prices of ${best.price_level}` : ""}; ${separationWords(rows.map(ranged), optionName)}` : "no option holds the model within budget and limits", best?.size_note],
        ["Recommended", `${rows.length} of ${options.length}`, "options hold the model within budget and limits"],
        ["To pay", best ? usd(best.paid_usd) : "–", `of a budget of ${usd(chosen.budget)}`],
      ]),
      figure({
        name: "choose",
        kind: "list",
        title: `${modelName(chosen.benchmark)}, ${large(chosen.mtokens * 1e6)} output tokens a day for ${number(chosen.months)} months`,
        subtitle: "Point: the rent at the price level (what an average neocloud would ask; band: its range; tick: the cheapest seller; without a level, the median over sellers), or the cost of ownership over the months (band: all documented inputs at their cheap or expensive end). All payments within the months, including the full purchase, stay within the budget.",
        unit: "US$ over the months",
        rows: rows.map((row) => ({
          key: row.key, group: WAYS[row.how], label: `${integer(row.accelerators)} × ${optionName(row)}`,
          value: row.cost_usd, low: row.cost_usd_low, middle: row.cost_usd_cheapest, high: row.cost_usd_high, text: usd(row.cost_usd),
          detail: `${row.price_basis ? `${row.price_basis}; ` : ""}to pay ${usd(row.paid_usd)}; ${usd(row.usd_per_output_mtok)} per million tokens${row.size_note ? ` (${row.size_note})` : ""}; ${row.release} ${row.scenario}, ${row.submitter}`,
        })),
        tableRows: rows, rowKey: (row) => row.key, columns: choiceColumns, open: true,
        empty: "No option holds the model, keeps the limits and stays within the budget. The table below has the reasons.",
      }),
      below.length > 0 && figure({
        name: "not-recommended", title: "Not recommended, and why", columns: reasonColumns, tableRows: below, rowKey: (row) => row.key,
      }),
      note("Accelerators carry the load at 60 % of their measured throughput; at 30 % they carry half of it. Machines run all the time. A rented machine has the size that the seller states, or that of the node which the part is built into; an owned one is a whole scale-up domain or node. A machine holds a model with all its parameters × bytes of the measured format × 1.2. Energy is at full use."),
      note("Any other load or utilisation, prices in one region, and accelerators that you already have (they cost what “of it running” shows): the command “accelmart choose” and the SQL function “choose”, which give the same figures."),
    ];
  },
};
