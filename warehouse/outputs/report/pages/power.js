// A power limit: machines, tokens, cost and emissions of each accelerator. Rows of the SQL function power_budget.

const powerValues = (key) => distinct(rowsOf("power_options").map((row) => row[key]));

const powerColumns = columns(`accelerator_id|machines|tokens_per_day:large|rented_usd_per_month± Rent a month|owned_usd_per_month± Own a month|kg_co2e_per_month± kg CO2e a month|accelerators Accelerators|machine_accelerators Accelerators of a machine|racks
  |machines_at_drawn_power±|purchase_usd|provisioned_watts_per_accelerator W each, provisioned|drawn_watts_per_accelerator W each, drawn|pue|capex_basis|price_level|rent_basis
  |release|number_format|output_tokens_per_s_per_accelerator|submitter|result_id`);

addPage({
  id: "power",
  place: "Choose",
  tab: "Power limit",
  title: "How many tokens can I generate within a power limit?",
  lead: "What each accelerator delivers when power is the limit: tokens a day, monthly cost and emissions.",
  find: "megawatt|megawatts|MW|power limit|data center",
  command: ["power-budget", "power_budget"],
  controls: [
    modelChoice(() => powerValues("benchmark_id"), ["deepseek-r1", "llama2-70b-99"]),
    stops("megawatts", "power_options", "megawatts", "Megawatts, with cooling", (value) => `${value} MW`, 5),
    ownerChoice("owner", () => powerValues("owner")),
  ],

  view({ benchmark, megawatts, owner }) {
    const options = rowsOf("power_options").filter((row) => row.benchmark_id === benchmark && String(row.megawatts) === megawatts && row.owner === owner)
      .map((row) => ({ ...row, key: row.accelerator_id }));
    const rows = options.filter((row) => !row.reason).sort((a, b) => b.tokens_per_day - a.tokens_per_day || (a.key < b.key ? -1 : 1));
    const below = options.filter((row) => row.reason);
    const [best] = rows;
    return [
      tiles(best ? [
        ["Most tokens", `${integer(best.machines)} machines`, `${integer(best.accelerators)} × ${shortName(best.accelerator_id)}: ${large(best.tokens_per_day)} output tokens a day at 60 % utilisation`],
        ["Rented", usd(best.rented_usd_per_month), `a month, ${rangeWords(best.rented_usd_per_month_low, best.rented_usd_per_month_high)}`],
        ["Owned", usd(best.owned_usd_per_month), `a month, ${rangeWords(best.owned_usd_per_month_low, best.owned_usd_per_month_high)}${best.price_level ? `; capital: ${lower(best.capex_basis)}, prices of ${best.price_level}` : ""}`],
      ] : [["Most tokens", "None", "the limit carries no machine that holds the model"]]),
      figure({
        name: "power",
        title: `${modelName(benchmark)} within ${megawatts} MW`,
        subtitle: `Output tokens a day at 60 % of the measured throughput, from the machines that the limit carries at full load × PUE ${number(options[0]?.pue)}.`,
        unit: "output tokens a day",
        rows: rows.map((row) => ({
          ...bar(row, "tokens_per_day", large), label: `${integer(row.machines)} × ${integer(row.machine_accelerators)} ${partName(row.accelerator_id)}`, detail: `rented ${usd(row.rented_usd_per_month)}, owned ${usd(row.owned_usd_per_month)} a month; ${integer(row.kg_co2e_per_month)} kg CO2e a month; ${row.release}, ${row.submitter}`,
        })),
        tableRows: rows, columns: powerColumns, open: true,
        empty: "The limit carries no machine that holds the model. The table below has the reasons.",
      }),
      below.length > 0 && figure({
        name: "not-carried", title: "Not ranked, and why", columns: columns(`accelerator_id|provisioned_watts_per_accelerator W each, provisioned|reason Why not`),
        tableRows: below,
      }),
      note("Emissions follow from the average power drawn and the average grid of the world or country in the table."),
    ];
  },
});
