// Owning against renting, for every accelerator: break-even utilisation, what owning costs, and work per dollar of ownership.
import { distinct, rowsOf } from "../data.js";
import { h } from "../dom.js";
import { number, percent, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { DEFAULT_OWNER, acceleratorName, benchmarkName, column, inPricingOrder, levelOf, modelName, note, ownerWords, partName, pricesAsOf, rentPrice, tiles, words } from "../common.js";

// by the verdict of renting against owning
const AGAINST_OWNING = {
  costs_more: "Owning costs less", probably_costs_more: "Owning probably costs less", about_the_same: "About the same",
  probably_costs_less: "Renting probably costs less", costs_less: "Renting costs less", no_verdict: "No range, no verdict",
};
const BASELINE = "nvidia-h100-sxm-80gb";

export const pageOwning = {
  id: "build-or-rent",
  place: "Prices",
  tab: "Owning",
  title: "Own or rent, for every accelerator",
  lead: "The utilisation from which owning costs less than renting only the hours used, what owning costs, and how much work a dollar of ownership does.",
  controls: [
    { name: "scenario", label: "Owner", options: () => distinct(rowsOf("tco").map((row) => row.scenario_id)).map((id) => [id, ownerWords(id)]),
      initial: (_, options) => options.find(([id]) => id === DEFAULT_OWNER)?.[0] },
    { name: "pricing", label: "Rent: pricing", options: () => inPricingOrder(distinct(rowsOf("build_vs_rent").map((row) => row.pricing_model))).map((m) => [m, words(m)]) },
    { name: "workload", label: "Work: benchmark",
      options: ({ scenario }) => distinct(rowsOf("perf_per_tco").filter((row) => row.scenario_id === scenario)
        .map((row) => row.benchmark_id)).map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => options.find(([id]) => id === "llama2-70b-99")?.[0] },
  ],

  view({ scenario, pricing, workload }) {
    const rows = rowsOf("build_vs_rent").filter((row) => row.scenario_id === scenario && row.pricing_model === pricing && levelOf(row.accelerator_id, pricing))
      .sort((a, b) => a.break_even_utilisation_pct_at_level - b.break_even_utilisation_pct_at_level);
    const owned = rowsOf("tco").filter((row) => row.scenario_id === scenario).sort((a, b) => a.usd_per_accelerator_hour - b.usd_per_accelerator_hour);
    const pairs = rowsOf("perf_per_tco").filter((row) => row.scenario_id === scenario && row.benchmark_id === workload)
      .sort((a, b) => b.perf_per_tco_ratio - a.perf_per_tco_ratio);
    const use = owned[0]?.utilisation_pct;
    const months = rows[0]?.horizon_months;
    const withVerdict = Object.entries(AGAINST_OWNING).map(([code, title]) => [title, rows.filter((row) => row.against_owning_at_level === code)]).filter(([, some]) => some.length);
    return [
      pricesAsOf(),
      tiles(withVerdict.map(([title, some]) => [title, `${some.length} of ${rows.length}`, some.map((row) => partName(row.accelerator_id)).join(", ")])),
      figure({
        name: "break-even",
        kind: "list",
        title: `Break-even utilisation, ${ownerWords(scenario).toLowerCase()} against ${words(pricing).toLowerCase()} rent at the price level`,
        subtitle: `Cost of owning over ${months} months, less the residual value, ÷ rent at the price level, what an average neocloud would ask. Band: owning and the level, as it may move until then, at the ends of their ranges. Below ${percent(use)} (the assumed utilisation) owning costs less; above 100 % renting always does.`,
        unit: "% of hours used",
        rows: rows.map((row) => ({
          key: row.accelerator_id, group: AGAINST_OWNING[row.against_owning_at_level], label: partName(row.accelerator_id), value: row.break_even_utilisation_pct_at_level,
          low: row.break_even_utilisation_pct_at_level_low, high: row.break_even_utilisation_pct_at_level_high, text: percent(row.break_even_utilisation_pct_at_level),
          detail: `owned ${usd(row.owned_usd_per_accelerator_hour)}, rented ${usd(row.level_usd_per_accelerator_hour)} an hour (${rentPrice(row.accelerator_id, pricing).words})`,
        })),
        tableRows: rows, rowKey: (row) => row.accelerator_id,
        columns: [
          column.accelerator(), column.percent("break_even_utilisation_pct_at_level", "Break-even utilisation"), column.percent("break_even_utilisation_pct_at_level_low", "low"), column.percent("break_even_utilisation_pct_at_level_high", "high"),
          column.usd("owned_usd_per_accelerator_hour", "Owned, $/h"), column.usd("level_usd_per_accelerator_hour", "Rented at the price level, $/h"),
          column.usd("level_usd_per_accelerator_hour_low", "low"), column.usd("level_usd_per_accelerator_hour_high", "high"),
          column.integer("n_sellers", "Sellers of the level", (row) => levelOf(row.accelerator_id, pricing)?.n_sellers ?? null),
          { key: "against_owning_at_level", title: `At ${percent(use)} use`, value: (row) => row.against_owning_at_level, text: (value) => AGAINST_OWNING[value] },
        ],
        empty: `No accelerator with a known ownership cost has a price level under ${words(pricing).toLowerCase()} pricing.`,
      }),
      figure({
        name: "owned",
        kind: "list",
        title: `What owning costs: ${ownerWords(scenario).toLowerCase()}`,
        subtitle: "US$ per accelerator-hour in which it is up; band: all documented inputs at their low or all at their high end. Compare within one colour: each is a basis of capital. What is implied by a published rate is not independent of that rate.",
        unit: "US$ per accelerator-hour",
        rows: owned.map((row) => ({
          key: row.accelerator_id, group: `capital: ${words(row.capex_basis).toLowerCase()}`, label: partName(row.accelerator_id), value: row.usd_per_accelerator_hour,
          low: row.usd_per_accelerator_hour_low, high: row.usd_per_accelerator_hour_high, text: usd(row.usd_per_accelerator_hour),
          detail: `capex ${usd(row.capex_usd_per_accelerator)} (${words(row.capex_basis).toLowerCase()}, ${row.capex_as_of ?? "no date"}), ${number(row.it_power_w)} W`,
        })),
        tableRows: owned, rowKey: (row) => row.accelerator_id,
        columns: [
          column.accelerator(), column.usd("usd_per_accelerator_hour", "US$ per hour"), column.usd("usd_per_accelerator_hour_low", "low"), column.usd("usd_per_accelerator_hour_high", "high"),
          column.usd("capital_usd_per_accelerator_hour", "Capital"), column.usd("electricity_usd_per_accelerator_hour", "Electricity"),
          column.usd("colocation_usd_per_accelerator_hour", "Space and cooling"), column.usd("maintenance_usd_per_accelerator_hour", "Maintenance"), column.usd("unavailability_usd_per_accelerator_hour", "Hours it is down"),
          column.usd("capex_usd_per_accelerator", "Capex"), column.number("it_power_w", "IT power, W"), column.text("capex_basis", "Capex is"), column.text("price_level", "Capex of"), column.link("capex_source", "Capex source"),
        ],
      }),
      figure({
        name: "perf-per-tco",
        kind: "ratios",
        title: `Work per dollar of ownership against ${acceleratorName(BASELINE)}: ${modelName(workload)}`,
        subtitle: `Ratio of throughputs per accelerator ÷ ratio of ownership cost per hour (${ownerWords(scenario).toLowerCase()}), same round, benchmark, scenario and unit, best results, newest price level that both have. Right of 1 is more for the money.`,
        unit: `times ${partName(BASELINE)}`,
        rows: pairs.map((row) => ({
          key: pairKey(row), group: row.perf_per_tco_ratio >= 1 ? "more for the money" : "less for the money",
          label: `${partName(row.accelerator_id)}, ${row.scenario ?? "training"}, ${row.release}`, value: row.perf_per_tco_ratio, text: times(row.perf_per_tco_ratio),
          detail: `${times(row.throughput_ratio)} the throughput at ${times(row.tco_ratio)} the cost; n = ${row.n_results} against ${row.baseline_n_results}; ${row.tco_ratio_basis}`,
        })),
        tableRows: pairs, rowKey: pairKey,
        columns: [
          column.accelerator(), column.text("scenario", "Scenario"), column.text("release", "Round"), column.number("perf_per_tco_ratio", "Work per TCO", times),
          column.number("throughput_ratio", "Throughput", times), column.number("tco_ratio", "TCO", times), column.integer("n_results", "Results (n)"), column.integer("baseline_n_results", "Baseline (n)"),
          column.integer("accelerator_count", "Accelerators"), column.integer("baseline_accelerator_count", "Baseline's"), column.text("price_level", "Prices of"), column.text("tco_ratio_basis", "Capex", { wide: true }),
          column.text("result_id", "Result", { wide: true }), column.text("baseline_result_id", "Baseline's result", { wide: true }),
        ],
        empty: `No pair with ${acceleratorName(BASELINE)} in the same round, benchmark and unit.`,
      }),
      note("Own inputs, and so many accelerators over months: ", h("a", { href: "#/my-numbers" }, "Own numbers"), "."),
    ];
  },
};

const pairKey = (row) => `${row.accelerator_id}|${row.benchmark_id}|${row.scenario ?? ""}|${row.release}|${row.result_unit}`;
