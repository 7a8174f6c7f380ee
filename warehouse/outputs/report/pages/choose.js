// Within a budget: which accelerator, how many, rented or owned, serves a model.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { integer, list, number, usd } from "../format.js";
import { figure } from "../chart.js";
import { chooseOptions, servedModels } from "../choosing.js";
import { DEFAULT_OWNER, acceleratorName, benchmarkName, column, countryName, modelName, note, ownerWords, partName, pricesAsOf, providerName, rangeWords, sellersWords, separationWords, shortName, tiles, words } from "../common.js";

const WAYS = { rent: "Rent", own: "Own", have: "Already there" };
const amountField = (group, name, label, unit, initial, slider, more) =>
  ({ group, name, label, unit, min: 0, above: 0, max: 1e15, step: 1, slider, initial: () => initial, origin: () => "", ...more });

const notesOfOption = (row) => list([
  row.how === "rent" && (row.n_sellers === 1 || row.n_sellers_of_level === 1) && "one seller",
  row.unstated > 0 && `${row.unstated} of ${row.n_sellers} sellers do not state the size of the machine: that of the node is assumed`,
  row.machine < row.accelerator_count && `measured on ${row.accelerator_count} accelerators`,
  row.j_measured === null && (row.j_modelled === null ? "energy not known" : "energy modelled"),
  row.how === "own" && `capital: ${words(row.capex_basis).toLowerCase()}`,
  row.availability !== "available" && `measured system: ${row.availability}`,
].filter(Boolean));

const choiceColumns = [
  column.accelerator(), { key: "how", title: "How", value: (row) => row.how, text: (value) => WAYS[value] },
  column.integer("accelerators", "Number"), column.usd("cost_usd", "Cost over the months"), column.usd("cost_usd_low", "low"), column.usd("cost_usd_high", "high"),
  column.text("price_basis", "Price", { value: (row) => row.price_basis }), column.usd("usd_per_accelerator_hour", "$ per accelerator-hour"), column.usd("cost_usd_cheapest", "at the cheapest seller"), column.usd("cost_usd_median", "at the median seller"),
  column.usd("paid_usd", "To pay within them"), column.usd("purchase_usd", "of it the purchase"), column.usd("running_usd", "of it running"),
  column.usd("usd_per_output_mtok", "$ per M tokens"), column.text("size_note", "Fewer accelerators than measured", { value: (row) => row.size_note ?? null, wide: true }), column.number("j_modelled", "J per token, modelled"), column.number("j_measured", "measured"),
  column.number("energy_kwh", "kWh over the months", integer), column.number("needed_gb", "GB needed"), column.number("machine_gb", "GB of a machine"),
  column.number("ttft_ms_p99", "TTFT p99, ms"), column.number("tpot_ms_p99", "TPOT p99, ms"), column.text("release", "Round"), column.text("scenario", "Scenario"),
  column.text("number_format", "Format"), column.number("output_tokens_per_s_per_accelerator", "Tokens/s each"), column.text("submitter", "Submitter"),
  column.integer("n_sellers", "Sellers"), column.text("sellers", "Sellers by name", { value: (row) => row.sellers, wide: true }), column.text("seen", "Prices seen", { value: (row) => row.seen }),
  column.text("price_level", "Capital prices of"), column.words("capex_basis", "Capex is"), column.text("notes", "Not known or uncertain", { value: (row) => row.notes, wide: true }),
  column.text("result_id", "Result", { value: (row) => row.result_id, wide: true }), column.link("source_url", "Result", "at MLCommons"),
];
const REASON_KEYS = ["accelerator_id", "how", "accelerators", "cost_usd", "paid_usd"];
const reasonColumns = [...choiceColumns.filter((each) => REASON_KEYS.includes(each.key)),
  column.text("reason", "Why not", { value: (row) => row.reason, wide: true })];

function shownOption(option, { tokensPerDay }) {
  const seen = (option.offers ?? []).map((offer) => offer.seen_on).sort();
  return {
    ...option,
    usd_per_output_mtok: isNumber(option.cost_usd) ? (option.cost_usd / ((tokensPerDay * option.hours) / 24)) * 1e6 : null,
    needed_gb: isNumber(option.needed_bytes) ? option.needed_bytes / 1e9 : null,
    machine_gb: isNumber(option.machine) && isNumber(option.memory_gb) ? option.machine * option.memory_gb : null,
    sellers: option.offers?.length ? list(option.offers.map((offer) => providerName(offer.provider))) : null,
    seen: seen.length ? `${seen[0]} to ${seen.at(-1)}` : null,
    n_sellers: option.how === "rent" ? option.n_sellers : null,
    price_basis: option.how !== "rent" || !option.n_sellers ? null
      : option.n_sellers_of_level ? `price level, ${sellersWords(option.n_sellers_of_level)}` : `plain median, ${sellersWords(option.n_sellers)}`,
    notes: notesOfOption(option) || null,
  };
}

export const pageChoose = {
  id: "choose",
  place: "Choose",
  tab: "Within a budget",
  title: "What serves my model within a budget?",
  lead: "Accelerator, number, and rent or own, for a load, a budget and limits. Measured throughput, recent on-demand prices, and the cost of ownership.",
  controls: [
    { group: "Load", name: "benchmark", label: "Model (MLPerf benchmark)",
      options: () => servedModels().map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["llama3.1-405b", "llama2-70b-99"].find((id) => options.some(([value]) => value === id)) },
    amountField("Load", "mtokens", "Load", "million output tokens a day", 100, [1, 2000]),
    amountField("Load", "utilisation", "Utilisation", "% of the measured throughput", 60, [1, 100], { max: 100 }),
    amountField("Money", "budget", "Budget", "US$ to pay within the months", 1e6, [1e4, 1e7]),
    amountField("Money", "months", "Months", "of 730 hours", 12, [1, 48], { max: 600 }),
    { group: "Money", name: "owner", label: "Owner",
      options: () => distinct(rowsOf("tco").map((row) => row.scenario_id)).map((id) => [id, ownerWords(id)]),
      initial: (_, options) => options.find(([id]) => id === DEFAULT_OWNER)?.[0] },
    { group: "Money", name: "country", label: "Rent in",
      options: () => [["any", "Any country"], ...distinct(rowsOf("rent_offers").map((row) => row.country).filter(Boolean)).map((id) => [id, countryName(id)]).sort((a, b) => a[1].localeCompare(b[1]))] },
    amountField("Limits", "maxTtft", "Time to first token, p99", "ms at most", null, [100, 6000], { missing: "no limit" }),
    amountField("Limits", "maxJ", "Energy, with PUE", "J per output token at most", null, [0.1, 100], { missing: "no limit", step: 0.1 }),
    { group: "Already there", name: "have", label: "Accelerator",
      options: () => [["none", "None"], ...distinct(rowsOf("tco").map((row) => row.accelerator_id)).map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1]))] },
    amountField("Already there", "haveCount", "Number", "accelerators", 64, [1, 1024], { max: 1e6 }),
  ],

  view(chosen) {
    const ranged = (row) => ({ ...row, low: row.cost_usd_low, high: row.cost_usd_high });
    const optionName = (row) => `${partName(row.accelerator_id)} (${WAYS[row.how].toLowerCase()})`;
    const values = { ...chosen, tokensPerDay: chosen.mtokens * 1e6 };
    const { ranked, others } = chooseOptions(values);
    const rows = ranked.map((option) => shownOption(option, values));
    const below = others.map((option) => shownOption(option, values));
    const [best] = rows;
    return [
      pricesAsOf(),
      tiles([
        ["Lowest cost", best ? `${integer(best.accelerators)} × ${shortName(best.accelerator_id)}` : "None",
          best ? `${WAYS[best.how].toLowerCase()}, ${usd(best.cost_usd)} over the months, ${rangeWords(best.cost_usd_low, best.cost_usd_high)}${best.price_basis ? `; ${best.price_basis}` : ""}${best.price_level ? `; capital: ${words(best.capex_basis).toLowerCase()}, prices of ${best.price_level}` : ""}; ${separationWords(rows.map(ranged), optionName)}` : "no option holds the model within budget and limits", best?.size_note],
        ["Recommended", `${rows.length} of ${rows.length + below.length}`, "options hold the model within budget and limits"],
        ["To pay", best ? usd(best.paid_usd) : "–", `of a budget of ${usd(values.budget)}`],
      ]),
      figure({
        name: "choose",
        kind: "list",
        title: `${modelName(values.benchmark)}, ${number(values.mtokens)} million output tokens a day for ${number(values.months)} months`,
        subtitle: "Point: the rent at the price level (what an average neocloud would ask; band: its range; tick: the cheapest seller; in one country, and without a level, the median over sellers), or the cost of ownership over the months (band: all documented inputs at their cheap or expensive end). All payments within the months, including the full purchase, stay within the budget.",
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
      note("Machines run all the time. A rented machine has the size that the seller states, or that of the node which the part is built into; an owned one is a whole scale-up domain or node. A machine holds a model with all its parameters × bytes of the measured format × 1.2. Energy is at full use. The command “accelmart choose” and the SQL macro “choose” give the same."),
    ];
  },
};
