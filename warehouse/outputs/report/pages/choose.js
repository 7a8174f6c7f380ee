// Within a budget: which accelerator, how many, rented or owned, serves a model. Rows of the SQL function choose for a month;
// months, budget and joules scale and filter them.

const WAYS = { rent: "Rent", own: "Own" };
const amountField = (group, name, label, unit, initial, slider, more) =>
  ({ group, name, label, unit, min: 0, above: 0, max: 1e15, step: 1, slider, initial: () => initial, origin: () => "", ...more });
const valuesOf = (key) => distinct(rowsOf("serving_options").map((row) => row[key]));

const choiceColumns = columns(`accelerator_id|how|accelerators|cost_usd± Cost over the months|paid_usd To pay within them|usd_per_output_mtok|price_basis Price is
  |usd_per_accelerator_hour|cost_usd_cheapest At the cheapest seller|cost_usd_median At the median seller|purchase_usd|running_usd Running cost|size_note Fewer accelerators than measured
  |j_modelled J per token, modelled|j_measured J per token, measured|energy_kwh kWh over the months|needed_memory_gb GB needed|machine_memory_gb GB of a machine|ttft_ms_p99 TTFT p99, ms|tpot_ms_p99 TPOT p99, ms
  |release|scenario|number_format|output_tokens_per_s_per_accelerator|submitter|n_sellers|seller_names Sellers by name|seen Prices seen|price_level|capex_basis
  |notes Not known or uncertain|result_id|source_url`, { how: { text: (value) => WAYS[value] } });
const REASON_KEYS = ["accelerator_id", "how", "accelerators", "cost_usd", "cost_usd_low", "cost_usd_high", "paid_usd"];
const reasonColumns = [...choiceColumns.filter((each) => REASON_KEYS.includes(each.key)), ...columns("reason Why not")];

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
      : month.n_sellers_of_level ? `typical price, ${sellersWords(month.n_sellers_of_level)}` : `median over sellers, ${sellersWords(month.n_sellers)}`,
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

addPage({
  id: "choose",
  place: "Choose",
  tab: "Within a budget",
  title: "What serves my model within a budget?",
  lead: "Accelerators that serve your load within your budget: which, how many, and whether to rent or buy.",
  find: "budget|tokens per day|which accelerator",
  command: ["choose", "choose"],
  controls: [
    modelChoice(() => valuesOf("benchmark_id"), ["llama3.1-405b", "llama2-70b-99"], { group: "Load" }),
    { group: "Load", ...stops("mtokens", "serving_options", "mtokens", "Output tokens a day, at 60 % utilisation", (value) => large(value * 1e6), 100) },
    amountField("Money", "budget", "Budget", "US$ to pay within the months", 1e6, [1e4, 1e7]),
    amountField("Money", "months", "Months", "of 730 hours", 12, [1, 48], { max: 600 }),
    { group: "Money", ...ownerChoice("owner", () => valuesOf("owner")) },
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
      tiles([
        ["Lowest cost", best ? `${integer(best.accelerators)} × ${shortName(best.accelerator_id)}` : "None",
          best ? `${WAYS[best.how].toLowerCase()}, ${usd(best.cost_usd)} over the months, ${rangeWords(best.cost_usd_low, best.cost_usd_high)}${best.price_basis ? `; ${best.price_basis}` : ""}${best.price_level ? `; capital: ${lower(best.capex_basis)}, prices of ${best.price_level}` : ""}. ${separationWords(rows.map(ranged), optionName)}` : "no option holds the model within budget and limits", best?.size_note],
        ["Recommended", `${rows.length} of ${options.length}`, "options hold the model within budget and limits"],
        ["To pay", best ? usd(best.paid_usd) : "–", `of a budget of ${usd(chosen.budget)}`],
      ]),
      figure({
        name: "choose",
        title: `${modelName(chosen.benchmark)}, ${large(chosen.mtokens * 1e6)} output tokens a day for ${number(chosen.months)} months`,
        subtitle: "The point is the typical rent, or the cost of owning, over the months; the band is its range, the tick the cheapest seller. All payments within the months, a purchase in full, stay within the budget.",
        unit: "US$ over the months",
        rows: rows.map((row) => ({
          ...bar(row, "cost_usd"), group: WAYS[row.how], label: `${integer(row.accelerators)} × ${optionName(row)}`,
          middle: row.cost_usd_cheapest,
          detail: `${row.price_basis ? `${row.price_basis}; ` : ""}to pay ${usd(row.paid_usd)}; ${usd(row.usd_per_output_mtok)} per million tokens${row.size_note ? ` (${row.size_note})` : ""}; ${row.release} ${row.scenario}, ${row.submitter}`,
        })),
        tableRows: rows, columns: choiceColumns, open: true,
        empty: "No option holds the model, keeps the limits and stays within the budget. The table below has the reasons.",
      }),
      below.length > 0 && figure({
        name: "not-recommended", title: "Not recommended, and why", columns: reasonColumns, tableRows: below,
      }),
      note("Accelerators run at 60 % of their measured throughput, all the time. You rent machines of the size that a seller states, and buy whole nodes or racks. A machine fits when it holds all parameters in the measured format plus 20 %."),
    ];
  },
});
