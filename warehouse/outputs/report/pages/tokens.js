// What tokens cost to produce, and what providers charge for them: rows of the SQL function token_cost_and_price.

const tokenRows = (benchmark) => rowsOf("token_costs_and_prices").filter((row) => row.benchmark_id === benchmark);

const TOKEN_USES = [["full", "Cost at full use"], ["low", "Cost at 30 % use"]];
const CHARGED_AGAINST_COST = {
  above_cost_at_low_use: "above the cost at 30 % use", between_costs: "between the costs at full and at 30 % use", below_cost_at_full_use: "below the cost at full use",
};

const tokenCostColumns = columns(`accelerator_id|usd_per_total_mtok_at_full_use± At full use|usd_per_total_mtok_at_low_use± At 30 % use|usd_per_accelerator_hour|n_sellers|charged_against_cost Median price is|release|number_format|submitter|result_id|source_url|reason Why no figure`, {
  charged_against_cost: { show: (value) => CHARGED_AGAINST_COST[value] ?? "–" },
});
const tokenPriceColumns = columns(`provider|market_model Model|usd_per_total_mtok_charged Input and output together|usd_per_input_mtok Input|usd_per_output_mtok Output|charged_as_of Listed on|days_unchanged Unchanged for|price_kind:words Kind|sold_through|terms|apart_reason Why apart|source_url`);

addPage({
  id: "tokens",
  place: "Prices",
  tab: "Tokens",
  title: "What do tokens cost to produce, and what are they sold for?",
  lead: "What a million tokens costs to produce on rented accelerators, next to what providers charge for it.",
  find: "API prices|token prices|margin|OpenRouter",
  command: ["tokens", "token_cost_and_price"],
  controls: [
    modelChoice(() => idsOf("token_costs_and_prices", "benchmark_id", (row) => row.row_kind === "cost"), ["llama3.1-405b", "deepseek-r1"], { resets: ["scenario"] }),
    scenarioChoice(({ benchmark }) => tokenRows(benchmark).map((row) => row.scenario)),
  ],

  view({ benchmark, scenario }) {
    const rows = tokenRows(benchmark);
    const costs = rows.filter((row) => row.scenario === scenario);
    const prices = rows.filter((row) => row.row_kind === "price");
    const apart = rows.filter((row) => row.row_kind === "price apart");
    const [lowest] = costs;
    const known = costs.filter((row) => isNumber(row.usd_per_total_mtok_at_full_use));
    const ranged = known.map((row) => ({ ...row, usd: row.usd_per_total_mtok_at_full_use, low: row.usd_per_total_mtok_at_full_use_low, high: row.usd_per_total_mtok_at_full_use_high }));
    return [
      tiles([
        ["Lowest cost at full use", known.length ? usd(lowest.usd_per_total_mtok_at_full_use) : "not known", known.length
          ? `${partName(lowest.accelerator_id)}, ${scenario}; ${rangeWords(ranged[0].low, ranged[0].high)}, ${sellersWords(lowest.n_sellers)}. ${separationWords(ranged, (row) => partName(row.accelerator_id))}` : lowest?.reason],
        known.length > 0 && ["The same at 30 % use", usd(lowest.usd_per_total_mtok_at_low_use), rangeWords(lowest.usd_per_total_mtok_at_low_use_low, lowest.usd_per_total_mtok_at_low_use_high)],
        ["Median price charged", isNumber(lowest?.usd_per_total_mtok_charged) ? usd(lowest.usd_per_total_mtok_charged) : "not known", lowest?.n_providers
          ? `${plural(lowest.n_providers, "provider")}, ${rangeWords(lowest.usd_per_total_mtok_charged_low, lowest.usd_per_total_mtok_charged_high)}; listed on ${day(lowest.charged_as_of)}; ${integer(lowest.n_providers_unchanged_for_a_year)} unchanged for a year: ${list(lowest.providers.split(", ").map(providerName))}` : "no provider lists the model"],
      ].filter(Boolean)),
      figure({
        name: "token-costs-and-prices",
        title: `${modelName(benchmark)}, ${scenario}: US$ per million tokens`,
        subtitle: known.length ? `Input and output together, ${number(lowest.mean_input_length)} input tokens for ${number(lowest.mean_output_length)} output tokens, as in the benchmark. A provider's price also covers idle machines and everything else, so the difference is not its margin.` : "",
        unit: "US$ per million tokens",
        rows: [
          ...TOKEN_USES.flatMap(([use, group]) => known.map((row) => ({
            ...bar(row, `usd_per_total_mtok_at_${use}_use`), key: `${use}|${row.accelerator_id}`, group, detail: `${rangeWords(row[`usd_per_total_mtok_at_${use}_use_low`], row[`usd_per_total_mtok_at_${use}_use_high`])}, ${sellersWords(row.n_sellers)}; ${row.release}, ${row.submitter}`,
          }))),
          ...prices.filter((row) => isNumber(row.usd_per_total_mtok_charged)).map((row) => ({
            ...bar(row, "usd_per_total_mtok_charged"), key: `price|${row.provider}`, group: "Price charged", label: providerName(row.provider), low: null,
            detail: `listed on ${day(row.charged_as_of)}, unchanged for ${plural(row.days_unchanged, "day")}; input ${usd(row.usd_per_input_mtok)}, output ${usd(row.usd_per_output_mtok)}`,
          })),
        ],
        tableRows: costs, columns: tokenCostColumns, open: true,
        empty: `${lowest?.reason ?? "No typical price of an accelerator with a result"}. The prices of input and of output tokens are in the table below.`,
      }),
      figure({
        name: "token-prices", title: "Prices charged, by provider", tableRows: [...prices, ...apart], groupBy: (row) => (row.row_kind === "price" ? "Compared" : "Apart: discounts, prices of some hours, related models"),
        columns: tokenPriceColumns, rowKey: "provider|market_model|price_kind|terms|sold_through|source_url|usd_per_output_mtok|usd_per_input_mtok", empty: "No provider lists the model.",
      }),
    ];
  },
});
