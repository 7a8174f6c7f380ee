// Owning against renting, for every accelerator: break-even utilisation, what owning costs, and work per dollar of ownership.

// by the verdict of renting against owning
const AGAINST_OWNING = {
  costs_more: "Owning costs less", probably_costs_more: "Owning probably costs less", about_the_same: "About the same",
  probably_costs_less: "Renting probably costs less", costs_less: "Renting costs less", no_verdict: "No range, no verdict",
};
const BASELINE = "nvidia-h100-sxm-80gb";

addPage({
  id: "build-or-rent",
  place: "Prices",
  tab: "Owning",
  title: "Own or rent, for every accelerator",
  lead: "From how much use owning costs less than renting, what owning costs, and how much work a dollar buys.",
  find: "rent or own|own or rent|build or rent|TCO|ownership|buy",
  controls: [
    ownerChoice("scenario", () => idsOf("tco", "scenario_id")),
    pricingChoice(() => idsOf("build_vs_rent", "pricing_model"), "Rent: pricing"),
    modelChoice(({ scenario }) => idsOf("perf_per_tco", "benchmark_id", (row) => row.scenario_id === scenario), "llama2-70b-99", { name: "workload", label: "Work" }),
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
      tiles(withVerdict.map(([title, some]) => [title, `${some.length} of ${rows.length}`, some.map((row) => partName(row.accelerator_id)).join(", ")])),
      figure({
        name: "break-even",
        title: `Break-even utilisation, ${lower(scenario)} against ${lower(pricing)} rent at the typical price`,
        subtitle: `Cost of owning over ${months} months, less the residual value, ÷ the typical rent. Above this use of the hours, owning costs less; above 100 % renting always does. The assumed use is ${percent(use)}.`,
        unit: "% of hours used",
        rows: rows.map((row) => ({
          ...bar(row, "break_even_utilisation_pct_at_level", percent), group: AGAINST_OWNING[row.against_owning_at_level], detail: `owned ${usd(row.owned_usd_per_accelerator_hour)}, rented ${usd(row.level_usd_per_accelerator_hour)} an hour (${rentPrice(row.accelerator_id, pricing).words})`,
        })),
        tableRows: rows,
        columns: columns(`accelerator_id|break_even_utilisation_pct_at_level± Break-even utilisation|owned_usd_per_accelerator_hour Own, $/h|level_usd_per_accelerator_hour± Rent, typical, $/h|n_sellers|against_owning_at_level At ${percent(use)} use`, {
          n_sellers: { value: (row) => levelOf(row.accelerator_id, pricing)?.n_sellers ?? null }, against_owning_at_level: { text: (value) => AGAINST_OWNING[value] },
        }),
        empty: `No accelerator with a known ownership cost has a typical price under ${lower(pricing)} pricing.`,
      }),
      figure({
        name: "owned",
        title: `What owning costs: ${lower(scenario)}`,
        subtitle: "US$ per accelerator-hour. The band has all documented inputs at their low or at their high end. Compare within one colour, which is one basis of the purchase price.",
        unit: "US$ per accelerator-hour",
        rows: owned.map((row) => ({
          ...bar(row, "usd_per_accelerator_hour"), group: `capital: ${lower(row.capex_basis)}`, detail: `capex ${usd(row.capex_usd_per_accelerator)} (${lower(row.capex_basis)}, ${row.capex_as_of ?? "no date"}), ${number(row.it_power_w)} W`,
        })),
        tableRows: owned,
        columns: columns(`accelerator_id|usd_per_accelerator_hour±|capital_usd_per_accelerator_hour Capital|electricity_usd_per_accelerator_hour Electricity|capex_usd_per_accelerator Purchase|capex_basis|colocation_usd_per_accelerator_hour Space and cooling
          |maintenance_usd_per_accelerator_hour Maintenance|unavailability_usd_per_accelerator_hour Hours it is down|it_power_w IT power, W|price_level|capex_source:link Source of the purchase price`),
      }),
      figure({
        name: "perf-per-tco",
        kind: "ratios",
        title: `Work per dollar of ownership against ${acceleratorName(BASELINE)}: ${modelName(workload)}`,
        subtitle: `Throughput ratio ÷ cost ratio (${lower(scenario)}), in the same round, scenario and unit. Right of 1 you get more for the money.`,
        unit: `times ${partName(BASELINE)}`,
        rows: pairs.map((row) => ({
          ...bar(row, "perf_per_tco_ratio", times), key: pairKey(row), group: row.perf_per_tco_ratio >= 1 ? "more for the money" : "less for the money",
          label: `${partName(row.accelerator_id)}, ${row.scenario ?? "training"}, ${row.release}`, detail: `${times(row.throughput_ratio)} the throughput at ${times(row.tco_ratio)} the cost; n = ${row.n_results} against ${row.baseline_n_results}; ${row.tco_ratio_basis}`,
        })),
        tableRows: pairs, rowKey: "accelerator_id|benchmark_id|scenario|release|result_unit",
        columns: columns(`accelerator_id|perf_per_tco_ratio Work per dollar|throughput_ratio Throughput|tco_ratio Cost of owning|scenario|release|n_results|baseline_n_results Baseline (n)|accelerator_count|baseline_accelerator_count Baseline's accelerators
          |price_level Prices of|tco_ratio_basis Capital|result_id|baseline_result_id Baseline's result`),
        empty: `No pair with ${acceleratorName(BASELINE)} in the same round, benchmark and unit.`,
      }),
      note("Own inputs, and so many accelerators over months: ", h("a", { href: "#/my-numbers" }, "Own numbers"), "."),
    ];
  },
});

const pairKey = (row) => `${row.accelerator_id}|${row.benchmark_id}|${row.scenario ?? ""}|${row.release}|${row.result_unit}`;
