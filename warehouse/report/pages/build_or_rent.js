// Build or rent: break-even utilisation of an owned accelerator, and work per dollar of ownership.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { day, days, number, percent, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { DEFAULT_OWNER, acceleratorName, benchmarkName, column, inPricingOrder, levelOf, modelName, note, ownerWords, partName, pricesAsOf, providerName, rentPrice, standingWords, tiles, words } from "../common.js";

const CHEAPER = { own: "Own", rent: "Rent", "no order": "No order" };

export const pageBuildOrRent = {
  id: "build-or-rent",
  tab: "Build or rent?",
  title: "Build or rent?",
  lead: "The utilisation from which owning costs less than renting only the hours used, at the price level and seller by seller; and how much work a dollar of ownership does.",
  controls: [
    { name: "scenario", label: "Owner", options: () => distinct(rowsOf("tco").map((row) => row.scenario_id)).map((id) => [id, ownerWords(id)]),
      initial: (_, options) => options.find(([id]) => id === DEFAULT_OWNER)?.[0] },
    { name: "accelerator", label: "Accelerator",
      options: () => [["all", "All"], ...distinct(rowsOf("build_vs_rent").map((row) => row.accelerator_id)).map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1]))] },
    { name: "pricing", label: "Rent: pricing", options: () => inPricingOrder(distinct(rowsOf("build_vs_rent").map((row) => row.pricing_model))).map((m) => [m, words(m)]) },
    { name: "baseline", label: "Performance per TCO against",
      options: () => distinct(rowsOf("perf_per_tco").map((row) => row.baseline_accelerator_id)).map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => options.find(([id]) => id === "nvidia-h100-sxm-80gb")?.[0], resets: ["workload"] },
    { name: "workload", label: "on",
      options: ({ baseline, scenario }) => distinct(rowsOf("perf_per_tco").filter((row) => row.baseline_accelerator_id === baseline && row.scenario_id === scenario)
        .map((row) => row.benchmark_id)).map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => options.find(([id]) => id === "llama2-70b-99")?.[0] },
  ],

  view({ scenario, accelerator, pricing, baseline, workload }) {
    const all = rowsOf("build_vs_rent").filter((row) => row.scenario_id === scenario && row.pricing_model === pricing
      && (accelerator === "all" || row.accelerator_id === accelerator))
      .map((row) => ({ ...row, ...sharesOf(row) })).sort((a, b) => Boolean(a.rank_reason) - Boolean(b.rank_reason) || a.share - b.share);
    const rows = all.filter((row) => !row.rank_reason);
    const isCommitted = pricing.startsWith("reserved_");
    const owned = rowsOf("tco").filter((row) => row.scenario_id === scenario);
    const pairs = rowsOf("perf_per_tco").filter((row) => row.scenario_id === scenario && row.baseline_accelerator_id === baseline && row.benchmark_id === workload)
      .sort((a, b) => b.perf_per_tco_ratio - a.perf_per_tco_ratio);
    const use = owned[0]?.utilisation_pct;
    const months = owned[0] && all[0]?.horizon_months;
    const atLevel = levelRows(all, pricing);
    const count = (verdict) => atLevel.filter((row) => row.cheaper_at_level === verdict).length;
    return [
      pricesAsOf(),
      tiles([
        ["Owning is cheaper", `${count("own")} of ${atLevel.length}`, `accelerators with a price level, at ${percent(use)} utilisation`],
        ["No order", `${count("no order")} of ${atLevel.length}`, "accelerators: the ranges overlap, or there is none"],
        ["Renting is cheaper", `${count("rent")} of ${atLevel.length}`, `accelerators, at ${percent(use)} utilisation`],
      ]),
      figure({
        name: "break-even-at-level",
        kind: "ranked",
        title: `Break-even utilisation at the price level, ${ownerWords(scenario).toLowerCase()} against ${words(pricing).toLowerCase()} rent`,
        subtitle: `Cost of owning over ${months} months, less the residual value, ÷ rent at the price level, what an average neocloud would ask. Line: owning and the level at the ends of their ranges. Below ${percent(use)} (the assumed utilisation) owning is cheaper; above 100 % renting always is.`,
        words: { unit: "% of hours used" },
        rows: atLevel.map((row, position) => ({
          key: row.accelerator_id, position, group: CHEAPER[row.cheaper_at_level], label: acceleratorName(row.accelerator_id), value: row.break_even_utilisation_pct_at_level,
          low: row.break_even_utilisation_pct_at_level_low, high: row.break_even_utilisation_pct_at_level_high, middle: null, text: percent(row.break_even_utilisation_pct_at_level),
          detail: `owned ${usd(row.owned_usd_per_accelerator_hour)}, rented ${usd(row.level_usd_per_accelerator_hour)} an hour (${rentPrice(row.accelerator_id, pricing).words})`,
        })),
        tableRows: atLevel, rowKey: (row) => row.accelerator_id,
        columns: [
          column.accelerator(), column.percent("break_even_utilisation_pct_at_level", "Break-even utilisation"), column.percent("break_even_utilisation_pct_at_level_low", "low"), column.percent("break_even_utilisation_pct_at_level_high", "high"),
          column.usd("owned_usd_per_accelerator_hour", "Owned, $/h"), column.usd("level_usd_per_accelerator_hour", "Rented at the price level, $/h"),
          column.usd("level_usd_per_accelerator_hour_low", "low"), column.usd("level_usd_per_accelerator_hour_high", "high"),
          column.integer("n_sellers", "Sellers of the level", (row) => levelOf(row.accelerator_id, pricing)?.n_sellers ?? null),
          { key: "cheaper_at_level", title: "Cheaper", value: (row) => row.cheaper_at_level, text: (value) => CHEAPER[value] },
        ],
        empty: `No accelerator with a known ownership cost has a price level under ${words(pricing).toLowerCase()} pricing.`,
      }),
      figure({
        name: "break-even",
        kind: "ranked",
        title: `${isCommitted ? "Owning ÷ commitment" : "Break-even utilisation"} by seller, ${ownerWords(scenario).toLowerCase()} against ${words(pricing).toLowerCase()} rent`,
        subtitle: `Cost of owning over ${months} months, less the residual value, ÷ rent. ${isCommitted ? "A commitment is paid for whole terms, used or not: below 100 % owning is cheaper." : `Below ${percent(use)} (the assumed utilisation) owning is cheaper; above 100 % renting always is.`} Bar: the seller's cheapest offer. Line: owning at the ends of its range. Old prices and those of an unknown day are in the table only.`,
        words: { unit: isCommitted ? "% of the committed rent" : "% of hours used" },
        rows: rows.map((row, position) => ({
          key: `${row.accelerator_id}|${row.provider}`, position, group: CHEAPER[row.cheaper], label: `${partName(row.accelerator_id)}, ${providerName(row.provider)}`, value: row.share,
          low: row.share_low, high: row.share_high, middle: null, text: percent(row.share),
          detail: `owned ${usd(row.owned_usd_per_accelerator_hour)}, rented ${usd(row.rented_usd_per_accelerator_hour_min)} an hour, price seen ${day(row.price_observed_at)} (${days(row.price_age_days)})`,
        })),
        tableRows: all, rowKey: (row) => `${row.accelerator_id}|${row.provider}`,
        columns: [
          column.accelerator(), { key: "provider", title: "Seller", value: (row) => row.provider, text: (value) => providerName(value) }, column.words("segment", "Segment"),
          column.percent("break_even_utilisation_pct", "Break-even utilisation"), column.percent("break_even_utilisation_pct_low", "low"), column.percent("break_even_utilisation_pct_high", "high"),
          column.usd("owned_usd_per_accelerator_hour", "Owned, $/h"), column.usd("rented_usd_per_accelerator_hour_min", "Rented, $/h"),
          column.number("months_to_break_even", "Months to break even", number), column.number("months_to_break_even_low", "low", number), column.number("months_to_break_even_high", "high", number), column.text("months_to_break_even_note", "Why none", { wide: true }),
          column.usd("owned_usd", "Owned over the months, $"), column.usd("rented_usd", "Rented, $"),
          { key: "cheaper", title: "Cheaper", value: (row) => row.cheaper, text: (value) => CHEAPER[value] ?? value }, column.text("capex_basis", "Capex is"), column.text("price_level", "Capex of"),
          { key: "price_standing", title: "The price is", value: (row) => row.price_standing, text: (_, row) => standingWords(row) }, column.text("offer_id", "Offer"), column.link("price_source_url", "Price list"),
        ],
        empty: `No recent ${words(pricing).toLowerCase()} price for ${accelerator === "all" ? "an accelerator with a known ownership cost" : acceleratorName(accelerator)}.`,
      }),
      figure({
        name: "perf-per-tco",
        kind: "ratios",
        title: `Work per dollar of ownership against ${acceleratorName(baseline)}: ${modelName(workload)}`,
        subtitle: `Ratio of throughputs per accelerator ÷ ratio of ownership cost per hour (${ownerWords(scenario).toLowerCase()}), same round, benchmark, scenario and unit, best results, newest price level that both have. Right of 1 is more for the money.`,
        words: { unit: `times ${acceleratorName(baseline)}` },
        rows: pairs.map((row, position) => ({
          key: pairKey(row), position, group: row.perf_per_tco_ratio >= 1 ? "more for the money" : "less for the money",
          label: `${acceleratorName(row.accelerator_id)}, ${row.scenario ?? "training"}, ${row.release}`, value: row.perf_per_tco_ratio, text: times(row.perf_per_tco_ratio),
          detail: `${times(row.throughput_ratio)} the throughput at ${times(row.tco_ratio)} the cost; n = ${row.n_results} against ${row.baseline_n_results}; ${row.tco_ratio_basis}`,
        })),
        tableRows: pairs, rowKey: pairKey,
        columns: [
          column.accelerator(), column.text("benchmark_id", "Benchmark"), column.text("scenario", "Scenario"), column.text("release", "Round"), column.number("perf_per_tco_ratio", "Work per TCO", times),
          column.number("throughput_ratio", "Throughput", times), column.number("tco_ratio", "TCO", times), column.integer("n_results", "Results (n)"), column.integer("baseline_n_results", "Baseline (n)"),
          column.integer("accelerator_count", "Accelerators"), column.integer("baseline_accelerator_count", "Baseline's"), column.text("price_level", "Prices of"), column.text("tco_ratio_basis", "Capex", { wide: true }),
          column.text("result_id", "Result", { wide: true }), column.text("baseline_result_id", "Baseline's result", { wide: true }),
        ],
        empty: `No pair with ${acceleratorName(baseline)} in the same round, benchmark and unit.`,
      }),
      figure({
        name: "owned",
        kind: "ranked",
        title: `What owning costs: ${ownerWords(scenario).toLowerCase()}`,
        subtitle: "US$ per accelerator-hour in which it is up. Tick: per hour used. Line: to the cost of an hour of useful work. Compare within one colour: each is a basis of capital. What is implied by a published rate is not independent of that rate.",
        words: { unit: "US$ per accelerator-hour" },
        rows: [...owned].sort((a, b) => a.usd_per_accelerator_hour - b.usd_per_accelerator_hour).map((row, position) => ({
          key: row.accelerator_id, position, group: `capital: ${words(row.capex_basis).toLowerCase()}`, label: acceleratorName(row.accelerator_id), value: row.usd_per_accelerator_hour, low: row.usd_per_accelerator_hour,
          middle: row.usd_per_utilised_accelerator_hour, high: row.usd_per_useful_accelerator_hour, text: usd(row.usd_per_accelerator_hour),
          detail: `capex ${usd(row.capex_usd_per_accelerator)} (${words(row.capex_basis).toLowerCase()}, ${row.capex_as_of ?? "no date"}), ${number(row.it_power_w)} W`,
        })),
        tableRows: owned, rowKey: (row) => row.accelerator_id,
        columns: [
          column.accelerator(), column.usd("usd_per_accelerator_hour", "US$ per hour"), column.usd("capital_usd_per_accelerator_hour", "Capital"), column.usd("electricity_usd_per_accelerator_hour", "Electricity"),
          column.usd("colocation_usd_per_accelerator_hour", "Space and cooling"), column.usd("maintenance_usd_per_accelerator_hour", "Maintenance"), column.usd("unavailability_usd_per_accelerator_hour", "Hours it is down"),
          column.usd("capex_usd_per_accelerator", "Capex"), column.number("it_power_w", "IT power, W"), column.text("capex_basis", "Capex is"), column.text("price_level", "Capex of"), column.link("capex_source", "Capex source"),
        ],
      }),
      note("Every assumption can be changed on the page “My numbers”."),
    ];
  },
};

/** Owning in % of renting every hour; of a commitment in % of what is paid for it. */
const sharesOf = (row) => Object.fromEntries(["", "_low", "_high"].map((end) => [
  `share${end}`, row.break_even_utilisation_pct === null && isNumber(row[`owned_usd${end}`]) ? (row[`owned_usd${end}`] / row.rented_usd) * 100 : row[`break_even_utilisation_pct${end}`],
]));

/** One row an accelerator with a price level. */
const levelRows = (rows, pricing) => distinct(rows.map((row) => row.accelerator_id)).map((id) => rows.find((row) => row.accelerator_id === id))
  .filter((row) => isNumber(row.break_even_utilisation_pct_at_level) && levelOf(row.accelerator_id, pricing))
  .sort((a, b) => a.break_even_utilisation_pct_at_level - b.break_even_utilisation_pct_at_level);

const pairKey = (row) => `${row.accelerator_id}|${row.benchmark_id}|${row.scenario ?? ""}|${row.release}|${row.result_unit}`;
