// What tokens cost to produce, and what providers charge for them: rows of the SQL function token_cost_and_price.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { day, integer, list, number, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { benchmarkName, column, modelName, note, partName, pricesAsOf, providerName, rangeWords, sellersWords, separationWords, tiles } from "../common.js";

const tokenRows = (benchmark) => rowsOf("token_costs_and_prices").filter((row) => row.benchmark_id === benchmark);

const TOKEN_USES = [["full", "Cost at full use"], ["low", "Cost at 30 % use"]];
const CHARGED_AGAINST_COST = {
  above_cost_at_low_use: "above the cost at 30 % use", between_costs: "between the costs at full and at 30 % use", below_cost_at_full_use: "below the cost at full use",
};

const tokenCostColumns = [
  column.accelerator(), column.usd("usd_per_total_mtok_at_full_use", "At full use"), column.usd("usd_per_total_mtok_at_full_use_low", "low"), column.usd("usd_per_total_mtok_at_full_use_high", "high"),
  column.usd("usd_per_total_mtok_at_low_use", "At 30 % use"), column.usd("usd_per_total_mtok_at_low_use_low", "low"), column.usd("usd_per_total_mtok_at_low_use_high", "high"),
  column.usd("usd_per_accelerator_hour", "$ per accelerator-hour"), column.integer("n_sellers", "Sellers"), column.day("price_as_of", "Rents of"), column.text("release", "Round"), column.text("number_format", "Format"),
  column.text("charged_against_cost", "Median price is", { wide: true, node: (row) => CHARGED_AGAINST_COST[row.charged_against_cost] ?? "–" }),
  column.text("submitter", "Submitter"), column.text("result_id", "Result", { wide: true }), column.link("source_url", "Result", "at MLCommons"), column.text("reason", "Why no figure", { wide: true }),
];
const tokenPriceColumns = [
  { key: "provider", title: "Provider", value: (row) => row.provider, text: (value) => providerName(value) }, column.text("market_model", "Model"), column.usd("usd_per_total_mtok_charged", "Price, input and output together"),
  column.usd("usd_per_input_mtok", "Input"), column.usd("usd_per_output_mtok", "Output"), column.words("price_kind", "Kind"), column.text("sold_through", "Sold through"), column.text("terms", "Terms"),
  column.day("charged_as_of", "Listed on"), column.days("days_unchanged", "Unchanged for"), column.text("apart_reason", "Why apart", { wide: true }), column.link("source_url", "List"),
];

export const pageTokens = {
  id: "tokens",
  place: "Prices",
  tab: "Tokens",
  title: "What do tokens cost to produce, and what are they sold for?",
  lead: "Accelerators rented on demand at typical neocloud prices, at full and at 30 % use, next to what providers charge for the same mix of input and output tokens.",
  controls: [
    { name: "benchmark", label: "Model (MLPerf benchmark)", resets: ["scenario"],
      options: () => distinct(rowsOf("token_costs_and_prices").filter((row) => row.row_kind === "cost").map((row) => row.benchmark_id)).map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["llama3.1-405b", "deepseek-r1"].find((id) => options.some(([value]) => value === id)) },
    { name: "scenario", label: "Scenario",
      options: ({ benchmark }) => distinct(tokenRows(benchmark).map((row) => row.scenario).filter(Boolean)).sort().map((name) => [name, name]),
      initial: (_, options) => options.find(([value]) => value === "Server")?.[0] },
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
      pricesAsOf(),
      tiles([
        ["Lowest cost at full use", known.length ? usd(lowest.usd_per_total_mtok_at_full_use) : "not known", known.length
          ? `${partName(lowest.accelerator_id)}, ${scenario}; ${rangeWords(ranged[0].low, ranged[0].high)}, ${sellersWords(lowest.n_sellers)}; ${separationWords(ranged, (row) => partName(row.accelerator_id))}` : lowest?.reason],
        known.length > 0 && ["The same at 30 % use", usd(lowest.usd_per_total_mtok_at_low_use), rangeWords(lowest.usd_per_total_mtok_at_low_use_low, lowest.usd_per_total_mtok_at_low_use_high)],
        ["Median price charged", isNumber(lowest?.usd_per_total_mtok_charged) ? usd(lowest.usd_per_total_mtok_charged) : "not known", lowest?.n_providers
          ? `${plural(lowest.n_providers, "provider")}, ${rangeWords(lowest.usd_per_total_mtok_charged_low, lowest.usd_per_total_mtok_charged_high)}; listed on ${day(lowest.charged_as_of)}; ${integer(lowest.n_providers_unchanged_for_a_year)} unchanged for a year: ${list(lowest.providers.split(", ").map(providerName))}` : "no provider lists the model"],
      ].filter(Boolean)),
      figure({
        name: "token-costs-and-prices",
        kind: "list",
        title: `${modelName(benchmark)}, ${scenario}: US$ per million tokens`,
        subtitle: known.length ? `Input and output together, ${number(lowest.mean_input_length)} input tokens for ${number(lowest.mean_output_length)} output tokens, as in the benchmark. Band of a cost: range of the price level. A price covers more than accelerators, and idle machines cost as much as busy ones: a cost is not subtracted from a price.` : "",
        unit: "US$ per million tokens",
        rows: [
          ...TOKEN_USES.flatMap(([use, group]) => known.map((row) => ({
            key: `${use}|${row.accelerator_id}`, group, label: partName(row.accelerator_id), value: row[`usd_per_total_mtok_at_${use}_use`], low: row[`usd_per_total_mtok_at_${use}_use_low`], high: row[`usd_per_total_mtok_at_${use}_use_high`],
            text: usd(row[`usd_per_total_mtok_at_${use}_use`]), detail: `${rangeWords(row[`usd_per_total_mtok_at_${use}_use_low`], row[`usd_per_total_mtok_at_${use}_use_high`])}, ${sellersWords(row.n_sellers)}; ${row.release}, ${row.submitter}`,
          }))),
          ...prices.filter((row) => isNumber(row.usd_per_total_mtok_charged)).map((row) => ({
            key: `price|${row.provider}`, group: "Price charged", label: providerName(row.provider), value: row.usd_per_total_mtok_charged, text: usd(row.usd_per_total_mtok_charged),
            detail: `listed on ${day(row.charged_as_of)}, unchanged for ${plural(row.days_unchanged, "day")}; input ${usd(row.usd_per_input_mtok)}, output ${usd(row.usd_per_output_mtok)}`,
          })),
        ],
        tableRows: costs, rowKey: (row) => row.accelerator_id, columns: tokenCostColumns, open: true,
        empty: `${lowest?.reason ?? "No price level of an accelerator with a result"}. The prices of input and of output tokens are in the table below.`,
      }),
      prices.length > 0 && figure({ name: "token-prices", title: "Prices charged, by provider", columns: tokenPriceColumns, tableRows: prices, rowKey: (row) => `${row.provider}|${row.terms}` }),
      apart.length > 0 && figure({ name: "token-prices-apart", title: "Apart: discounts, prices of some hours, related models", columns: tokenPriceColumns, tableRows: apart, rowKey: (row) => [row.provider, row.market_model, row.price_kind, row.terms, row.sold_through, row.source_url, row.usd_per_output_mtok, row.usd_per_input_mtok].join("|") }),
      note("The command “accelmart tokens” and the SQL function “token_cost_and_price” give the same figures."),
    ];
  },
};
